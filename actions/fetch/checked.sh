#!/bin/bash
# The commit that was asked for is there, the base is, and no key was left behind.
set -euo pipefail

fail() {
    echo "::error title=envbounty::$1"
    exit 1
}
[[ $(git rev-parse --verify HEAD) == "$HEAD_SHA" ]] || fail "Another commit was checked out than the one asked for."
git cat-file -e "$BASE_SHA^{commit}" 2>/dev/null || fail "The base commit is not there."
git merge-base "$BASE_SHA" HEAD >/dev/null || fail "The base commit and this one have no history in common."
if git config --local --get-regexp '^(http\..*extraheader|credential\.|includeif\.)' >/dev/null; then
    fail "The checkout left a credential behind."
fi
echo "Checked out $HEAD_SHA"
