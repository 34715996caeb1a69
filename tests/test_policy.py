"""A policy says what blocks. It is refused when it is not sound, and never makes the unknown pass or hides a proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from envbounty.environment import ContractError
from envbounty.findings import (
    Environment,
    Evidence,
    Finding,
    Halted,
    Jail,
    Overridden,
    Report,
    Result,
    Severity,
    Verdict,
    settle,
)
from envbounty.policy import (
    BUILT_IN,
    LINES,
    SEVERITY,
    Level,
    Override,
    Policy,
    apply,
    own_severity,
    policy_schema,
    read_policy,
    thresholds_of,
)
from envbounty.policy_file import NO_FILE, choose, find_policy, load_policy
from envbounty.provenance.licences import PERMISSIVE
from envbounty.provenance.prints import COPIED
from envbounty.scaffold import init_repository
from envbounty.verify.rules import RULES

REPOSITORY = Path(__file__).parents[1]
RULE_SEVERITY = {rule.id: rule.severity for rule in RULES.values()}
ERROR_RULE, WARNING_RULE = "accepts-nothing", "few-solutions"
REASON = "we look at these by hand until March"


def read(text: str) -> Policy:
    return read_policy(text, "policy.yaml", RULE_SEVERITY)


def problems(text: str) -> list[str]:
    with pytest.raises(ContractError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


# --- reading ---------------------------------------------------------------------------------------------------------


def test_the_shipped_policy_says_what_is_built_in(tmp_path: Path) -> None:
    shipped = REPOSITORY / "policies" / "policy.yaml"
    assert load_policy(shipped) == BUILT_IN
    assert load_policy(shipped).digest == BUILT_IN.digest
    init_repository(tmp_path)
    assert (tmp_path / "policies" / "policy.yaml").read_bytes() == shipped.read_bytes()
    spelled = yaml.safe_load(shipped.read_text())
    assert spelled == BUILT_IN.model_dump(mode="json", by_alias=True), "every key is shown with its value"


def test_a_policy_of_one_line_is_the_built_in_one() -> None:
    assert read("schema: 1\n") == BUILT_IN


def test_the_published_schema_is_the_models_and_takes_the_shipped_file() -> None:
    published = json.loads((REPOSITORY / "docs" / "policy.schema.json").read_text())
    assert published == policy_schema(), "run `make schema`"
    Draft202012Validator.check_schema(published)
    check = Draft202012Validator(published)
    check.validate(yaml.safe_load((REPOSITORY / "policies" / "policy.yaml").read_text()))
    assert not check.is_valid({"schema": 1, "treshold": {}})


@pytest.mark.parametrize("level", list(Level))
def test_every_level_can_be_written_plainly(level: Level) -> None:
    """YAML reads a bare `off` as false, which is not what its writer means."""
    text = f"schema: 1\nrules:\n  {WARNING_RULE}: {{level: {level}}}\n"
    assert read(text).rules[WARNING_RULE].level is level


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("schema: 1\ntresholds: {}\n", 2, "Write `thresholds`."),
        ("schema: 1\nthresholds:\n  instnces: 30\n", 3, "Write `instances`."),
        ("schema: 1\nprovenance:\n  copied:\n    taks: 0.5\n", 4, "Write `task`."),
        ("schema: 1\nprovenance:\n  copied:\n    task: 0.4\n", 4, "greater than or equal to 0.5"),
        ("schema: 1\nprovenance:\n  licences: [MIT, Apache 2]\n", 3, "an SPDX licence id"),
        (f"schema: 1\nrules:\n  {WARNING_RULE}:\n    level: warn\n    resaon: {REASON}\n", 5, "Write `reason`."),
        ("schema: 1\nrules:\n  accepts-nothng: {level: block}\n", 3, "Write `accepts-nothing`."),
        ("schema: 1\nrules:\n  qqqq: {level: block}\n", 3, "`envbounty explain`"),
        (f"schema: 1\nrules:\n  {WARNING_RULE}: {{level: true}}\n", 3, "expected 'block', 'warn', 'note' or 'off'"),
        (f"schema: 1\nrules:\n  {WARNING_RULE}: warn\n", 3, "expected a mapping"),
        (f"schema: 1\nrules:\n  {WARNING_RULE}: {{}}\n", 3, "is missing"),
        (f"schema: 1\nrules:\n  {ERROR_RULE}: {{level: warn}}\n", 3, "does not say why"),
        (f"schema: 1\nrules:\n  {ERROR_RULE}: {{level: off}}\n", 3, "does not say why"),
        (f"schema: 1\nrules:\n  {ERROR_RULE}: {{level: off, reason: '          '}}\n", 3, "at least 10"),
        ("schema: 1\nthresholds:\n  confirmations: 1\n", 3, "greater than or equal to 2"),
        ("schema: 1\nthresholds:\n  instances: 5\n", 3, "greater than or equal to 20"),
        ("schema: 1\nbudgets:\n  dollars_per_environment: .nan\n", 3, "is nan"),
        ("schema: 1\ntiers: {required: [attack]}\n", 2, "must name verify"),
        ("schema: 1\ndependencies: {modules: [numpy.linalg]}\n", 2, "a top-level Python module"),
        ("schema: 2\n", 1, "expected 1"),
        ("{}\n", 1, "is missing"),
        ("schema: 1\nschema: 1\n", 2, "stands twice"),
        ("schema: 1\nrules: &all {}\n", 2, "anchor"),
        ("- 1\n", 1, "expected a mapping"),
    ],
)
def test_what_is_not_sound_is_refused_with_its_line_and_what_to_write(text: str, line: int, says: str) -> None:
    (problem,) = problems(text)
    assert problem.startswith(f"policy.yaml:{line}"), problem
    assert says in problem


def test_all_problems_are_told_at_once() -> None:
    text = f"schema: 1\nrules:\n  {ERROR_RULE}: {{level: note}}\n  nothing-of-ours: {{level: block}}\n"
    assert [problem.split(" ")[0] for problem in problems(text)] == ["policy.yaml:3", "policy.yaml:4"]


def test_a_rule_that_blocks_may_be_weakened_with_a_reason_and_is_listed() -> None:
    policy = read(
        f"schema: 1\nrules:\n  {ERROR_RULE}: {{level: warn, reason: {REASON}}}\n  {WARNING_RULE}: {{level: off}}\n"
    )
    assert list(policy.weakened(RULE_SEVERITY)) == [ERROR_RULE]


def test_every_threshold_names_rules_that_exist_and_is_found_by_them() -> None:
    for group, model in LINES.items():
        for name, field in model.model_fields.items():
            extra = field.json_schema_extra
            assert isinstance(extra, dict)
            rules: Any = extra["rules"]
            assert set(rules) <= set(RULES)
            assert all(f"{group}.{name}" in thresholds_of(rule) for rule in rules)
    assert thresholds_of(WARNING_RULE) == ["thresholds.good_solutions", "thresholds.bad_solutions"]
    assert thresholds_of(ERROR_RULE) == []


def test_what_is_built_in_is_what_the_provenance_checks_do_without_a_policy() -> None:
    assert set(BUILT_IN.provenance.licences) == PERMISSIVE
    assert BUILT_IN.provenance.copied.model_dump() == COPIED


# --- its version -----------------------------------------------------------------------------------------------------


def test_the_version_is_of_what_is_said_not_of_how_it_is_said() -> None:
    one = read("schema: 1\ndependencies: {modules: [numpy, scipy]}\nthresholds: {instances: 30}\n")
    two = read(
        "# a comment\nthresholds:\n  instances: 30\ndependencies:\n  modules: [scipy, numpy, scipy]\nschema: 1\n"
    )
    assert one.digest == two.digest
    assert len(one.digest) == 64
    others = [
        "schema: 1\n",
        "schema: 1\nthresholds: {instances: 31}\n",
        f"schema: 1\nrules: {{{WARNING_RULE}: {{level: block}}}}\n",
        f"schema: 1\nrules: {{{ERROR_RULE}: {{level: warn, reason: {REASON}}}}}\n",
        f"schema: 1\nrules: {{{ERROR_RULE}: {{level: warn, reason: {REASON} or later}}}}\n",
    ]
    assert len({one.digest, *(read(text).digest for text in others)}) == 6


# --- weighing --------------------------------------------------------------------------------------------------------


def finding(rule: str, severity: Severity, overridden: Overridden | None = None) -> Finding:
    return Finding(
        rule=rule, severity=severity, overridden=overridden, message="m", path="env.yaml", evidence=Evidence(), fix="f"
    )


def result(*findings: Finding, halted: Halted | None = None, contract: bool = True) -> Result:
    trouble = halted.reason if halted and halted.verdict is Verdict.ERROR else ""
    unfinished = halted.reason if halted and halted.verdict is Verdict.INCOMPLETE else ""
    verdict, reason = settle(findings, trouble=trouble, unfinished=unfinished)
    return Result(
        environment=Environment(name="n", path="environments/n", kind="function", dialect="native"),
        verdict=verdict,
        reason=reason,
        findings=findings,
        halted=halted,
        contract=contract,
    )


def policy_of(**levels: Level) -> Policy:
    rules = {name.replace("_", "-"): Override(level=level, reason=REASON) for name, level in levels.items()}
    return Policy(schema=1, rules=rules)


PROVED = finding(ERROR_RULE, Severity.ERROR)
WARNED = finding(WARNING_RULE, Severity.WARNING)
CUT = Halted(verdict=Verdict.INCOMPLETE, reason="time ran out")


def test_the_built_in_policy_changes_nothing_but_its_name_in_the_result() -> None:
    for made in (result(), result(PROVED, WARNED), result(WARNED, halted=CUT)):
        assert apply(BUILT_IN, made) == made.model_copy(update={"policy": BUILT_IN.digest})


def test_a_proof_that_a_policy_weakens_stays_visible_with_the_reason() -> None:
    for level in (Level.WARN, Level.NOTE, Level.OFF):
        weighed = apply(policy_of(accepts_nothing=level), result(PROVED))
        (kept,) = weighed.findings
        assert kept.severity is SEVERITY[level]
        assert kept.overridden == Overridden(severity=Severity.ERROR, reason=REASON)
        assert weighed.verdict is Verdict.PASS
        assert weighed.reason == "1 proved, which the policy does not let block: accepts-nothing"


def test_a_warning_can_be_made_to_block_or_be_switched_off() -> None:
    blocked = apply(policy_of(few_solutions=Level.BLOCK), result(WARNED))
    assert (blocked.verdict, blocked.reason) == (Verdict.FAIL, "1 blocked by the policy: few-solutions")
    both = apply(policy_of(few_solutions=Level.BLOCK), result(WARNED, PROVED))
    assert both.reason == "1 proved: accepts-nothing; 1 blocked by the policy: few-solutions"
    off = apply(policy_of(few_solutions=Level.OFF), result(WARNED))
    assert (off.verdict, off.findings) == (Verdict.PASS, ())


def test_what_was_cut_short_by_a_fault_that_is_let_through_is_not_a_pass() -> None:
    """The proof stood alone: the rest of the examination is missing, and nobody may call that sound."""
    made = result(PROVED, halted=CUT)
    assert made.verdict is Verdict.FAIL
    weighed = apply(policy_of(accepts_nothing=Level.WARN), made)
    assert (weighed.verdict, weighed.reason) == (Verdict.INCOMPLETE, "time ran out")


def test_files_that_break_the_contract_never_pass() -> None:
    broken = finding("contract-broken", Severity.ERROR)
    weighed = apply(policy_of(contract_broken=Level.OFF), result(broken, contract=False))
    assert weighed.verdict is Verdict.INCOMPLETE


severities = st.sampled_from(Severity)
rules = st.sampled_from([ERROR_RULE, WARNING_RULE, "contract-broken", "score-unstable", "trivial-strategy-pays"])
findings = st.builds(finding, rules, severities)
halts = st.none() | st.builds(Halted, verdict=st.sampled_from([Verdict.ERROR, Verdict.INCOMPLETE]), reason=st.just("r"))
results = st.builds(
    lambda found, halted, contract: result(*found, halted=halted, contract=contract),
    st.lists(findings, max_size=6),
    halts,
    st.booleans(),
)
#: Results as another tool might write them, with any verdict beside any findings.
strange = st.builds(
    lambda made, verdict: made.model_copy(update={"verdict": verdict}), results, st.sampled_from(Verdict)
)
policies = st.dictionaries(rules, st.builds(Override, level=st.sampled_from(Level), reason=st.just(REASON))).map(
    lambda table: Policy(schema=1, rules=table)
)


@given(policies, results | strange)
def test_never_a_pass_out_of_what_was_not_checked(policy: Policy, made: Result) -> None:
    weighed = apply(policy, made)
    if made.verdict in (Verdict.ERROR, Verdict.INCOMPLETE) or made.halted is not None:
        assert weighed.verdict is not Verdict.PASS
    if any(one.severity is Severity.ERROR for one in weighed.findings):
        assert weighed.verdict is Verdict.FAIL
    if made.verdict is Verdict.FAIL and not made.findings:
        assert weighed.verdict is not Verdict.PASS, "a failure that no finding explains cannot be weighed away"


@given(policies, results | strange)
def test_never_a_proof_that_is_hidden(policy: Policy, made: Result) -> None:
    proved = [one for one in made.findings if one.severity is Severity.ERROR]
    weighed = apply(policy, made)
    kept = [one for one in weighed.findings if own_severity(one) is Severity.ERROR]
    assert [one.rule for one in kept] == [one.rule for one in proved]
    for one in kept:
        if one.severity is not Severity.ERROR:
            assert one.overridden is not None and one.overridden.reason == REASON
    if proved and weighed.verdict is Verdict.PASS:
        assert all(rule in weighed.reason for rule in {one.rule for one in proved})


@given(policies, policies, results)
def test_applying_is_pure_idempotent_and_keeps_no_trace_of_another_policy(a: Policy, b: Policy, made: Result) -> None:
    before = made.model_copy(deep=True)
    once = apply(a, made)
    assert made == before
    assert apply(a, once) == once
    assert once.policy == a.digest
    off = {name for name, override in a.rules.items() if override.level is Level.OFF}
    if not any(one.rule in off for one in made.findings):
        assert apply(b, once) == apply(b, made)


@given(policies, results)
def test_what_was_weighed_can_be_written_and_read_back(policy: Policy, made: Result) -> None:
    weighed = apply(policy, made)
    report = Report(jail=Jail(backend="bubblewrap", isolated=True), policy=policy.digest, results=(weighed,))
    assert Report.from_json(report.to_json()) == report


def test_a_report_that_denies_its_policy_is_refused() -> None:
    policy = policy_of(accepts_nothing=Level.OFF)
    weighed = apply(policy, result(PROVED))
    report = Report(jail=Jail(backend="bubblewrap", isolated=True), policy=policy.digest, results=(weighed,))
    body = json.loads(report.to_json())
    body["policy"] = BUILT_IN.digest
    with pytest.raises(ValueError, match="another policy"):
        Report.from_json(json.dumps(body))
    body["policy"] = body["results"][0]["policy"] = ""
    with pytest.raises(ValueError, match="names none"):
        Report.from_json(json.dumps(body))
    halted = json.loads(report.to_json())
    halted["results"][0]["halted"] = {"verdict": "incomplete", "reason": "time ran out"}
    with pytest.raises(ValueError, match="not every check ran"):
        Report.from_json(json.dumps(halted))


# --- finding the file ------------------------------------------------------------------------------------------------

STRICT = f"schema: 1\nrules: {{{WARNING_RULE}: {{level: block}}}}\n"
LAX = f"schema: 1\nrules: {{{ERROR_RULE}: {{level: off, reason: {REASON}}}}}\n"


def put(folder: Path, text: str) -> Path:
    file = folder / "policies" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_repositorys_policy_is_found_upwards(tmp_path: Path) -> None:
    environment = tmp_path / "repository" / "environments" / "one"
    environment.mkdir(parents=True)
    assert find_policy(environment) is None
    file = put(tmp_path / "repository", STRICT)
    assert find_policy(environment) == file
    assert choose([environment]).policy.rules[WARNING_RULE].level is Level.BLOCK


def test_an_environment_never_brings_its_own_policy(tmp_path: Path) -> None:
    environment = tmp_path / "environments" / "one"
    own = put(environment, LAX)
    assert choose([environment]).source == NO_FILE
    with pytest.raises(ValueError, match="no environment brings the policy that it is judged by"):
        choose([environment], str(own))
    (tmp_path / "link").symlink_to(own)
    with pytest.raises(ValueError, match="no environment brings"):
        choose([environment], str(tmp_path / "link"))
    (environment / ".git").mkdir()
    assert choose([environment]).source == NO_FILE


def test_in_a_checkout_the_outermost_policy_wins_and_nothing_above_counts(tmp_path: Path) -> None:
    """A contributor can lay down `environments/policies/policy.yaml`, which nobody owns."""
    checkout = tmp_path / "checkout"
    environment = checkout / "environments" / "group" / "one"
    environment.mkdir(parents=True)
    (checkout / ".git").mkdir()
    put(tmp_path, LAX)
    assert find_policy(environment) is None
    put(checkout / "environments", LAX)
    put(checkout / "environments" / "group", LAX)
    top = put(checkout, STRICT)
    assert find_policy(environment) == top


def test_a_link_in_place_of_the_policy_is_refused(tmp_path: Path) -> None:
    (tmp_path / "environments" / "one").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.yaml"
    elsewhere.write_text(LAX)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "policy.yaml").symlink_to(elsewhere)
    with pytest.raises(OSError):
        choose([tmp_path / "environments" / "one"])


def test_one_run_has_one_policy(tmp_path: Path) -> None:
    places = [tmp_path / name / "environments" / "one" for name in "ab"]
    for place in places:
        place.mkdir(parents=True)
    put(tmp_path / "a", STRICT)
    with pytest.raises(ValueError, match="different policies hold"):
        choose(places)
    put(tmp_path / "b", STRICT + "# the same in other words\n")
    assert choose(places).policy.rules
    assert choose(places, NO_FILE).policy == BUILT_IN


@pytest.mark.parametrize("content", [b"schema: 1\n\xff\n", b"#" * 70_000, b""])
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(content)
    with pytest.raises(ContractError):
        load_policy(file)
