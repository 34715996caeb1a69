#!/bin/sh
# Lock files name packages, versions and hashes; where a package comes from is up to whoever installs it.
set -eu
cd "$(dirname "$0")/.."
if grep -nE 'https?://|^--(index-url|extra-index-url|find-links|trusted-host)|file:' requirements/*.txt; then
    echo "A lock file holds an address: run 'make lock'." >&2
    exit 1
fi
for file in requirements/*.txt; do
    # Every requirement line goes on with at least one hash.
    if grep -E '^[A-Za-z0-9]' "$file" | grep -vq '\\$'; then
        echo "$file: a requirement without a hash: run 'make lock'." >&2
        exit 1
    fi
done
