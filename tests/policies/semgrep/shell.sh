#!/bin/bash
# Cases of policies/semgrep/shell.yaml.
# ruleid: smell-shell-reward-first
echo 1 > /logs/verifier/reward.txt
# ok: smell-shell-reward-first
echo 0 > /logs/verifier/reward.txt
# ruleid: smell-shell-pipe-status
pytest tests | tee /logs/out.txt
# ok: smell-shell-pipe-status
pytest tests > /logs/out.txt
# ok: smell-shell-reward-first
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
fi
# ok: smell-shell-reward-first
pytest tests && echo 1 > /logs/verifier/reward.txt
set -o pipefail
# ok: smell-shell-pipe-status
pytest tests | tee /logs/out.txt
