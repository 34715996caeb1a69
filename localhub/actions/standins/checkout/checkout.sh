#!/bin/bash
# Stands in for actions/checkout: fetches one commit by name or SHA and checks it out.
set -euo pipefail

[[ $SUBMODULES == false && $LFS == false ]] || { echo "the stand-in has no submodules and no large files"; exit 1; }
cd "$GITHUB_WORKSPACE/$FOLDER"
header="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)"
git init -q .
git remote add origin "$GITHUB_SERVER_URL/$REPOSITORY"
if [[ $KEEP == true ]]; then git config --local "http.$GITHUB_SERVER_URL/.extraheader" "$header"; fi
fetch() { GIT_LFS_SKIP_SMUDGE=1 git -c "http.$GITHUB_SERVER_URL/.extraheader=$header" fetch -q --no-recurse-submodules "$@"; }

wanted=${REF:-$DEFAULT_REF}
if [[ $DEPTH == 0 ]]; then
    fetch origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'
    if [[ ! $wanted =~ ^[0-9a-f]{40}$ ]] || ! git cat-file -e "$wanted^{commit}" 2>/dev/null; then fetch origin "$wanted"; fi
else
    fetch --depth "$DEPTH" origin "$wanted"
fi
if [[ ! $wanted =~ ^[0-9a-f]{40}$ ]]; then wanted=FETCH_HEAD; fi
GIT_LFS_SKIP_SMUDGE=1 git -c advice.detachedHead=false checkout -q --detach "$wanted"
