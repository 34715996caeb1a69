#!/bin/sh
# Makes the index of HumanEval again, from its own file: ids and hashes, none of its text.
#   scripts/humaneval-index.sh HumanEval.jsonl.gz
set -eu
[ $# -eq 1 ] || { echo "usage: $0 HumanEval.jsonl.gz" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
"${ENVBOUNTY:-envbounty}" provenance index "$1" --name HumanEval --licence MIT --source openai/human-eval \
    --out "$here/envbounty/provenance/data/humaneval.json"
