"""The hub: everything it remembers, its server, its webhooks, and the handles by which a test or a demo drives it.

    with Hub.start() as hub:
        ann, max = hub.user("ann"), hub.user("max")
        repo = hub.create_repo("acme/bounties", files={"README.md": "hello"}, maintainers=[max])
        app = hub.create_app("My bot", "http://127.0.0.1:9000/webhook", {"pull_requests": "write"}, ["pull_request"])
        hub.install_app(app, repo)
        pull = ann.open_pull(repo, {"new.txt": "text"}, title="A file")
        max.approve(pull)
        hub.drain()                        # every webhook has been sent

REST is at `hub.api` (PyGithub's `base_url`), GraphQL at `hub.graphql`, git and pages under `hub.url`.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from localhub import changes, people, shapes
from localhub.faults import Faults
from localhub.git import ZERO
from localhub.limits import Limits
from localhub.model import App, Installation, Pull, Repo, User, node_id
from localhub.running import Running
from localhub.runs import Artifact
from localhub.server import Server
from localhub.webhooks import Delivery, Sender

if TYPE_CHECKING:
    from localhub.conformance import Checker

#: The older words for two of the roles.
_OLDER: dict[str | None, str] = {"maintain": "write", "triage": "read"}
#: Sent to every App, whatever it subscribed to.
ALWAYS = ("installation", "installation_repositories", "ping", "github_app_authorization")


class Hub(Running):
    """A GitHub on this machine. Make one with `Hub.start()`."""

    def __init__(self, folder: Path | None = None, faults: Faults | None = None) -> None:
        super().__init__(folder, faults or Faults())
        self.sender = Sender(self.faults, self.now, self.next_id)
        self.limits = Limits()
        self.people: dict[int, people.Person] = {}
        self.calls: list[str] = []  # `METHOD /path` of every API call, in order
        self.downloads: dict[str, tuple[Artifact, datetime]] = {}  # ticket → what it opens, until when
        self.trouble: list[str] = []  # calls that broke the hub itself; a test may hold this to be empty
        self.checker: Checker | None = None  # looks at every exchange; see `localhub.conformance`
        self.stopping = threading.Event()
        self.server = Server(self)

    @classmethod
    def start(cls, port: int = 0, folder: Path | None = None, faults: Faults | None = None) -> Hub:
        """A running hub on 127.0.0.1. `port` 0 takes a free one; repositories are in `folder` or a temporary one."""
        hub = cls(folder, faults)
        hub.server.start(port)
        return hub

    def stop(self) -> None:
        """Stop serving and forget everything."""
        self.stopping.set()
        for repo in self.repos.values():
            for run in repo.runs:
                run.cancelled.set()
        self.server.stop()
        self.sender.stop()
        for person in self.people.values():
            person.close()
        for thread in self._threads:
            thread.join(5)
        self.remove_folder()

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def api(self) -> str:
        return self.url + "/api/v3"

    @property
    def graphql(self) -> str:
        return self.url + "/api/graphql"

    def link(self, path: str, query: Mapping[str, str]) -> str:
        """An address of the API."""
        return f"{self.api}{quote(path)}?{urlencode(query)}"

    def mount(self, prefix: str, asgi: Any) -> None:
        """Serve another ASGI application below `hub.url + prefix`, such as an OIDC issuer."""
        self.server.mount(prefix, asgi)

    # People, repositories, Apps

    def user(self, login: str) -> people.Person:
        """The person of that name, made on first use."""
        with self.lock:
            user = self.users.get(login.lower()) or self.add_user(login)
            if user.id not in self.people:
                self.people[user.id] = people.Person(self, user, self.add_token(user).value)
            return self.people[user.id]

    def organization(self, login: str, owners: Iterable[people.Person] = ()) -> User:
        """The organisation of that name, made on first use."""
        with self.lock:
            made = self.users.get(login.lower()) or self.add_user(login, "Organization")
            made.members |= {person.user.id: "admin" for person in owners}
            return made

    def create_repo(
        self,
        full_name: str,
        files: Mapping[str, str | bytes] | None = None,
        maintainers: Iterable[people.Person] = (),
        collaborators: Mapping[str, str] | None = None,
        private: bool = False,
        organization: bool = True,
    ) -> Repo:
        """A repository with one commit of `files` on `main`. `maintainers` get the role maintain, `collaborators` maps
        logins to roles. The owner is an organisation unless a person has that name or `organization` is False."""
        owner_name, name = full_name.split("/")
        with self.lock:
            known = self.users.get(owner_name.lower())
            owner = known or (self.organization(owner_name) if organization else self.user(owner_name).user)
            repo = self.add_repo(owner, name, private=private)
            roles = {person.user.id: "maintain" for person in maintainers}
            roles |= {self.user(login).user.id: role for login, role in (collaborators or {}).items()}
            repo.collaborators.update(roles)
            first = repo.git.write(
                [], files or {"README.md": f"# {name}\n"}, "First commit", owner.login, owner.email, self.now()
            )
            repo.git.set_ref("refs/heads/main", first)
            changes.pushed(self, repo, "refs/heads/main", ZERO, first, owner)
            return repo

    def set_role(self, repo: Repo, user: User, role: str, by: User) -> None:
        """Give somebody a role at once, without an invitation; `none` takes it away."""
        with self.lock:
            before = repo.collaborators.get(user.id)
            if role == "none":
                repo.collaborators.pop(user.id, None)
            else:
                repo.collaborators[user.id] = role
            if before == repo.collaborators.get(user.id):
                return
            action = "removed" if role == "none" else "edited" if before else "added"
            old, new = (_OLDER.get(word, word) for word in (before, role))
            changes_made: dict[str, dict[str, Any]] = {
                "added": {"permission": {"to": new}, "role_name": {"to": role}},
                "edited": {"permission": {"from": old, "to": new}},
                "removed": {},
            }
            more = {"changes": changes_made[action]} if action != "removed" else {}
            self.emit(repo, "member", action, by, {"member": shapes.user(self, user), **more})

    def create_app(
        self,
        name: str,
        webhook_url: str,
        permissions: Mapping[str, str],
        events: Iterable[str],
        owner: people.Person | None = None,
        webhook_secret: str = "",
    ) -> App:
        """A GitHub App. `app.private_key` is its PEM, `app.webhook_secret` its secret."""
        with self.lock:
            who = owner.user if owner else self.user("operator").user
            return self.add_app(name, who, permissions, tuple(events), webhook_url, webhook_secret)

    def install_app(self, app: App, *repos: Repo, permissions: Mapping[str, str] | None = None) -> Installation:
        """Install on repositories of one account; `permissions` other than the App asks for are what was accepted."""
        with self.lock:
            made = Installation(
                self.next_id(),
                app,
                repos[0].owner,
                dict(permissions or app.permissions),
                {repo.id for repo in repos},
                self.now(),
            )
            self.installations[made.id] = made
            self._tell_installation(made, "created")
            return made

    def change_installation(
        self,
        installation: Installation,
        permissions: Mapping[str, str] | None = None,
        add: Iterable[Repo] = (),
        remove: Iterable[Repo] = (),
        suspended: bool | None = None,
    ) -> None:
        """What its account does to an installation: accept other permissions, add or remove repositories, suspend."""
        with self.lock:
            if permissions is not None:
                installation.permissions = dict(permissions)
                self._tell_installation(installation, "new_permissions_accepted")
            for action, repos in (("added", list(add)), ("removed", list(remove))):
                if repos:
                    numbers = {repo.id for repo in repos}
                    kept = installation.repo_ids
                    installation.repo_ids = kept | numbers if action == "added" else kept - numbers
                    lists: dict[str, Any] = {"repositories_added": [], "repositories_removed": []}
                    lists[f"repositories_{action}"] = [_minimal(repo) for repo in repos]
                    lists |= {"repository_selection": "selected", "requester": None}
                    self._tell_installation(installation, action, "installation_repositories", lists)
            if suspended is not None:
                installation.suspended_at = self.now() if suspended else None
                self._tell_installation(installation, "suspend" if suspended else "unsuspend")

    def uninstall(self, installation: Installation) -> None:
        """Take the App off the account; its tokens are void at once."""
        with self.lock:
            del self.installations[installation.id]
            for value in [token.value for token in self.tokens.values() if token.installation is installation]:
                del self.tokens[value]
            self._tell_installation(installation, "deleted")

    def ping(self, app: App) -> None:
        """The event that GitHub sends when a webhook is set up."""
        with self.lock:
            config = {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url, "secret": "********"}
            hook = {
                "type": "App",
                "id": app.hook_id,
                "name": "web",
                "active": True,
                "events": list(app.events),
                "config": config,
                "updated_at": shapes.stamp(app.created_at),
                "created_at": shapes.stamp(app.created_at),
                "app_id": app.id,
                "deliveries_url": f"{self.api}/app/hook/deliveries",
            }
            self.send(app, "ping", None, {"zen": "Keep it logically awesome.", "hook_id": app.hook_id, "hook": hook})

    def _tell_installation(
        self,
        installation: Installation,
        action: str,
        event: str = "installation",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        shown: dict[str, Any] = {
            "installation": shapes.installation(self, installation),
            "sender": shapes.user(self, installation.account),
        }
        if event == "installation":
            shown |= {"repositories": [_minimal(repo) for repo in self.covered(installation)], "requester": None}
        self.send(installation.app, event, action, shown | dict(more or {}), installation)

    def convert_manifest(self, manifest: Mapping[str, Any], owner: User) -> str:
        """Keep an App made from a manifest; the one-time code stands for it until it is converted."""
        hook = manifest.get("hook_attributes") or {}
        app = self.add_app(
            str(manifest.get("name") or f"app-{self.next_id()}"),
            owner,
            manifest.get("default_permissions") or {},
            tuple(manifest.get("default_events") or ()),
            str(hook.get("url") or ""),
        )
        code = secrets.token_hex(20)
        self.manifests[code] = app
        return code

    # Webhooks

    def emit(
        self,
        repo: Repo,
        event: str,
        action: str | None,
        sender: User,
        payload: Mapping[str, Any],
        only: App | None = None,
    ) -> None:
        """Tell every App that is installed on `repo` and listens to `event`; `only` narrows it to one."""
        guid = _guid()
        for one in list(self.installations.values()):
            if only not in (None, one.app) or not one.covers(repo) or one.suspended_at:
                continue
            if event in one.app.events or event in ALWAYS:
                body = {**payload, "repository": shapes.repo(self, repo), "sender": shapes.user(self, sender)}
                if repo.owner.type == "Organization":
                    body["organization"] = self._organization(repo.owner)
                self.send(one.app, event, action, body, one, repo, guid)

    def emit_pull(self, pull: Pull, event: str, action: str, sender: User, **more: Any) -> None:
        """Tell about a pull request, whose full form is in `pull_request` events and the short one in the others."""
        if event == "pull_request":
            shown = shapes.pull(self, pull, totals=self.totals(pull), state=(pull.mergeable, "unknown"))
        else:
            shown = shapes.pull(self, pull)
        self.emit(pull.repo, event, action, sender, {"pull_request": shown, **more})

    def send(
        self,
        app: App,
        event: str,
        action: str | None,
        payload: Mapping[str, Any],
        installation: Installation | None = None,
        repo: Repo | None = None,
        guid: str = "",
    ) -> None:
        """Send one event to one App."""
        if not app.webhook_url:
            return
        body: dict[str, Any] = {"action": action} if action else {}
        body |= payload
        if installation and "installation" not in body:
            body["installation"] = {
                "id": installation.id,
                "node_id": f"MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u{installation.id}",
            }
        delivery = Delivery(
            self.next_id(),
            guid or _guid(),
            app,
            event,
            action,
            installation.id if installation else None,
            repo.id if repo else None,
            json.dumps(body, separators=(",", ":")).encode(),
            self.now(),
        )
        if self.checker is not None:
            self.checker.webhook(delivery)
        self.sender.put(delivery)

    def drain(self, timeout: float = 30.0) -> None:
        """Return when every webhook was sent and answered. Raises TimeoutError."""
        self.sender.drain(timeout)

    def _organization(self, owner: User) -> dict[str, Any]:
        user, base = shapes.user(self, owner), f"{self.api}/orgs/{owner.login}"
        keys = {key: user[key] for key in ("login", "id", "node_id", "avatar_url")}
        urls = {f"{name}_url": f"{base}/{name}" for name in ("repos", "events", "hooks", "issues")}
        members = {"members_url": base + "/members{/member}", "public_members_url": base + "/public_members{/member}"}
        return {**keys, "url": base, **urls, **members, "description": None}

    def totals(self, pull: Pull) -> dict[str, int]:
        """What only the full form of a pull request counts."""
        changed = changes.files(pull)
        ahead, _ = pull.repo.git.ahead_behind(pull.base_sha, pull.head)
        return {
            "commits": ahead,
            "additions": sum(one.additions for one in changed),
            "deletions": sum(one.deletions for one in changed),
            "changed_files": len(changed),
        }


def _guid() -> str:
    digits = secrets.token_hex(16)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _minimal(repo: Repo) -> dict[str, Any]:
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }
