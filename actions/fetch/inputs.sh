#!/bin/bash
# Refuses inputs that are not what they must be. Only then is one of them used for anything.
set -euo pipefail

must() { # NAME VALUE PATTERN
    if [[ ! $2 =~ ^$3$ ]]; then
        echo "::error title=envbounty::The input $1 is not what it must be."
        exit 2
    fi
}
must job_id "$JOB_ID" '[0-9a-f]{32}'
must pr "$PR" '[1-9][0-9]{0,9}'
must head_sha "$HEAD_SHA" '[0-9a-f]{40}'
must base_sha "$BASE_SHA" '[0-9a-f]{40}'
