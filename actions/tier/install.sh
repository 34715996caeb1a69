#!/bin/bash
# Installs envbounty from the action's own checkout, every byte pinned by hash, and says which Python has it.
set -euo pipefail

root=$(cd "$GITHUB_ACTION_PATH/../.." && pwd)
# Away from the workspace, and with -I: Python must not import modules that a contributor put into the repository.
cd "$RUNNER_TEMP"

# Whoever brings a Python, by the input or by the machine's own ENVBOUNTY_PYTHON, has prepared the machine: nothing is
# installed or built there.
ready=${PYTHON:-${ENVBOUNTY_PYTHON:-}}
if [[ -z $ready ]]; then
    python3 -I -c 'import sys; sys.exit("envbounty needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
    python3 -I -m venv --clear "$RUNNER_TEMP/envbounty-venv"
    PYTHON=$RUNNER_TEMP/envbounty-venv/bin/python
    pip=("$PYTHON" -I -m pip install --quiet --disable-pip-version-check)
    "${pip[@]}" --require-hashes -r "$root/requirements/build.txt"
    "${pip[@]}" --require-hashes -r "$root/requirements/docker.txt"
    "${pip[@]}" --no-deps --no-build-isolation "$root"
fi
echo "python=${ready:-$PYTHON}" >>"$GITHUB_OUTPUT"

# Ubuntu 24.04 forbids the user namespaces that bubblewrap needs. A GitHub-hosted machine is thrown away after the
# job, so lifting that there harms nobody; on a self-hosted one it is the owner's decision.
switch=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
if [[ $JAIL != docker && ${RUNNER_ENVIRONMENT:-} == github-hosted && -r $switch && $(<"$switch") == 1 ]]; then
    echo "Allowing unprivileged user namespaces on this machine"
    sudo -n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0 || echo "could not: see the jail's own message"
fi

if [[ -z $ready && $JAIL == docker ]] && ! docker image inspect envbounty-jail:1 >/dev/null 2>&1; then
    docker build --quiet --tag envbounty-jail:1 "$root/docker/jail"
fi
