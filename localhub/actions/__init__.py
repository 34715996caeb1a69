"""Actions: runs workflow files of the hub's repositories with `act`, each job in a folder and environment of its own.

    issuer = Issuer(hub.url + "/oidc")
    hub.mount("/oidc", issuer.app)
    tools = Mirror(ROOT, ("actions", ".github/workflows", "docs/report.schema.json"))
    hub.runner = ActRunner(hub, issuer, mirrors={"envbounty/envbounty": tools}, machine={"ENVBOUNTY_PYTHON": …})

Not emulated: concurrency groups, caches, environments, services, matrices.
"""

from localhub.actions.places import Mirror
from localhub.actions.runner import ActRunner

__all__ = ["ActRunner", "Mirror"]
