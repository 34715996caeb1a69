#!/bin/sh
# Makes the virtual environment DIR with the pinned pip and build tools of requirements/build.txt in it.
#   scripts/venv.sh DIR        ($PYTHON is the Python to use, python3 by default)
set -eu
dir=$1
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")/.." && pwd)

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "envbounty needs Python 3.11 or newer, and '$python' is not: run make PYTHON=/path/to/python3.11" >&2
    exit 1
fi

# Debian and Ubuntu ship Python without ensurepip. A pip of the system can do its work; else only root can help.
if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$dir"
    pip="$dir/bin/python -m pip"
elif "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m venv --clear --without-pip "$dir"
    pip="$python -m pip --python $dir/bin/python"
else
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "This Python has neither ensurepip nor pip. Install one, then run make again:" >&2
    echo "    sudo apt-get install python$version-venv" >&2
    exit 1
fi
echo "Made $dir with $("$python" --version); installing requirements/build.txt into it"
# shellcheck disable=SC2086  # $pip is a command with its arguments
$pip install -qq --disable-pip-version-check --require-hashes -r "$here/requirements/build.txt"
