"""Where the environment comes from: duplicates, benchmarks, licences, secrets, and files that are no plain text.

Nothing is run. What is told are facts that anybody can see by opening the two files named.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from envbounty.environment import Environment
from envbounty.environment.files import MAX_FILE_BYTES, read_file
from envbounty.findings import Evidence, Finding, Severity, clip
from envbounty.provenance import characters, contents, credentials, licences, notices, prints
from envbounty.provenance.public import Overlap
from envbounty.provenance.repository import Match, text_of
from envbounty.provenance.surroundings import Surroundings
from envbounty.verify.bench import Trouble
from envbounty.verify.context import Context
from envbounty.verify.rules import RULES

CODE = (".py", *prints.C_LIKE)
#: Two solutions of at least so many fingerprints, with such a share in common, are the same one. Measured.
MIN_SOLUTION, SAME_SOLUTION = 25, 0.9
#: A variant with this much of verifier and solution in common differs by its constants at most.
SAME_STRUCTURE = 0.98
MAX_PASSAGE = 1200
MAX_NAMED = 3


def run(context: Context) -> Iterator[Finding]:
    around = context.surroundings or _around(context)
    yield from alone(context, around)
    if code_size(context.env) <= context.policy.provenance.code_kb << 10:
        yield from _duplicates(context, around)


def _around(context: Context) -> Surroundings:
    taken = context.policy.provenance
    return Surroundings.of(
        [context.env.root], licences=frozenset(taken.licences), copied=taken.copied.model_dump(mode="json")
    )


def alone(context: Context, around: Surroundings) -> Iterator[Finding]:
    """All but what other environments have to do with."""
    texts = _texts(context)
    yield from _files(context)
    yield from _characters(texts)
    yield from _licence(context, around.licences)
    yield from _said(context, texts)
    yield from _secrets(texts)
    most = context.policy.provenance.code_kb
    if (size := code_size(context.env)) > most << 10:
        yield RULES["code-too-large"].finding(
            f"Its code has {size >> 10} KiB; {most} are the most that is read.", path=context.env.entry
        )
        return
    yield from _copied_solutions(context)
    yield from _benchmarks(context, around)


def code_size(env: Environment) -> int:
    """All code of an environment, in bytes."""
    solutions = sum(len(solution.text.encode("utf-8", "surrogatepass")) for solution in (env.reference, *env.good))
    return solutions + sum(len(content) for path, content in env.code.items() if path.endswith(CODE))


def _texts(context: Context) -> dict[str, str]:
    """Every file that is text, as it stands on disk."""
    env = context.env
    try:
        found = {"env.yaml": read_file(env.root / "env.yaml", MAX_FILE_BYTES).decode("utf-8-sig")}
    except (OSError, ValueError) as error:
        raise Trouble(f"env.yaml could not be read again: {error}") from None
    found["task.md"] = env.task
    for path, content in env.code.items():
        if contents.binary(content) is None:
            found[path] = content.decode("utf-8-sig")
    for solution in (env.reference, *env.good, *env.bad):
        found[solution.path] = solution.text
    return found


def _files(context: Context) -> Iterator[Finding]:
    env = context.env
    for path, content in env.code.items():
        if (what := contents.binary(content)) is not None:
            yield RULES["binary-file"].finding(f"{path} is {what}.", path=path)
    solutions = [solution.path for solution in (env.reference, *env.good, *env.bad)]
    for path in ("env.yaml", "task.md", *env.code, *solutions):
        if any(part.startswith(".") for part in PurePosixPath(path).parts):
            yield RULES["unusual-file"].finding(f"{path} is hidden: its name begins with a dot.", path=path)
        try:
            mode = (env.root / path).lstat().st_mode
        except OSError as error:
            raise Trouble(f"{path} could not be looked at again: {error.strerror}") from None
        if mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
            yield RULES["unusual-file"].finding(f"{path} may be executed (mode {mode & 0o777:o}).", path=path)


def _characters(texts: Mapping[str, str]) -> Iterator[Finding]:
    for path, text in texts.items():
        if text.isascii():
            continue
        code = path.endswith(CODE)
        for found in characters.hidden(text, code=code):
            # Reordered code is an attack; in a text, right-to-left scripts need some of it.
            certain = found.kind == "tag" or (found.kind == "bidi" and code)
            yield RULES["hidden-characters"].finding(
                f"Line {found.line} of {path} holds {found.what}.",
                path=path,
                line=found.line,
                severity=Severity.ERROR if certain else Severity.WARNING,
            )
        if code:
            names = characters.python_names(text) if path.endswith(".py") else characters.words(text)
            for name in characters.lookalikes(names):
                like = f", which looks like `{name.like}` or is the same to Python" if name.like else ""
                yield RULES["lookalike-name"].finding(
                    f"{ascii(name.name)[1:-1]} is a name in letters of several alphabets{like}.",
                    path=path,
                    line=name.line,
                    severity=Severity.ERROR if name.like else Severity.WARNING,
                )


def _licence(context: Context, allowed: frozenset[str]) -> Iterator[Finding]:
    env = context.env
    declared, line = env.spec.licence, env.line("licence")
    if unknown := licences.unknown(declared):
        near = licences.nearest(unknown[0])
        hint = f" Did you mean {near}?" if near else ""
        yield RULES["licence-unknown"].finding(
            f"{declared!r} is no licence of SPDX's list: {', '.join(unknown)}.{hint}", path="env.yaml", line=line
        )
    elif refused := licences.refused(declared, allowed):
        yield RULES["licence-not-allowed"].finding(
            f"{', '.join(refused)} cannot be taken here. What can: {', '.join(sorted(allowed))}.",
            path="env.yaml",
            line=line,
        )


def _said(context: Context, texts: Mapping[str, str]) -> Iterator[Finding]:
    """What files say about where they come from and how they are licensed."""
    spec = context.env.spec
    own = [name for author in spec.authors for name in (author.name, author.github or "")]
    for path, text in texts.items():
        if path in ("env.yaml", "task.md"):
            continue
        for said in licences.said_in(text):
            if licences.contradicts(said.licence, spec.licence):
                yield RULES["licence-contradicted"].finding(
                    f"{path} says {clip(said.licence, 60)}, env.yaml says {spec.licence}.", path=path, line=said.line
                )
        for notice in notices.notices(text, own):
            words = credentials.mask(clip(notice.words, 200))
            yield RULES["foreign-notice"].finding(f"{path} says: {words}", path=path, line=notice.line)


def _secrets(texts: Mapping[str, str]) -> Iterator[Finding]:
    for path, text in texts.items():
        for found in credentials.credentials(text):
            rule = "secret-found" if found.certain else "secret-possible"
            yield RULES[rule].finding(
                f"Line {found.line} of {path} looks like it holds a credential ({found.kind}), not shown here.",
                path=path,
                line=found.line,
            )


def _copied_solutions(context: Context) -> Iterator[Finding]:
    env = context.env
    earlier = [(env.reference.path, prints.print_code(env.reference.path, env.reference.text))]
    for solution in env.good:
        mine = prints.print_code(solution.path, solution.text)
        for path, other in earlier:
            share = mine.jaccard(other)
            alike = share >= SAME_SOLUTION and min(len(mine.prints), len(other.prints)) >= MIN_SOLUTION
            if mine.prints and (alike or mine.seal == other.seal):
                how = "but for names and layout" if mine.seal == other.seal else f"to {share:.0%}"
                yield RULES["good-is-a-copy"].finding(f"{solution.path} is {path}, {how}.", path=solution.path)
                break
        earlier.append((solution.path, mine))


def _benchmarks(context: Context, around: Surroundings) -> Iterator[Finding]:
    env = context.env
    layers = prints.print_of(env).layers
    where = {prints.TASK: "task.md", prints.TESTS: env.entry, prints.SOLUTION: env.reference.path}
    for index in around.indexes:
        found = index.overlaps(layers)
        if not found:
            continue
        by_id: dict[str, list[Overlap]] = {}
        for overlap in found:
            by_id.setdefault(overlap.id, []).append(overlap)
        told = [
            f"{name} ({', '.join(f'{each.share:.0%} of its {each.layer}' for each in parts)})"
            for name, parts in by_id.items()
        ]
        more = f" and {len(told) - MAX_NAMED} more" if len(told) > MAX_NAMED else ""
        yield RULES["benchmark-overlap"].finding(
            f"{index.name} has it: {'; '.join(told[:MAX_NAMED])}{more}.", path=where[found[0].layer]
        )


def _duplicates(context: Context, around: Surroundings) -> Iterator[Finding]:
    env, repository = context.env, around.repository
    if (parent := env.spec.variant_of) is not None and not repository.holds(env, parent):
        yield RULES["variant-unknown"].finding(
            f"{parent} is neither beside this environment nor in a folder named by --against.",
            path="env.yaml",
            line=env.line("variant_of"),
        )
    if unread := repository.shelf(env.root).unread:
        names = ", ".join(place.name for place in unread[:MAX_NAMED])
        yield RULES["neighbour-unreadable"].finding(
            f"{len(unread)} could not be read: {names}{' …' if len(unread) > MAX_NAMED else ''}", path="env.yaml"
        )
    matches = repository.matches(env)
    related = [match for match in matches if repository.family(env, match.place.name)]
    strangers = [match for match in matches if match not in related]
    if again := [match for match in strangers if match.likeness.near_duplicate]:
        # Of two that came together nobody can say which was first: that is for a person to settle.
        before = [match for match in again if match.place.before]
        yield _match("near-duplicate", context, before or again, Severity.ERROR if before else Severity.WARNING)
    elif partly := [match for match in strangers if match.likeness.partly_copied]:
        yield _match("partly-copied", context, partly, Severity.WARNING)
    for match in related:
        shares = match.likeness.shares
        if match.likeness.same:
            yield _match("variant-identical", context, [match], Severity.ERROR)
        elif match.likeness.same_shape or all(
            shares[layer].jaccard >= SAME_STRUCTURE for layer in (prints.VERIFIER, prints.SOLUTION)
        ):
            yield _match("variant-barely-differs", context, [match], Severity.WARNING)


def _match(rule: str, context: Context, matches: list[Match], severity: Severity) -> Finding:
    first = matches[0]
    shares, copied = first.likeness.shares, first.likeness.copied
    if first.likeness.same_shape:
        told = f"the same code but for names, layout{'' if first.likeness.same else ', constants'} and story"
    else:
        told = ", ".join(f"{share.containment:.0%} of the {name}" for name, share in shares.items() if name in copied)
    others = [match.place.name for match in matches[1 : 1 + MAX_NAMED]]
    also = f" Also like: {', '.join(others)}." if others else ""
    order = "" if first.place.before else " Both are examined here, so which was first is not known."
    table = "\n".join(
        f"{layer}: {share.shared} fingerprints shared, of {share.mine} here and {share.theirs} there"
        for layer, share in shares.items()
    )
    layer = next((layer for layer in (prints.SOLUTION, prints.VERIFIER, prints.TASK) if layer in copied),
                 prints.VERIFIER)  # fmt: skip
    pair = prints.passages(first.mine, first.other, layer)
    path, line, seen = context.env.entry, 1, ""
    if pair is not None:
        mine, theirs = pair
        path, line = mine.path, mine.first
        seen = "".join(
            f"\n\n{name}/{unit.path}, line {unit.first}:\n{clip(credentials.mask(text_of(root, unit)), MAX_PASSAGE)}"
            for name, root, unit in (
                (context.env.spec.name, context.env.root, mine),
                (first.place.name, first.place.path, theirs),
            )
        )
    # Examined together again, so that it says the same again.
    both = "" if first.place.before else f" {shlex.quote(str(first.place.path))}"
    reproduce = f"{context.command}{both} --seed {context.bench.seed} --only {rule}"
    return RULES[rule].finding(
        f"It is like {first.place.name}: {told}.{order}{also}",
        path=path,
        line=line,
        severity=severity,
        evidence=Evidence(submission=path, detail=table + seen, reproduce=reproduce),
    )
