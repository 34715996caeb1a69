#!/bin/bash
# Finds the environments to examine, runs `envbounty TIER` on them without the runner's environment variables, and
# writes the outputs code, verdict, trouble, report and sarif. It exits 0 whatever the verdict: the action's last step
# exits with `code`, after the report has been uploaded. `trouble` is one of the words that actions/report knows.
set -euo pipefail

out=$RUNNER_TEMP/envbounty-$TIER
rm -rf "$out"
mkdir -p "$out/home"

finish() { # CODE VERDICT [TROUBLE]
    printf '%s\n' "code=$1" "verdict=$2" "trouble=${3:-}" >>"$GITHUB_OUTPUT"
    if [[ -s $out/report.json ]]; then echo "report=$out/report.json" >>"$GITHUB_OUTPUT"; fi
    if [[ -s $out/report.sarif ]]; then echo "sarif=$out/report.sarif" >>"$GITHUB_OUTPUT"; fi
    exit 0
}

refuse() { # TROUBLE MESSAGE: what was asked for makes no sense
    echo "::error title=envbounty::$2"
    finish 2 error "$1"
}

paths=()
if [[ -n $PATHS ]]; then
    while IFS= read -r path; do
        if [[ -n $path ]]; then paths+=("$path"); fi
    done <<<"$PATHS"
else
    [[ -n $BASE ]] || refuse bad-input "This event has no base commit: give the input base or paths."
    [[ $BASE =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || refuse bad-input "The input base must be a full commit SHA."
    [[ ! -L environments ]] || refuse link "environments is a symbolic link; it must be a directory."
    # Without --no-renames a file moved from one environment to another would only show the second.
    git diff --no-ext-diff --no-renames --name-only -z "$BASE...HEAD" -- environments/ >"$out/changed" ||
        refuse no-base "Cannot compare with the base commit: check out with fetch-depth 0."
    declare -A seen=()
    while IFS= read -r -d '' file; do
        name=${file#environments/}
        path=environments/${name%%/*}
        [[ -z ${seen[$path]:-} ]] || continue
        seen[$path]=yes
        # Names come from contributors: %q keeps a line break in one from starting a workflow command.
        if [[ -L $path ]]; then
            refuse link "$(printf '%q is a symbolic link; an environment must be a directory.' "$path")"
        elif [[ -d $path ]]; then
            paths+=("$path")
        elif [[ $name == */* ]]; then
            printf 'Removed: %q\n' "$path"
        fi
    done <"$out/changed"
fi

if ((${#paths[@]} == 0)); then
    echo "No environment changed: nothing to do" | tee -a "$GITHUB_STEP_SUMMARY"
    finish 0 none nothing-changed
fi
printf 'To examine: %q\n' "${paths[@]}"

options=(--json "$out/report.json")
if [[ $TIER == verify ]]; then options+=(--sarif "$out/report.sarif"); fi
options+=(--jail "$JAIL")
if [[ -n ${SEED:-} ]]; then options+=(--seed "$SEED"); fi
if [[ -n ${JOBS:-} ]]; then options+=(--jobs "$JOBS"); fi
# The base branch's policy decides: the one that is checked out may be the contributor's own.
if [[ -n ${POLICY:-} ]]; then
    options+=(--policy "$POLICY")
elif [[ -z $BASE ]]; then
    options+=(--policy built-in)
else
    [[ $BASE =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || refuse bad-input "The input base must be a full commit SHA."
    git cat-file -e "$BASE^{commit}" 2>/dev/null ||
        refuse no-base "Cannot read the base commit's policy: check out with fetch-depth 0, or give the input policy."
    if git cat-file -e "$BASE:policies/policy.yaml" 2>/dev/null; then
        git cat-file blob "$BASE:policies/policy.yaml" >"$out/policy.yaml"
        options+=(--policy "$out/policy.yaml")
    else
        options+=(--policy built-in)
    fi
fi

# What was there before is what a copy is held against: the base commit's environments, in a folder of their own, since
# the checkout may have lost or changed the original. They are read through a repository beside it which has no
# attributes, filters or links by which a file could come out other than it was committed.
extract_base() { # FOLDER
    local bare=$out/base.git objects
    objects=$(cd "$(git rev-parse --git-path objects)" && pwd -P) || return
    git init -q --bare --template= "$bare" || return
    mkdir -p "$bare/info" "$bare/objects/info" "$1" || return
    echo "$objects" >"$bare/objects/info/alternates"
    echo '* -text -ident -filter -working-tree-encoding' >"$bare/info/attributes"
    git --git-dir="$bare" read-tree "$BASE:environments" || return
    git --git-dir="$bare" --work-tree="$1" -c core.bare=false -c core.symlinks=false checkout-index --quiet --all
}

if [[ $TIER == verify && $BASE =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] &&
    [[ $(git cat-file -t "$BASE:environments" 2>/dev/null) == tree ]]; then
    extract_base "$out/base/environments" || refuse no-base "Cannot read the base commit's environments."
    if [[ -n $(find "$out/base/environments" -name env.yaml -type f -print -quit) ]]; then
        options+=(--against "$out/base/environments")
    fi
fi

# The runner's variables hold tokens and the files with which a step commands the runner. None of it is passed on.
clean=(PATH="$PATH" HOME="$out/home" LANG=C.UTF-8 TMPDIR="$RUNNER_TEMP" GITHUB_STEP_SUMMARY="$GITHUB_STEP_SUMMARY")
if [[ -n ${DOCKER_HOST:-} ]]; then clean+=(DOCKER_HOST="$DOCKER_HOST"); fi

# The console script rather than python -m: the latter would import from the workspace first.
envbounty=${PYTHON%/*}/envbounty
if [[ $TIER != verify ]]; then
    asked=0
    env -i "${clean[@]}" "$envbounty" "$TIER" --help </dev/null >/dev/null 2>&1 || asked=$?
    if ((asked == 2)); then
        echo "::error title=envbounty::This version of envbounty has no $TIER tier."
        finish 4 error no-tier
    fi
fi

# The text report quotes contributors; until the token below, the runner obeys no command in what is printed.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
env -i "${clean[@]}" "$envbounty" "$TIER" "${options[@]}" -- "${paths[@]}" </dev/null || code=$?
echo
echo "::$token::"

# A verdict without a report is none: a Python that cannot even import envbounty exits with 1 as well.
if [[ $code =~ ^[013]$ && ! -s $out/report.json ]]; then
    echo "::error title=envbounty::The command ended with $code and wrote no report."
    code=4
fi

trouble=
if [[ ! -s $out/report.json ]]; then trouble=no-report; fi
case $code in
    0) finish 0 pass "$trouble" ;;
    1) finish 1 fail "$trouble" ;;
    3) finish 3 incomplete "$trouble" ;;
    *) finish "$code" error "$trouble" ;;
esac
