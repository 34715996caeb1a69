"""Pages for people, and the App manifest's way through them."""

import html
import json
from urllib.parse import parse_qs, urlsplit

import httpx

EVIL = '<script>alert(1)</script> [x](javascript:alert(2)) ![p](http://evil.example/p.png) "onload="x'


def get(world, path: str) -> httpx.Response:
    return httpx.get(world.hub.url + path, follow_redirects=True, trust_env=False)


def test_the_whole_story_can_be_looked_at(world):
    world.ann.open_issue(world.repo, "Bounty: two-sum", "Wanted.")
    pull = world.ann.open_pull(world.repo, {"env/a.txt": "one\n"}, title="An environment")
    world.max.comment_line(pull, "env/a.txt", 1, "why one?")
    world.max.approve(pull)
    output = {
        "title": "Verify failed",
        "summary": "**one** finding",
        "annotations": [
            {
                "path": "env/a.txt",
                "start_line": 1,
                "end_line": 1,
                "annotation_level": "failure",
                "message": "always true",
            }
        ],
    }
    body = {"name": "verify", "head_sha": pull.head, "conclusion": "failure", "output": output}
    check = world.bot("POST", "/repos/acme/bounties/check-runs", body).json()
    world.bot(
        "POST",
        "/repos/acme/bounties/actions/workflows/verify.yml/dispatches",
        {"ref": "main", "inputs": {"job_id": "j" * 32, "pr": "2"}},
    )
    run = world.repo.runs[0]
    run.end_job(run.start_job("sandbox"), "success", log="all good")
    run.add_artifact("report", b"zip")
    sees = {
        "/": "acme/bounties",
        "/acme/bounties": "git clone",
        "/acme/bounties/issues": "Bounty: two-sum",
        "/acme/bounties/issues/1": "Wanted.",
        "/acme/bounties/issues/2": "wants to merge",
        "/acme/bounties/pulls": "An environment",
        "/acme/bounties/pull/2": "why one?",
        "/acme/bounties/pull/2/files": "+one",
        "/acme/bounties/pull/2/checks": "always true",
        "/acme/bounties/pull/2.diff": "+one",
        f"/acme/bounties/runs/{check['id']}": "<strong>one</strong> finding",
        "/acme/bounties/actions": f"job={'j' * 32}",
        f"/acme/bounties/actions/runs/{run.id}": "all good",
        "/acme/bounties/commits/main": "First commit",
        f"/acme/bounties/commit/{pull.head}": "+one",
        "/acme/bounties/blob/main/README.md": "# Bounties",
        "/acme/bounties/raw/main/README.md": "# Bounties",
        "/apps/envbounty": "pull requests",
    }
    for path, text in sees.items():
        page = get(world, path)
        assert page.status_code == 200 and text in page.text, path
    assert "approved" in get(world, "/acme/bounties/pull/2").text
    world.max.merge(pull)
    assert "merged" in get(world, "/acme/bounties/pull/2").text
    for path in (
        "/acme/none",
        "/acme/bounties/issues/99",
        "/acme/bounties/pull/1",
        "/acme/bounties/commit/x",
        "/acme/bounties/runs/1",
        "/acme/bounties/actions/runs/1",
        "/acme/bounties/blob/main/none",
        "/apps/none",
        "/-/artifacts/none",
    ):
        assert get(world, path).status_code == 404, path


def test_what_strangers_write_stays_text(world):
    pull = world.eve.open_pull(world.repo, {f"{'<b>'}.txt": f"{EVIL}\n"}, title=EVIL, body=EVIL)
    world.eve.comment(pull, EVIL)
    world.eve.comment_line(pull, "<b>.txt", 1, EVIL)
    for path in ("/acme/bounties/pull/1", "/acme/bounties/pull/1/files", "/acme/bounties/pulls"):
        page = get(world, path)
        assert "<script" not in page.text and "<img" not in page.text and 'href="javascript' not in page.text
        assert html.escape("<script>") in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
    raw = get(world, "/eve/bounties/raw/topic/%3Cb%3E.txt")
    assert raw.headers["content-type"].startswith("text/plain") and raw.headers["x-content-type-options"] == "nosniff"


def test_a_private_repository_has_no_pages(world):
    world.hub.create_repo("acme/private", private=True)
    assert get(world, "/acme/private").status_code == 404 and "private" not in get(world, "/").text


def test_an_app_is_made_from_a_manifest(world):
    manifest = {
        "name": "From a manifest",
        "url": "http://example.org",
        "redirect_url": "http://127.0.0.1:9/made?x=1",
        "hook_attributes": {"url": world.receiver.url},
        "default_permissions": {"checks": "write"},
        "default_events": ["push"],
    }
    form = {"manifest": json.dumps(manifest)}
    page = httpx.post(f"{world.hub.url}/settings/apps/new?state=secret", data=form, trust_env=False)
    assert page.status_code == 200 and "From a manifest" in page.text and "checks" in page.text
    sent = httpx.post(f"{world.hub.url}/settings/apps/confirm", data={**form, "state": "secret"}, trust_env=False)
    assert sent.status_code == 302
    back = parse_qs(urlsplit(sent.headers["location"]).query)
    assert back["state"] == ["secret"] and back["x"] == ["1"]
    path = f"/app-manifests/{back['code'][0]}/conversions"
    made = world.bot.client.post(path).json()
    assert (
        made["pem"].startswith("-----BEGIN RSA PRIVATE KEY-----")
        and made["webhook_secret"]
        and made["slug"] == "from-a-manifest"
    )
    assert world.bot.client.post(path).status_code == 404  # a code works once
    app = world.hub.apps[str(made["id"])]
    installing = httpx.post(
        f"{world.hub.url}/apps/from-a-manifest/installations/new", data={"repo": "acme/bounties"}, trust_env=False
    )
    assert installing.status_code == 200 and "installed on acme/bounties" in installing.text
    installed = world.hub.installation_for(app, world.repo)
    bot = type(world.bot)(world.hub, app, installed)
    assert bot.mint().json()["permissions"] == {"metadata": "read", "checks": "write"}
