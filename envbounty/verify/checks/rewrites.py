"""Is what is right accepted however it is written?

Natively a verifier sees outputs only, so the forms of right outputs are tried, and the declared comparison says which
of them are the same answer. A found grader sees source: the reference is rewritten, run beside itself on the calls that
the grader makes, and only where every result is the same may a refusal be held against the grader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envbounty.environment import Compare
from envbounty.environment.spec import Answers
from envbounty.findings import Evidence, Finding, Severity, clip
from envbounty.verify.bench import Graded, Trouble
from envbounty.verify.checks.grader import unstable
from envbounty.verify.context import Context, Trial
from envbounty.verify.examples import examples
from envbounty.verify.inputs import Call
from envbounty.verify.rewrites import Asked, Rewrite, plain, reshaped, shaped, together
from envbounty.verify.rewrites.forms import Form, forbidden, forms
from envbounty.verify.rules import RULES
from envbounty.verify.values import same

#: Forms are tried on so many instances.
INSTANCES = 4
#: So many calls show that a rewrite does what the original does.
CALLS = 60
#: These say nothing about what a submission is worth.
NO_VERDICT = {"timeout", "memory", "not-run", "output"}
_EXACT = Answers(compare=Compare.EXACT)


def run(context: Context) -> Iterator[Finding]:
    """Forms of right outputs, for the native dialect."""
    if context.env.spec.scoring.answers.compare is Compare.MANY:
        return
    planned = _planned(context)
    scored = context.score([trial for _, trial in planned])
    refused = [
        (form, item)
        for (form, _), item in zip(planned, scored, strict=True)
        if not context.accepted(item) and (item.reply.fault is None or item.reply.fault.kind not in NO_VERDICT)
    ]
    told: set[str] = set()
    for form, item in refused:
        if form.about not in told:
            told.add(form.about)
            count = len({id(other.trial.instance) for one, other in refused if one.what == form.what})
            message = f"The verifier rejects the right answer in another form: {form.what} ({_of(count)})."
            yield context.prove("form-rejected", message, item)


def _of(count: int) -> str:
    return "on one of the instances tried" if count == 1 else f"on {count} of the instances tried"


def _planned(context: Context) -> list[tuple[Form, Trial]]:
    """Forms that are the same answer by the declared rule, and that the task does not forbid."""
    bench, task = context.bench, context.env.task
    step = max(1, len(bench.instances) // INSTANCES)
    chosen = list(zip(bench.instances, bench.expected, strict=True))[::step][:INSTANCES]
    made = [
        (form, instance, reply.value)
        for instance, reply in chosen
        for form in forms(reply.value)
        if not forbidden(task, form.about)
    ]
    rights = context.is_right([(instance, expected, form.output) for form, instance, expected in made])
    return [
        (form, Trial(instance, form.output, f"the right answer, {form.what}", True, expected))
        for (form, instance, expected), right in zip(made, rights, strict=True)
        if right is True
    ]


def run_grader(context: Context) -> Iterator[Finding]:
    """The reference rewritten, for found graders."""
    env = context.env
    known = [case.call for case in context.referee.known][:CALLS]
    function = env.spec.submission.function or ""
    calls = known or examples(env.task, function)[:CALLS]
    if not calls:
        return  # nobody can run the two beside each other
    asked = Asked.of(env.task, function, positional=not any(named for _, named in calls))
    source = env.reference.text
    found = list(_refused(context, calls, together(source, asked), plain(source, asked), Severity.ERROR))
    yield from found
    if found:
        return  # it reads the text, so that what it says of another build would tell nothing new
    # How a program is built may be the task's business, so that a reviewer is asked.
    yield from _refused(context, calls, reshaped(source, asked), shaped(source, asked), Severity.WARNING)


def _refused(
    context: Context, calls: Sequence[Call], whole: Sequence[Rewrite], parts: Sequence[Rewrite], severity: Severity
) -> Iterator[Finding]:
    """All at once first, which are few runs; where that is refused, each alone, to name what it is that is refused."""
    refused = [
        one
        for one, answer in zip(whole, context.bench.grade([one.text for one in whole]), strict=True)
        if _is_refusal(answer)
    ]
    if not refused:
        return
    graded = context.bench.grade([one.text for one in parts])
    alone = [one for one, answer in zip(parts, graded, strict=True) if _is_refusal(answer)]
    for rewrite in alone or (refused if severity is Severity.ERROR else []):
        if not _does_the_same(context, rewrite, calls) or _lacks(context, rewrite):
            continue
        finding = _confirmed(context, rewrite)
        yield finding.model_copy(update={"severity": severity}) if finding.rule == "rewrite-rejected" else finding
        return


def _is_refusal(graded: Graded) -> bool:
    if graded.fault is not None and graded.fault.kind in NO_VERDICT:
        return False
    return graded.accepted is not True


def _does_the_same(context: Context, rewrite: Rewrite, calls: Sequence[Call]) -> bool:
    """Whether rewrite and reference give the same on every call, each in a jail of its own."""
    expected = context.bench.call(context.env.reference.text, calls, loose=True)
    got = context.bench.call(rewrite.text, calls, loose=True)
    return all(
        right.fault is None and mine.fault is None and same(right.value, mine.value, _EXACT) is True
        for right, mine in zip(expected, got, strict=True)
    )


def _lacks(context: Context, rewrite: Rewrite) -> bool:
    """Whether the grader refuses the reference itself once it has a line of that sort: then it forbids the means (an
    import, a class), and that may be its right."""
    if not rewrite.needs:
        return False
    text = context.env.reference.text.rstrip() + f"\n\n\n{rewrite.needs}\n"
    return context.bench.grade([text])[0].accepted is not True


def _confirmed(context: Context, rewrite: Rewrite) -> Finding:
    """The accusation, once the grader has refused it again and accepted the original again in clean jails."""
    bench, env = context.bench, context.env
    said = None
    for _ in range(context.confirmations):
        said = bench.grade([rewrite.text], fresh=True)[0]
        original = bench.grade([env.reference.text], fresh=True)[0]
        if original.accepted is not True:
            return unstable(context, "the reference", env.reference.path, original)
        if said.accepted is True:
            evidence = Evidence(submission=clip(rewrite.text), reproduce=context.reproduce("score-unstable"))
            message = f"The grader rejects the reference once, and then accepts it ({rewrite.what})."
            return RULES["score-unstable"].finding(message, path=env.entry, evidence=evidence)
        if not _is_refusal(said):
            raise Trouble("the grader judged a rewrite once and ran out of time later: run again when less is running")
    detail = f"The original, which is accepted:\n{env.reference.text}"
    if said is not None and (words := str(said.fault or said.words).strip()):
        detail = f"The grader said: {clip(words, 500)}\n\n{detail}"
    evidence = Evidence(
        submission=clip(rewrite.text),
        score=said.score if said is not None else None,
        detail=clip(detail),
        confirmed=context.confirmations,
        reproduce=context.reproduce("rewrite-rejected"),
    )
    message = f"The grader rejects its own reference when it is written otherwise: {rewrite.what}."
    return RULES["rewrite-rejected"].finding(message, path=env.entry, evidence=evidence)
