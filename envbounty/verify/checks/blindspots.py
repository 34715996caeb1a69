"""Kinds of input that a verifier's instances never show, although right programs know what to do with them.

An instance of `function` or `program` is a hidden test. A class of inputs (see `envbounty.verify.partitions`) that no
instance of many seeds is in is a blind spot when inputs of that class can be made on which the reference and every
other right program agree, and a program that is the reference outside the class and wrong inside it is accepted.

Agreement is evidence that an input makes sense, not that the task allows it. So it is a note, unless the task's text
or `domain` in env.yaml plainly allows the class. What they rule out is not spoken of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from envbounty.environment import Compare, Kind, Language, Solution
from envbounty.environment.domain import fault, node
from envbounty.findings import Evidence, Finding, Severity, clip, show
from envbounty.verify.bench import Instance, Reply
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.partitions import Class, candidates, members, unvisited
from envbounty.verify.partitions.classes import Place, read
from envbounty.verify.partitions.stdin import rewrite, view
from envbounty.verify.rules import RULES
from envbounty.verify.spoiled import spoiled_function, spoiled_program
from envbounty.verify.tasktext import says, statements
from envbounty.verify.values import canonical, is_number

#: Instances that must all miss a class, and of them those that members are made from (the shortest).
SEEDS, EXAMPLES = 200, 3
#: What instances look like is seen from so many.
LOOKED_AT = 30
#: Classes that are tried, and members of each. A program is a process for each input.
TRIED, MEMBERS = {Kind.FUNCTION: 60, Kind.PROGRAM: 10}, {Kind.FUNCTION: 3, Kind.PROGRAM: 2}
SHOWN = 5
#: Below this weight a class is too rarely where programs fail to be worth a note.
NOTED = 7
#: Seconds that one input may take a right program; what takes longer says nothing.
QUICK_S = 2.0
RULE = "blind-spot"


@dataclass(frozen=True)
class Spot:
    """A class that no instance is in, whether the task allows it (None: unknown), and inputs that are in it."""

    known: Class
    admitted: bool | None
    members: tuple[Instance, ...]
    expected: tuple[Any, ...] = ()


def run(context: Context) -> Iterator[Finding]:
    yield from _outside(context)
    spec = context.env.spec
    if spec.kind not in TRIED or spec.scoring.answers.compare is Compare.MANY:
        return  # an instance is a task of its own there; or nobody can say what is wrong
    spots = _unvisited(context, _many(context))
    independent = _independent(context) if spots else []
    if not independent and "reference" not in context.bench.author_has:
        return  # the reference alone cannot say that an input makes sense
    defined = _defined(context, spots, independent)
    shown = _shown(defined)
    if shown and (finding := _prove(context, shown, defined)) is not None:
        yield finding


def _outside(context: Context) -> Iterator[Finding]:
    """An instance that the declared domain does not allow."""
    domain = context.env.spec.domain
    if domain is None:
        return
    for instance in context.bench.instances:
        if (words := fault(domain, instance.value)) is not None:
            evidence = Evidence(
                instance=show(instance.value), seed=instance.seed, difficulty=instance.difficulty, detail=words,
                reproduce=context.reproduce("instance-outside-domain"),
            )  # fmt: skip
            message = f"generate() gave an instance that `domain` does not allow: {words}."
            yield RULES["instance-outside-domain"].finding(message, path=context.env.entry, evidence=evidence)
            return


# --- what is never visited -------------------------------------------------------------------------------------------


def _many(context: Context) -> list[Instance]:
    """The instances of this examination and many more, over all levels."""
    bench, spec = context.bench, context.env.spec
    train = spec.seeds.train
    count = min(SEEDS, train.count)
    offsets = Random(f"{bench.seed}:{spec.name}:blind spots").sample(range(train.count), count)
    places = [(train.first + at, level) for at, level in zip(offsets, spec.difficulty.levels(count), strict=True)]
    replies = bench.generate(places)
    more = [
        Instance(seed, level, reply.value)
        for (seed, level), reply in zip(places, replies, strict=True)
        if reply.fault is None and isinstance(reply.value, dict)
    ]
    return [*bench.instances, *more]


def _arguments(context: Context, value: Mapping[str, Any]) -> dict[str, Any]:
    """What a submission sees of an instance."""
    if context.env.spec.kind is Kind.PROGRAM:
        return view(str(value.get("stdin", "")))
    return {name: value[name] for name in context.env.spec.submission.parameters if name in value}


def _unvisited(context: Context, instances: Sequence[Instance]) -> list[Spot]:
    """Classes that no instance is in and nobody rules out, with members; the most telling first."""
    kind = context.env.spec.kind
    views = [_arguments(context, instance.value) for instance in instances]
    possible = candidates(views[:LOOKED_AT])
    if kind is Kind.PROGRAM:  # of tokens in an unknown order one can be changed, and no more
        possible = [one for one in possible if not one.name.startswith("tokens: ")]
    shortest = sorted(range(len(instances)), key=lambda at: len(canonical(views[at])))[: len(instances) // 2 + 1]
    draw = Random(f"{context.bench.seed}:members")
    chosen = [shortest[0], *draw.sample(shortest, min(EXAMPLES - 1, len(shortest)))]
    admits = _Admission(context, views[0])
    spots = []
    for one in _nearest(unvisited(possible, views)):
        made = []
        for at in chosen:
            for member in members(one.name, views[at], Random(f"{context.bench.seed}:{one.name}"))[: MEMBERS[kind]]:
                if (instance := _instance(context, instances[at], member)) is not None and instance not in made:
                    made.append(instance)
        admitted, made = admits(one, made)
        if made and admitted is not False and (admitted or one.weight >= NOTED):
            spots.append(Spot(one, admitted and one.boundary, tuple(made[: MEMBERS[kind]])))
    return sorted(spots, key=_worst_first)[: TRIED[kind]]


def _worst_first(spot: Spot) -> tuple[bool, bool, int, str]:
    return (not spot.admitted, not spot.known.boundary, -spot.known.weight, spot.known.name)


def _nearest(unvisited: Sequence[Class]) -> list[Class]:
    """Of classes that lie within one another (so long or longer, so large or larger) only the widest."""
    steps = ("or longer", "or more", "beyond")
    kept, had = [], set()
    for one in unvisited:  # they come in order of size
        path, what = one.name.split(": ", 1)
        family = next((step for step in steps if step in what and not what.startswith("more")), None)
        group = (path, "length" if family == "or longer" else "size") if family else None
        if group is None or group not in had:
            kept.append(one)
        if group is not None:
            had.add(group)
    return kept


def _instance(context: Context, near: Instance, member: Mapping[str, Any]) -> Instance | None:
    """An instance with the arguments of `member`, the rest as in the one it was made from."""
    if context.env.spec.kind is Kind.PROGRAM:
        stdin = rewrite(str(near.value.get("stdin", "")), member)
        return None if stdin is None else replace(near, value={**near.value, "stdin": stdin})
    return replace(near, value={**near.value, **member})


class _Admission:
    """What the task's text and the declared domain say of a class."""

    def __init__(self, context: Context, example: Mapping[str, Any]) -> None:
        self._domain = context.env.spec.domain
        is_function = context.env.spec.kind is Kind.FUNCTION
        kinds = {name: sort(one) for name, one in example.items()} if is_function else {}
        self._said = statements(context.env.task, kinds)

    def __call__(self, one: Class, made: list[Instance]) -> tuple[bool | None, list[Instance]]:
        """Whether a class is allowed (None: unknown), and those of its members that are not known to be outside."""
        if self._domain is not None:
            made = [instance for instance in made if fault(self._domain, instance.value) is None]
            if not made:
                return False, []
            if _thought_of(self._domain, one.name):
                return True, made
        return says(self._said, one.name), made


def sort(value: Any) -> str:
    """What `tasktext` calls the type of a value."""
    if isinstance(value, list):
        return "lists" if any(isinstance(item, (list, dict)) for item in value) else "list"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return "dict"
    return "number" if is_number(value) else "other"


#: What a schema must say of a place for its author to have thought of a class: one of these keywords.
_LOW, _HIGH = ("minimum", "exclusiveMinimum", "enum"), ("maximum", "exclusiveMaximum", "enum")
_SHORT, _LONG = ("minItems", "maxItems", "minLength", "maxLength", "enum"), ("maxItems", "maxLength")
_THOUGHT = {
    "zero": _LOW, "negative": _LOW, "one": _LOW, "1000 or more": _HIGH, "a million or more": _HIGH,
    "beyond 2^31": _HIGH, "beyond 2^53": _HIGH, "empty": _SHORT, "single": _SHORT, "one character": _SHORT,
    "two": _SHORT, "duplicates": ("uniqueItems",),
}  # fmt: skip
_CHARACTERS = {"upper case", "lower case", "mixed case", "digits only", "has a digit", "punctuation", "inner space"}


def _thought_of(domain: Mapping[str, Any], name: str) -> bool:
    """Whether a schema bounds what a class is about. One that is only wide admits nothing in particular."""
    where, tests = read(name)
    if not isinstance(where, Place):
        return False
    what = tests[0].what
    wanted = _LONG if tests[0].length is not None else ("pattern",) if what in _CHARACTERS else _THOUGHT.get(what, ())
    return any(key in node(domain, (where.argument, *where.steps)) for key in wanted)


# --- where right programs agree --------------------------------------------------------------------------------------


def _independent(context: Context) -> list[Solution]:
    """Good solutions that are the reference's equals on every instance: another hand's right programs."""
    bench, kept = context.bench, []
    for solution in context.env.good:
        replies = bench.solve(solution, bench.instances[:6])
        pairs = list(zip(bench.instances, bench.expected, replies, strict=False))[: len(replies)]
        if any(reply.fault for reply in replies):
            continue
        if _agree(context, [(case, right.value, mine.value) for case, right, mine in pairs]).count(True) == len(pairs):
            kept.append(solution)
    return kept


def _agree(context: Context, cases: Sequence[tuple[Instance, Any, Any]]) -> list[bool]:
    """Whether two outputs are one answer, if perhaps in two spellings."""
    spelt = context.env.spec.scoring.answers.compare is not Compare.CUSTOM
    return [verdict is True or (verdict is None and spelt) for verdict in context.is_right(cases)]


def _defined(context: Context, spots: Sequence[Spot], independent: Sequence[Solution]) -> list[Spot]:
    """The spots with those members on which all right programs give one answer."""
    if not spots:
        return []
    bench, reference = context.bench, context.env.reference
    # What follows an input that takes too long is not run, so the large ones come last.
    asked = [(spot, one) for spot in spots for one in spot.members]
    asked.sort(key=lambda pair: len(canonical(pair[1].value)))
    instances = [instance for _, instance in asked]
    right = bench.solve(reference, instances, quick_s=QUICK_S)
    agreed = [at for at, reply in enumerate(right) if reply.fault is None]

    def ask(solution: Solution) -> Callable[[list[Instance]], list[Reply]]:
        return lambda some: bench.solve(solution, some, quick_s=QUICK_S)

    voices = [ask(solution) for solution in independent]
    if context.env.spec.kind is Kind.FUNCTION:  # the reference in another order, so that what depends on it shows
        voices.insert(0, lambda some: bench.solve(reference, some[::-1], quick_s=QUICK_S)[::-1])
    if "reference" in bench.author_has:
        voices.append(bench.oracle)
    for voice in voices:
        replies = voice([instances[at] for at in agreed]) if agreed else []
        heard = [(at, mine) for at, mine in zip(agreed, replies, strict=True) if mine.fault is None]
        verdicts = _agree(context, [(instances[at], right[at].value, mine.value) for at, mine in heard])
        agreed = [at for (at, _), verdict in zip(heard, verdicts, strict=True) if verdict]
    kept: dict[str, list[int]] = {}
    for at in agreed:
        kept.setdefault(asked[at][0].known.name, []).append(at)
    return [
        replace(
            spot,
            members=tuple(instances[at] for at in kept[spot.known.name]),
            expected=tuple(right[at].value for at in kept[spot.known.name]),
        )
        for spot in spots
        if spot.known.name in kept
    ]


def _shown(defined: Sequence[Spot]) -> list[Spot]:
    """The spots of one finding: those that are admitted if there are any, else the others."""
    admitted = [spot for spot in defined if spot.admitted]
    return list(admitted or defined)[:SHOWN]


# --- the submission --------------------------------------------------------------------------------------------------


def _prove(context: Context, shown: Sequence[Spot], defined: Sequence[Spot]) -> Finding | None:
    """The finding, with a submission that is wrong in every class shown and accepted each time; None for no proof."""
    parent = _python(context)
    if parent is None:
        return None
    bench, spec = context.bench, context.env.spec
    names = [spot.known.name for spot in shown]
    if spec.kind is Kind.FUNCTION:
        text = spoiled_function(parent.text, spec.submission.function or "", spec.submission.parameters, names)
    else:
        text = spoiled_program(parent.text, names)
    spoiled = replace(parent, path="a submission that is wrong there alone", text=text)
    wrong = _wrong_on(context, spoiled, shown)
    proved = [spot for spot, example in zip(shown, wrong, strict=True) if example is not None]
    if not proved:
        return None
    if len(proved) < len(shown):
        return _prove(context, proved, defined)
    outputs = bench.solve(spoiled, bench.instances)
    if any(reply.fault for reply in outputs):
        return None
    trials = [
        Trial(case, reply.value, spoiled.path, None, right.value)
        for case, reply, right in zip(bench.instances, outputs, bench.expected, strict=True)
    ]
    for _ in range(1 + context.confirmations):  # each time in a clean jail, and not counted among the outputs tried
        if not context.aggregate(context.score(trials, fresh=True), len(trials)):
            return None
    example = wrong[0]
    assert example is not None
    return _finding(context, shown, defined, parent, text, example)


def _wrong_on(context: Context, spoiled: Solution, shown: Sequence[Spot]) -> list[Scored | None]:
    """For each spot one of its members and the wrong answer that the submission gives to it."""
    asked = [(at, *pair) for at, spot in enumerate(shown) for pair in zip(spot.members, spot.expected, strict=True)]
    outputs = context.bench.solve(spoiled, [case for _, case, _ in asked], quick_s=QUICK_S)
    verdicts = context.is_right(
        [(case, right, reply.value) for (_, case, right), reply in zip(asked, outputs, strict=True)]
    )
    found: list[Scored | None] = [None] * len(shown)
    for (at, case, right), reply, verdict in zip(asked, outputs, verdicts, strict=True):
        if reply.fault is None and verdict is False and found[at] is None:
            found[at] = Scored(Trial(case, reply.value, spoiled.path, False, right), Reply())
    return found


def _python(context: Context) -> Solution | None:
    """A right program that can be spoiled."""
    solutions = [context.env.reference, *context.env.good]
    return next((one for one in solutions if one.language is Language.PYTHON), None)


def _finding(
    context: Context, shown: Sequence[Spot], defined: Sequence[Spot], parent: Solution, text: str, example: Scored
) -> Finding:
    admitted = bool(shown[0].admitted)
    described = "; ".join(spot.known.describe for spot in shown)
    more = sum(bool(spot.admitted) is admitted for spot in defined) - len(shown)
    message = f"No instance of {SEEDS} seeds is one where {described}"
    message += f" (and {more} more such kinds of input)" if more > 0 else ""
    message += ". The task allows this, and a" if admitted else ". All right solutions agree on such inputs, and a"
    message += f" submission that is {parent.path} elsewhere and wrong there is accepted."
    lines = [
        f"{spot.known.describe}: {show(_seen(context, spot.members[0]), 160)} → {show(spot.expected[0], 80)}"
        for spot in shown
    ]
    added = text.replace(parent.text.rstrip(), "").strip()
    evidence = Evidence(
        submission=clip(text if len(text) < 4000 else f"# {parent.path}, and besides:\n{added}"),
        instance=show(_seen(context, example.trial.instance)),
        output=show(example.trial.output),
        expected=show(example.trial.expected),
        score=1.0,
        detail=clip("Inputs of these kinds and their right answers:\n" + "\n".join(lines), 2000),
        confirmed=context.confirmations,
        reproduce=context.reproduce(RULE),
    )
    severity = Severity.ERROR if admitted else Severity.NOTE
    return RULES[RULE].finding(message, path=context.env.entry, evidence=evidence, severity=severity)


def _seen(context: Context, instance: Instance) -> Any:
    if context.env.spec.kind is Kind.PROGRAM:
        return {"stdin": instance.value.get("stdin")}
    return _arguments(context, instance.value)
