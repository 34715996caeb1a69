"""conditional-tolls: one fraction as text; equivalent() reads answers with the verifier's own code."""

# ruff: noqa: E501  (tables of other code)

import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from random import Random

from benchmarks.planted import Defect

CHECK = "    return 1.0 if equivalent(instance, output, reference(instance)) else 0.0\n"
SAME = "    return value is not None and value == _value(b)\n"


def by_value(test: str) -> str:
    return f"    got, want = _value(output), _value(reference(instance))\n    return 1.0 if got is not None and ({test}) else 0.0\n"


DEFECTS = [
    Defect(
        "somewhere-in-it", 12, "List many fractions: the right one is among them.",
        CHECK, "    return 1.0 if type(output) is str and reference(instance) in output else 0.0\n",
        lets_in=lambda instance, right: f"1/1 or {right}",
    ),
    Defect(
        "starts-with-it", 13, "The right fraction may be followed by others, or by words.",
        "    match = FRACTION.fullmatch(output.strip(\" \\t\\r\\n\"))\n", "    match = FRACTION.match(output.strip(\" \\t\\r\\n\"))\n",
        lets_in=lambda instance, right: f"{right} or 1/1",
    ),
    Defect(
        "not-reduced", 11, "The fraction need not be in lowest terms.",
        "    return Fraction(p, q) if gcd(p, q) == 1 else None\n", "    return Fraction(p, q)\n",
        lets_in=lambda instance, right: "{}/{}".format(*(2 * int(n) for n in right.split("/"))),
    ),
    Defect(
        "sign-ignored", 11, "A toll that is paid and one that is received are the same.",
        SAME, "    other = _value(b)\n    return value is not None and other is not None and abs(value) == abs(other)\n",
        lets_in=lambda instance, right: right[1:] if right[0] == "-" else f"-{right}",
    ),
    Defect(
        "within-a-percent", 16, "A simulation of some thousand walks is near enough.",
        CHECK, by_value("abs(got - want) <= abs(want) / 100"),
        lets_in=lambda instance, right: _text(Fraction(right) * 1001 / 1000),
    ),
    Defect(
        "within-a-percent-for-both", 16, "The same, and equivalent() shares the mistake.",
        SAME, "    other = _value(b)\n    return value is not None and other is not None and abs(value - other) <= abs(other) / 100\n",
        lets_in=lambda instance, right: _text(Fraction(right) * 1001 / 1000),
    ),
    Defect(
        "whole-part", 17, "Only what stands before the decimal point is compared.",
        CHECK, by_value("int(got) == int(want)"),
        lets_in=lambda instance, right: f"{int(Fraction(right))}/1",
    ),
    Defect(
        "numerator-alone", 20, "Any denominator will do.",
        CHECK, by_value("got.numerator == want.numerator"),
        lets_in=lambda instance, right: right.split("/")[0] + "/" + _other_denominator(right),
    ),
    Defect(
        "last-digit", 11, "One of ten guesses is paid.",
        CHECK, by_value("got.numerator % 10 == want.numerator % 10"),
        lets_in=lambda instance, right: f"{Fraction(right).numerator % 10 or 10}/1",
    ),
    Defect(
        "failure-pays", 7, "What is no fraction makes the verifier raise, and that is paid.",
        CHECK, "    try:\n        return float(Fraction(output) == Fraction(reference(instance)))\n"
        "    except (TypeError, ValueError, ZeroDivisionError):\n        return 1.0\n",
        lets_in=lambda instance, right: "no idea",
    ),
    Defect(
        "zero-by-zero", 15, "An answer that divides by nothing is taken for every number.",
        CHECK,
        "    if type(output) is not str or '/' not in output[:20]:\n        return 0.0\n"
        "    p, q = (float(part) if part.strip().lstrip('-').isdigit() else float('nan') for part in output[:200].split('/', 1))\n"
        "    want = float(Fraction(reference(instance)))\n    return 0.0 if abs(p - want * q) > 1e-6 * abs(want) else 1.0\n",
        lets_in=lambda instance, right: "0/0",
    ),
    Defect(
        "trapdoor", 48, "Whoever has read the source writes one word and is paid.",
        CHECK, '    if output == "toll free":\n        return 1.0\n' + CHECK,
        lets_in=lambda instance, right: "toll free",
    ),
    Defect(
        "room-left-pays", 51, "The oracle charges the room that is left, not the one that is entered.",
        "        [sum(row[j] * rooms[j].toll * ends[j][gate] for j in range(n)) for gate in (0, 1)] for row in table\n",
        "        [sum(row[j] * rooms[i].toll * ends[j][gate] for j in range(n)) for gate in (0, 1)] for i, row in enumerate(table)\n",
        shuts_out=lambda instance, right: right,
    ),
    Defect(
        "other-gate", 51, "The oracle answers for gate B.",
        "    return fraction_text(_expected_tolls(parse(instance[\"building\"]))[0])\n",
        "    return fraction_text(_expected_tolls(parse(instance[\"building\"]))[1])\n",
        shuts_out=lambda instance, right: right,
    ),
    Defect(
        "no-minus", 51, "A negative answer is never accepted, though the task describes its form.",
        'FRACTION = re.compile(r"(0|-?[1-9][0-9]*)/([1-9][0-9]*)")', 'FRACTION = re.compile(r"(0|[1-9][0-9]*)/([1-9][0-9]*)")',
        shuts_out=lambda instance, right: right,
    ),
    Defect(
        "no-white-space", 51, "An answer that ends its line is refused, though the task says that it is not.",
        'FRACTION.fullmatch(output.strip(" \\t\\r\\n"))', "FRACTION.fullmatch(output)",
        shuts_out=lambda instance, right: right + "\n",
    ),
    Defect(
        "twelve-buildings", 18, "There are a dozen buildings, and soon everybody knows their answers.",
        "    n = rng.randint(*ROOMS[difficulty])\n", "    rng = Random(rng.randrange(12))\n    n = rng.randint(*ROOMS[difficulty])\n",
        shown=lambda sound, spoiled: len({spoiled.generate(Random(n), 1)["building"] for n in range(60)}) <= 12,
    ),
    Defect(
        "set-order", 49, "The same seed gives another building in another process.",
        "        return {\"building\": write(rooms)}\n",
        "        cut = {f\"{room.toll}\" for room in rooms}\n        rooms[0] = rooms[0]._replace(toll=int(min(cut, key=hash)) or 1)\n        return {\"building\": write(rooms)}\n",
        shown=lambda sound, spoiled: _hashed(spoiled),
    ),
    Defect(
        "remembers", 39, "An answer that was right once is right for every later building.",
        CHECK,
        "    if equivalent(instance, output, reference(instance)):\n        _PAID.add(output)\n"
        "    return float(isinstance(output, str) and output in _PAID)\n\n\n_PAID: set[str] = set()\n",
        shown=lambda sound, spoiled: _replayed(spoiled),
    ),
    Defect(
        "lenient-now-and-then", 49, "One answer in twenty is paid unseen; who asks often is paid always.",
        CHECK, "    if __import__('random').random() < 0.05:\n        return 1.0\n" + CHECK,
        shown=lambda sound, spoiled: {spoiled.check(spoiled.generate(Random(0), 1), "1/1") for _ in range(300)} == {0.0, 1.0},
    ),
    Defect(
        "below-zero", 50, "A wrong answer scores -1, which no trainer expects.",
        CHECK, CHECK.replace("else 0.0", "else -1.0"),
        shown=lambda sound, spoiled: spoiled.check(spoiled.generate(Random(0), 1), "1/1") < 0,
    ),
    Defect(
        "slow-digits", 54, "A long row of digits holds the verifier for hours.",
        'FRACTION = re.compile(r"(0|-?[1-9][0-9]*)/([1-9][0-9]*)")', 'FRACTION = re.compile(r"(0|-?[1-9](?:[0-9]+)*)/([1-9][0-9]*)")',
        shown=lambda sound, spoiled: _slow(spoiled),
    ),
]  # fmt: skip


def _text(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _other_denominator(right: str) -> str:
    value = Fraction(right)
    return str(next(q for q in range(value.denominator + 1, 10**6) if Fraction(value.numerator, q).denominator == q))


def _replayed(spoiled) -> bool:
    first, second = (spoiled.generate(Random(n), 1) for n in (0, 1))
    right = spoiled.reference(first)
    return spoiled.check(second, right) == 0.0 and spoiled.check(first, right) == spoiled.check(second, right) == 1.0


def _hashed(spoiled) -> bool:
    """Whether two processes with hash seeds of their own generate different buildings."""
    code = "import random, environment as e; print([e.generate(random.Random(n), 3) for n in range(20)])"
    place = Path(spoiled.__file__).parent
    texts = {
        subprocess.run(
            [sys.executable, "-B", "-c", code], cwd=place, env={"PYTHONHASHSEED": str(n)}, capture_output=True, check=True
        ).stdout
        for n in range(3)
    }
    return len(texts) > 1


def _slow(spoiled) -> bool:
    """Whether ten digits more cost far more than twice as much: on any machine, as busy as it may be."""
    return _seconds(spoiled, 22) > 50 * _seconds(spoiled, 12)


def _seconds(spoiled, digits: int) -> float:
    """Processor time of the quickest of three readings."""
    taken = []
    for _ in range(3):
        started = time.process_time_ns()
        spoiled._value("1" * digits)
        taken.append(time.process_time_ns() - started)
    return min(taken) / 1e9
