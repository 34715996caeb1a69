# Needs python3 >= 3.11, git and make. Everything else goes into .venv; nothing is installed outside it.
PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --custom-compile-command "make lock" $(UPGRADE)

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench schema lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/.bot ## the whole story on this machine: a bounty, five pull requests, the bot, the right merge
	@$(BIN)/envbounty demo

test: .venv/.dev ## run the tests; what this machine cannot run is skipped, with the reason
	@$(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist loadfile $(ARGS)

lint: .venv/.dev ## ruff, mypy, lock files, shell scripts; the workflows are linted by tests/actions
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@cd actions/report && ../../$(BIN)/mypy --strict --config-file /dev/null report.py
	@scripts/check-locks.sh
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run scripts/*.sh docker/jail/*.sh actions/*/*.sh \
	   localhub/actions/standins/*/*.sh; \
	 else echo "shellcheck is not installed: shell scripts not checked"; fi

bench: .venv/.dev ## measure; results go to the terminal
	@$(BIN)/python -m benchmarks $(ARGS)

schema: .venv/.base ## write docs/*.schema.json anew from the models
	@$(BIN)/envbounty schema --out docs

lock: .venv/.dev ## compile requirements/*.txt anew (UPGRADE=--upgrade to move to newer versions)
	@$(LOCK) -o requirements/build.txt requirements/build.in
	@$(LOCK) -o requirements/base.txt pyproject.toml
	@$(LOCK) -o requirements/docker.txt -c requirements/base.txt --extra docker pyproject.toml
	@$(LOCK) -o requirements/bot.txt -c requirements/base.txt --extra bot --extra localhub pyproject.toml
	@$(LOCK) -o requirements/image.txt -c requirements/bot.txt requirements/image.in
	@$(LOCK) -o requirements/dev.txt -c requirements/docker.txt -c requirements/bot.txt -c requirements/build.txt \
	  --extra dev --extra docker --extra bot --extra localhub pyproject.toml
	@scripts/check-locks.sh

clean: ## remove .venv and all caches
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamp files: a target is installed again only when what it was installed from has changed.
.venv/.python: scripts/venv.sh requirements/build.txt
	@PYTHON="$(PYTHON)" scripts/venv.sh .venv
	@touch $@

.venv/.base: .venv/.python requirements/base.txt pyproject.toml
	@echo "Installing envbounty and requirements/base.txt into .venv"
	@$(PIP) --require-hashes -r requirements/base.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.bot: .venv/.base requirements/bot.txt
	@echo "Installing requirements/bot.txt (the bot, and a GitHub for this machine) into .venv"
	@$(PIP) --require-hashes -r requirements/bot.txt
	@touch $@

.venv/.dev: .venv/.base requirements/dev.txt
	@echo "Installing requirements/dev.txt (test and lint tools) into .venv"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@
