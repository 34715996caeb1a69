"""Actions: runs workflow files of the hub's repositories with `act`, each job in a folder and environment of its own.

    issuer = Issuer(hub.url + "/oidc")
    hub.mount("/oidc", issuer.app)
    hub.runner = ActRunner(hub, issuer, mirrors={"envbounty/envbounty": Mirror(ROOT)}, machine={"ENVBOUNTY_PYTHON": …})

Not emulated: concurrency groups, caches, environments, services, matrices.
"""

from localhub.actions.runner import ActRunner, Mirror

__all__ = ["ActRunner", "Mirror"]
