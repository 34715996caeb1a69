"""What is counted, in Prometheus' text form at /metrics. Labels are ours, never a contributor's text."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, generate_latest

DELIVERIES = Counter("envbounty_deliveries", "Webhooks by what became of them", ["outcome"])
UNKNOWN_EVENTS = Counter("envbounty_unknown_events", "Webhooks of an event that is not handled")
ACKNOWLEDGED = Histogram(
    "envbounty_acknowledge_seconds", "From a webhook's last byte to its answer",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5, 10),
)  # fmt: skip
REPORTS = Counter("envbounty_reports", "Reports posted, by answer", ["answer"])
PASSES = Counter("envbounty_passes", "Looks at a pull request, by how they ended", ["outcome"])
PASS_SECONDS = Histogram("envbounty_pass_seconds", "How long a look at a pull request took")
REQUESTS = Counter("envbounty_github_requests", "Requests to GitHub", ["verb"])
REQUESTS_FREE = Counter("envbounty_github_not_modified", "Requests answered 304, which GitHub does not count")
LIMITED = Counter("envbounty_github_limited", "Answers that were a rate limit")
DISPATCHES = Counter("envbounty_dispatches", "Jobs dispatched", ["tier"])
JOBS_ENDED = Counter("envbounty_jobs_ended", "Jobs by their final state", ["tier", "state"])
MERGES = Counter("envbounty_merges", "Merges asked for, by outcome", ["outcome"])
REDELIVERIES = Counter("envbounty_redeliveries", "Deliveries that GitHub was asked to send again")
QUEUE = Gauge("envbounty_queue", "Pull requests that wait to be looked at")
QUEUE_AGE = Gauge("envbounty_queue_age_seconds", "How long the longest of them is overdue")
JOBS_RUNNING = Gauge("envbounty_jobs_running", "Jobs that may still report")
SWEPT = Gauge("envbounty_swept_timestamp", "When the last sweep ended, in seconds since 1970")


def render() -> bytes:
    return generate_latest(REGISTRY)
