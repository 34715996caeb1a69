"""What an environment is, as fingerprints, and how alike two of them are.

Four layers are compared, each a set of fingerprints: the words of the task, the structure of the verifier's code, the
literals in it (its tests, mostly), and the structure of the right solutions. Whoever copies an environment can change
one of them without much work: a new story, another harness, other numbers. Changing all of them is writing a new one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from envbounty.environment import Environment
from envbounty.provenance import lexed, prose, public, pycode
from envbounty.provenance.streams import Unit

C_LIKE = (".c", ".cpp", ".cc", ".h", ".hpp")
TASK, VERIFIER, TESTS, SOLUTION = LAYERS = ("task", "verifier", "tests", "solution")

#: So many fingerprints must be shared before a layer says anything: small things are alike by chance.
MIN_SHARED: Mapping[str, int] = {TASK: 20, VERIFIER: 40, TESTS: 5, SOLUTION: 25}
#: From this share on, one layer is taken from the other. Measured: `python -m benchmarks provenance`.
COPIED: Mapping[str, float] = {TASK: 0.6, VERIFIER: 0.7, TESTS: 0.6, SOLUTION: 0.7}


@dataclass(frozen=True)
class Print:
    """One environment as fingerprints.

    `seal` is equal for two that differ by names, layout, order and story only, `shape` for two that differ by constants
    besides. Both cover the verifier and the reference.
    """

    name: str
    units: Mapping[str, tuple[Unit, ...]]  # by layer; the tests have none
    tests: frozenset[int]
    packages: frozenset[str]  # what the verifier imports from outside
    shape: bytes
    seal: bytes
    variant_of: str | None = None

    @cached_property
    def layers(self) -> dict[str, frozenset[int]]:
        """Each layer's fingerprints, without what every environment made from our templates has."""
        common = boilerplate()
        found = {layer: frozenset().union(*(unit.prints for unit in units)) for layer, units in self.units.items()}
        return {layer: prints - common for layer, prints in (found | {TESTS: self.tests}).items()}


@dataclass(frozen=True)
class Share:
    """How much of one layer two environments have in common, in fingerprints."""

    shared: int
    mine: int
    theirs: int

    @property
    def containment(self) -> float:
        """The share of the smaller one that is in the larger: a copy inside something larger is still a copy."""
        return self.shared / max(1, min(self.mine, self.theirs))

    @property
    def jaccard(self) -> float:
        return self.shared / max(1, self.mine + self.theirs - self.shared)


@dataclass(frozen=True)
class Likeness:
    """How alike two environments are."""

    same: bool  # they differ by names, layout, order of functions and story only
    same_shape: bool  # … and by constants
    shares: Mapping[str, Share]
    copied: tuple[str, ...] = ()  # the layers that are taken from the other
    package: bool = False  # both lean on the same package, so that one name in a text can make two tasks of one code

    @property
    def near_duplicate(self) -> bool:
        """The same environment again: of solution, verifier and task two are taken from the other, or all code is.

        A verifier's structure alone says nothing, since whole collections share one harness; its tests do.
        """
        if self.package and not self.same and TASK not in self.copied:
            return False
        judged = VERIFIER in self.copied or TESTS in self.copied
        return self.same_shape or (judged + (TASK in self.copied) + (SOLUTION in self.copied)) >= 2

    @property
    def partly_copied(self) -> bool:
        return not self.near_duplicate and bool(set(self.copied) - {VERIFIER})

    @property
    def weight(self) -> tuple[int, int, float]:
        """Orders likenesses: the strongest has the largest."""
        return self.same + self.same_shape, len(self.copied), sum(share.containment for share in self.shares.values())


def likeness(mine: Print, other: Print, lines: Mapping[str, float] = COPIED) -> Likeness:
    """How alike two are. `lines`: from which share on each layer counts as copied."""
    shares = {}
    for layer in LAYERS:
        ours, theirs = mine.layers[layer], other.layers[layer]
        shares[layer] = Share(len(ours & theirs), len(ours), len(theirs))
    copied = tuple(
        layer
        for layer, share in shares.items()
        if share.shared >= MIN_SHARED[layer] and share.containment >= lines[layer]
    )
    same, same_shape = mine.seal == other.seal, mine.shape == other.shape
    return Likeness(same, same_shape, shares, copied, bool(mine.packages & other.packages))


def passages(mine: Print, other: Print, layer: str) -> tuple[Unit, Unit] | None:
    """The two units of a layer that have the most in common; for the tests, None."""
    common = boilerplate()
    best, pair = 0, None
    theirs = other.units.get(layer, ())
    for unit in mine.units.get(layer, ()):
        prints = unit.prints - common
        for twin in theirs:
            if (shared := len(prints & twin.prints)) > best:
                best, pair = shared, (unit, twin)
    return pair


def print_of(env: Environment) -> Print:
    """The fingerprints of an environment that was loaded."""
    files = {**env.code, "task.md": env.task.encode("utf-8", "surrogatepass")}
    for solution in (env.reference, *env.good):
        files[solution.path] = solution.text.encode("utf-8", "surrogatepass")
    return print_files(env.spec.name, files, env.spec.variant_of)


def print_files(name: str, files: Mapping[str, bytes], variant_of: str | None = None) -> Print:
    """The fingerprints of {path: content}. Wrong solutions do not count: they are the reference with a slip in it."""
    units: dict[str, list[Unit]] = {TASK: [], VERIFIER: [], SOLUTION: []}
    tests: set[int] = set()
    modules: set[str] = set()
    sealed: list[Unit] = []
    for path, content in sorted(files.items()):
        if path.startswith("solutions/bad/") or path == "env.yaml":
            continue
        text = content.decode("utf-8", "replace").removeprefix("\ufeff")
        if path == "task.md":
            units[TASK] += prose.units(path, text)
            continue
        layer = SOLUTION if path.startswith("solutions/") else VERIFIER
        found, data, imported = code_units(path, text)
        units[layer] += found
        if layer == VERIFIER:
            tests |= data
            modules |= imported
        if layer == VERIFIER or path.startswith("solutions/reference."):
            sealed += found
    kept = {layer: tuple(each) for layer, each in units.items()}
    shape, seal = (digest(unit.shape for unit in sealed), digest(unit.seal for unit in sealed))
    packages = frozenset(modules - {path.partition("/")[0].removesuffix(".py") for path in files})
    return Print(name, kept, frozenset(tests), packages, shape, seal, variant_of)


def digest(parts: Iterable[bytes]) -> bytes:
    """One digest of several, whatever their order."""
    return hashlib.blake2b(b"".join(sorted(parts)), digest_size=16).digest()


@dataclass(frozen=True)
class CodePrint:
    """One code file, to be held against another one. `seal` as in `Print`."""

    prints: frozenset[int]
    seal: bytes

    def jaccard(self, other: CodePrint) -> float:
        return len(self.prints & other.prints) / max(1, len(self.prints | other.prints))


def print_code(path: str, text: str) -> CodePrint:
    units, _, _ = code_units(path, text)
    return CodePrint(frozenset().union(*(unit.prints for unit in units)), digest(unit.seal for unit in units))


def code_units(path: str, text: str) -> tuple[list[Unit], set[int], set[str]]:
    """The units of a code file, the literals in it, the modules it imports from outside. Other files have none."""
    if path.endswith(".py") and (found := pycode.read(path, text)) is not None:
        return found.units, found.data, found.modules
    return (lexed.units(path, text) if path.endswith((".py", *C_LIKE)) else []), set(), set()


@lru_cache(maxsize=1)
def boilerplate() -> frozenset[int]:
    """What proves nothing: what the examples of `envbounty new` hold, and what many problems of a benchmark share."""
    # Imported late: the templates are read only when something is compared.
    from envbounty.scaffold.environment import KINDS, render_environment

    examples = {
        number
        for kind in KINDS
        for path, text in render_environment("some-task", kind, "Somebody").items()
        for number in _all_prints(path, text)
    }
    return frozenset(examples).union(*(index.shared_by_many for index in public.shipped()))


def _all_prints(path: str, text: str) -> Iterator[int]:
    if path == "task.md":
        for unit in prose.units(path, text):
            yield from unit.prints
        return
    units, data, _ = code_units(path, text)
    for unit in units:
        yield from unit.prints
    yield from data
