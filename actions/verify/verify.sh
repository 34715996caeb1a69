#!/bin/bash
# Finds the environments to verify, runs `envbounty verify` on them without the runner's environment variables, and
# writes the outputs code, verdict, report and sarif. It exits 0 whatever the verdict: the action's last step exits
# with `code`, after the report has been uploaded.
set -euo pipefail

out=$RUNNER_TEMP/envbounty-verify
rm -rf "$out"
mkdir -p "$out/home"

finish() { # CODE VERDICT
    printf '%s\n' "code=$1" "verdict=$2" >>"$GITHUB_OUTPUT"
    if [[ -s $out/report.json ]]; then echo "report=$out/report.json" >>"$GITHUB_OUTPUT"; fi
    if [[ -s $out/report.sarif ]]; then echo "sarif=$out/report.sarif" >>"$GITHUB_OUTPUT"; fi
    exit 0
}

refuse() { # MESSAGE: what was asked for makes no sense
    echo "::error title=envbounty::$1"
    finish 2 error
}

paths=()
if [[ -n $PATHS ]]; then
    while IFS= read -r path; do
        if [[ -n $path ]]; then paths+=("$path"); fi
    done <<<"$PATHS"
else
    [[ -n $BASE ]] || refuse "This event has no base commit: give the input base or paths."
    [[ $BASE =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || refuse "The input base must be a full commit SHA."
    [[ ! -L environments ]] || refuse "environments is a symbolic link; it must be a directory."
    # Without --no-renames a file moved from one environment to another would only show the second.
    git diff --no-ext-diff --no-renames --name-only -z "$BASE...HEAD" -- environments/ >"$out/changed" ||
        refuse "Cannot compare with the base commit: check out with fetch-depth 0."
    declare -A seen=()
    while IFS= read -r -d '' file; do
        name=${file#environments/}
        path=environments/${name%%/*}
        [[ -z ${seen[$path]:-} ]] || continue
        seen[$path]=yes
        # Names come from contributors: %q keeps a line break in one from starting a workflow command.
        if [[ -L $path ]]; then
            refuse "$(printf '%q is a symbolic link; an environment must be a directory.' "$path")"
        elif [[ -d $path ]]; then
            paths+=("$path")
        elif [[ $name == */* ]]; then
            printf 'Removed: %q\n' "$path"
        fi
    done <"$out/changed"
fi

if ((${#paths[@]} == 0)); then
    echo "No environment changed: nothing to verify" | tee -a "$GITHUB_STEP_SUMMARY"
    finish 0 none
fi
printf 'To verify: %q\n' "${paths[@]}"

options=(--json "$out/report.json" --sarif "$out/report.sarif" --jail "$JAIL")
if [[ -n $SEED ]]; then options+=(--seed "$SEED"); fi
if [[ -n $JOBS ]]; then options+=(--jobs "$JOBS"); fi
# The base branch's policy decides: the one that is checked out may be the contributor's own.
if [[ -n $POLICY ]]; then
    options+=(--policy "$POLICY")
elif [[ -z $BASE ]]; then
    options+=(--policy built-in)
else
    [[ $BASE =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]] || refuse "The input base must be a full commit SHA."
    git cat-file -e "$BASE^{commit}" 2>/dev/null ||
        refuse "Cannot read the base commit's policy: check out with fetch-depth 0, or give the input policy."
    if git cat-file -e "$BASE:policies/policy.yaml" 2>/dev/null; then
        git cat-file blob "$BASE:policies/policy.yaml" >"$out/policy.yaml"
        options+=(--policy "$out/policy.yaml")
    else
        options+=(--policy built-in)
    fi
fi

# The runner's variables hold tokens and the files with which a step commands the runner. None of it is passed on.
clean=(PATH="$PATH" HOME="$out/home" LANG=C.UTF-8 TMPDIR="$RUNNER_TEMP" GITHUB_STEP_SUMMARY="$GITHUB_STEP_SUMMARY")
if [[ -n ${DOCKER_HOST:-} ]]; then clean+=(DOCKER_HOST="$DOCKER_HOST"); fi

# The text report quotes contributors; until the token below, the runner obeys no command in what is printed.
# The console script rather than python -m: the latter would import from the workspace first.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
env -i "${clean[@]}" "${PYTHON%/*}/envbounty" verify "${options[@]}" -- "${paths[@]}" </dev/null || code=$?
echo
echo "::$token::"

# A verdict without a report is none: a Python that cannot even import envbounty exits with 1 as well.
if [[ $code =~ ^[013]$ && ! -s $out/report.json ]]; then
    echo "::error title=envbounty::The command ended with $code and wrote no report."
    code=4
fi

case $code in
    0) finish 0 pass ;;
    1) finish 1 fail ;;
    3) finish 3 incomplete ;;
    *) finish "$code" error ;;
esac
