"""The issuer: a token says which job it is, and only a job with `id-token: write` gets one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest

from localhub.hub import Hub
from localhub.oidc import CLAIMS, Issuer, claims_of
from localhub.runs import Job

CLIENT = httpx.Client(trust_env=False, timeout=30)
WORKFLOW = "on: workflow_dispatch\njobs: {a: {runs-on: ubuntu-24.04, steps: [{run: echo}]}}\n"


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub.start() as hub:
        yield hub


@pytest.fixture(scope="module")
def issuer(hub: Hub) -> Issuer:
    issuer = Issuer(hub.url + "/oidc")
    hub.mount("/oidc", issuer.app)
    return issuer


@pytest.fixture(scope="module")
def job(hub: Hub) -> Job:
    max = hub.user("max")
    repo = hub.create_repo("acme/bounties", {".github/workflows/verify.yml": WORKFLOW}, [max])
    max.call("POST", "/repos/acme/bounties/actions/workflows/verify.yml/dispatches", {"ref": "main"})
    return repo.runs[-1].start_job("report")


def ask(issuer: Issuer, bearer: str, audience: str = "https://bot.example") -> httpx.Response:
    return CLIENT.get(f"{issuer.request_url}&audience={audience}", headers={"Authorization": f"Bearer {bearer}"})


def read(issuer: Issuer, token: str, audience: str = "https://bot.example") -> dict[str, Any]:
    """By the way that a stranger takes: discovery, keys, signature."""
    found = CLIENT.get(issuer.url + "/.well-known/openid-configuration").json()
    keys = jwt.PyJWKSet.from_dict(CLIENT.get(found["jwks_uri"]).json())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    claims: dict[str, Any] = jwt.decode(
        token, key, algorithms=found["id_token_signing_alg_values_supported"], issuer=found["issuer"], audience=audience
    )
    return claims


def test_a_job_with_the_permission_gets_a_token_about_itself(issuer: Issuer, job: Job) -> None:
    bearer = issuer.admit(claims_of(job), mints=True)

    claims = read(issuer, ask(issuer, bearer).json()["value"])

    repo, run = job.run.repo, job.run
    assert claims["sub"] == f"repo:acme@{repo.owner.id}/bounties@{repo.id}:ref:refs/heads/main"
    assert claims["workflow_ref"] == "acme/bounties/.github/workflows/verify.yml@refs/heads/main"
    assert claims["job_workflow_ref"] == claims["workflow_ref"]
    assert claims["sha"] == claims["workflow_sha"] == run.head_sha
    expected = {"repository_id": repo.id, "repository_owner_id": repo.owner.id, "actor_id": run.actor.id}
    expected |= {"run_id": run.id, "run_attempt": 1, "check_run_id": job.id}
    assert {name: claims[name] for name in expected} == {name: str(value) for name, value in expected.items()}
    assert claims["event_name"] == "workflow_dispatch"
    assert claims["runner_environment"] == "github-hosted"
    # GitHub's claims are text but for the times, and all of them are there.
    assert set(CLAIMS) <= set(claims)
    assert {name for name, value in claims.items() if not isinstance(value, str)} == {"iat", "nbf", "exp"}
    assert claims["exp"] - claims["iat"] == 300


def test_a_called_workflow_is_named_beside_its_caller(issuer: Issuer, job: Job) -> None:
    called = "lab/tools/.github/workflows/verify.yml@" + "b" * 40

    claims = claims_of(job, called, "b" * 40)

    assert (claims["job_workflow_ref"], claims["job_workflow_sha"]) == (called, "b" * 40)
    assert claims["workflow_ref"].startswith("acme/bounties/")


def test_a_job_without_the_permission_gets_none(issuer: Issuer, job: Job) -> None:
    before = len(issuer.minted)

    answer = ask(issuer, issuer.admit(claims_of(job), mints=False))

    assert (answer.status_code, len(issuer.minted)) == (403, before)


def test_nobody_else_gets_one_and_no_job_after_its_end(issuer: Issuer, job: Job) -> None:
    bearer = issuer.admit(claims_of(job), mints=True)
    issuer.dismiss(bearer)

    assert ask(issuer, bearer).status_code == 401
    assert ask(issuer, "guess").status_code == 401
    assert CLIENT.get(issuer.request_url).status_code == 401


def test_two_tokens_are_never_the_same(issuer: Issuer, job: Job) -> None:
    bearer = issuer.admit(claims_of(job), mints=True)

    first, second = (read(issuer, ask(issuer, bearer).json()["value"]) for _ in range(2))

    assert first["jti"] != second["jti"]
    assert issuer.minted[-2:] == [first["jti"], second["jti"]]


def test_without_an_audience_it_is_for_github(issuer: Issuer, job: Job) -> None:
    token = ask(issuer, issuer.admit(claims_of(job), mints=True), "").json()["value"]

    assert read(issuer, token, "https://github.com/acme")["aud"] == "https://github.com/acme"


def test_after_a_new_key_old_tokens_still_hold(issuer: Issuer, job: Job) -> None:
    old = issuer.sign(claims_of(job), "https://bot.example")
    issuer.rotate()
    new = issuer.sign(claims_of(job), "https://bot.example")

    assert jwt.get_unverified_header(old)["kid"] != jwt.get_unverified_header(new)["kid"]
    assert read(issuer, old)["sub"] == read(issuer, new)["sub"]


def test_a_test_may_change_any_claim(issuer: Issuer, job: Job) -> None:
    token = issuer.sign(claims_of(job), "https://bot.example", run_id="1", jti=None, exp=int(time.time()) + 9)

    claims = read(issuer, token)

    assert claims["run_id"] == "1" and "jti" not in claims


def test_many_jobs_at_once(issuer: Issuer, job: Job) -> None:
    bearers = [issuer.admit({**claims_of(job), "check_run_id": str(number)}, mints=True) for number in range(20)]
    seen: dict[str, str] = {}

    def one(number: int) -> None:
        seen[str(number)] = read(issuer, ask(issuer, bearers[number]).json()["value"])["check_run_id"]

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert seen == {str(number): str(number) for number in range(20)}
