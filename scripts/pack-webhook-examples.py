#!/usr/bin/env python3
"""Pack the example webhooks of the npm package @octokit/webhooks-examples (MIT) for tests/bot.

    npm pack @octokit/webhooks-examples && tar xzf octokit-webhooks-examples-*.tgz
    scripts/pack-webhook-examples.py package/api.github.com/index.json

Writes tests/bot/webhook_examples.json.gz: a list of {"event": name, "payload": {...}}, the same bytes every time.
"""

import gzip
import json
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "tests" / "bot" / "webhook_examples.json.gz"


def main(source: str) -> None:
    events = json.loads(Path(source).read_text(encoding="utf-8"))
    flat = [{"event": event["name"], "payload": payload} for event in events for payload in event["examples"]]
    text = json.dumps(flat, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(flat)} payloads of {len(events)} events, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
