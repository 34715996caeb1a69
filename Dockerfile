# The bot. It runs no contributor's code, so it needs no jail, no compiler and no GPU: only Python and its packages.
#   docker build -t envbounty-bot .        How to run it: docs/operate.md.
ARG BASE=python:3.13-slim
FROM ${BASE} AS packages
COPY requirements/image.txt /tmp/image.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /tmp/image.txt

FROM ${BASE}
COPY --from=packages /venv /venv
COPY envbounty /app/envbounty
COPY policies /app/policies
COPY bot /app/bot
# PYTHONPATH instead of an installed package: what is in the image is what is in the repository.
ENV PATH=/venv/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 PORT=8080 DATABASE_URL=sqlite:////data/bot.db
RUN mkdir /data && chown 65534:65534 /data
VOLUME /data
USER 65534:65534
WORKDIR /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s CMD ["python", "-c", \
  "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["python", "-m", "bot"]
CMD ["serve"]
