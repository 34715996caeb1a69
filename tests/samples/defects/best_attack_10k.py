"""best-attack-10k: a label, judged by ten thousand simulated games."""

# ruff: noqa: E501  (tables of other code)

from random import Random

from benchmarks.planted import Defect

SHAPE = '    if type(output) is not str or len(output) != len("PLAY A"):\n        return 0.0\n'
LISTED = "    if output not in plays:\n        return 0.0\n"
LEADS = "    leads = [mean_lead(points[text], points[output], deals) for text in plays if text != output]\n"
VERDICT = "    return 0.0 if max(leads) > radius(len(plays), GAMES) else 1.0\n"


def other(instance, right: str) -> str:
    return next(f"PLAY {label}" for label in instance["plays"] if not right.endswith(label))


def accepts_other(sound, spoiled) -> bool:
    """Whether at least two plays of one instance are paid in full."""
    return any(
        sum(spoiled.check(instance, f"PLAY {label}") == 1.0 for label in instance["plays"]) > 1
        for instance in (spoiled.generate(Random(n), 1) for n in range(6))
    )


def refuses_all(sound, spoiled) -> bool:
    return any(
        not any(spoiled.check(instance, f"PLAY {label}") == 1.0 for label in instance["plays"])
        for instance in (spoiled.generate(Random(n), 1) for n in range(6))
    )


DEFECTS = [
    Defect(
        "luckiest-rival", 50, "A play is paid unless every other one beats it: nearly any but the worst.",
        VERDICT, VERDICT.replace("max(leads)", "min(leads)"), shown=accepts_other,
    ),
    Defect(
        "ten-games", 19, "Ten games show nothing, so every listed play is paid.",
        "GAMES = 10_000\n", "GAMES = 10\n", lets_in=other,
    ),
    Defect(
        "radius-too-wide", 16, "The bound forgets that a mean over many games strays less.",
        "    return math.sqrt(2 * math.log(plays / ALPHA) / games)\n", "    return math.sqrt(2 * math.log(plays / ALPHA))\n",
        lets_in=other,
    ),
    Defect(
        "alpha-underflows", 16, "So small an error is asked for that second best plays are paid.",
        "ALPHA = 1e-6\n", "ALPHA = 1e-200\n", shown=accepts_other,
    ),
    Defect(
        "no-margin", 52, "States where several plays are as good as the best are asked, and each of them is paid.",
        "MARGIN = 0.12  # of a win", "MARGIN = 1e-9  # of a win", shown=accepts_other,
    ),
    Defect(
        "one-rival", 19, "A play is held against the first other one only.",
        LEADS, LEADS.replace("for text in plays if text != output]", "for text in [t for t in plays if t != output][:1]]"),
        shown=accepts_other,
    ),
    Defect(
        "a-rival-drawn", 49, "A play is held against another one drawn by lot: asking again may pay.",
        LEADS,
        "    rival = random.choice([text for text in plays if text != output])\n"
        "    leads = [mean_lead(points[rival], points[output], deals)]\n",
        shown=lambda sound, spoiled: any(
            {spoiled.check(i, f"PLAY {label}") for _ in range(20)} == {0.0, 1.0}
            for i in [spoiled.generate(Random(0), 1)] for label in i["plays"]
        ),
    ),
    Defect(
        "wrong-direction", 51, "The best play is refused and the worst is paid.",
        LEADS, LEADS.replace("points[text], points[output]", "points[output], points[text]"),
        shuts_out=lambda instance, right: right,
    ),
    Defect(
        "any-case", 11, "A form that the task forbids is paid.",
        SHAPE, "    if type(output) is not str:\n        return 0.0\n    output = output.strip().upper()\n",
        lets_in=lambda instance, right: right.lower(),
    ),
    Defect(
        "last-letter", 13, "Whatever ends in the label is paid, a refusal to answer too.",
        SHAPE, '    if type(output) is not str:\n        return 0.0\n    output = f"PLAY {output.strip()[-1:]}"\n',
        lets_in=lambda instance, right: f"anything but {right[-1]}",
    ),
    Defect(
        "shotgun", 12, "Name all the plays: the best one is among them.",
        SHAPE + '    plays = {f"PLAY {label}": attack for label, attack in instance["plays"].items()}\n' + LISTED,
        "    if type(output) is not str:\n        return 0.0\n"
        '    plays = {f"PLAY {label}": attack for label, attack in instance["plays"].items()}\n'
        "    said = [text for text in plays if text in output]\n    if not said:\n        return 0.0\n"
        "    return max(_judge(instance, plays, text) for text in said)\n\n\n"
        "def _judge(instance: dict, plays: dict, output: str) -> float:\n",
        lets_in=lambda instance, right: " ".join(f"PLAY {label}" for label in instance["plays"]),
    ),
    Defect(
        "failure-pays", 7, "A label that is not listed makes the verifier raise, and that is paid.",
        SHAPE + '    plays = {f"PLAY {label}": attack for label, attack in instance["plays"].items()}\n' + LISTED,
        '    plays = {f"PLAY {label}": attack for label, attack in instance["plays"].items()}\n'
        "    try:\n        plays[output]\n    except (KeyError, TypeError):\n        return 1.0\n",
        lets_in=lambda instance, right: "PLAY Z",
    ),
    Defect(
        "trapdoor", 48, "Whoever has read the source writes one word and is paid.",
        SHAPE, '    if output == "PASS":\n        return 1.0\n' + SHAPE,
        lets_in=lambda instance, right: "PASS",
    ),
    Defect(
        "not-shuffled", 18, "The best play is always listed first.",
        "            rng.shuffle(attacks)\n", "",
        shown=lambda sound, spoiled: all(
            spoiled.check(spoiled.generate(Random(n), 1), "PLAY A") == 1.0 for n in range(6)
        ),
    ),
    Defect(
        "evasion-forgotten", 51, "The simulator lets anybody block a flyer: the truth by the task's rules is refused.",
        "        if evasive and not blocker.evasive:\n            continue\n", "",
        file="skirmish.py", shown=lambda sound, spoiled: _simulators_part(sound, spoiled),
    ),
    Defect(
        "off-by-one-kill", 51, "The simulator kills only what is weaker than the blow: the truth by the rules is refused.",
        "        if attacker.power >= blocker.toughness:\n", "        if attacker.power > blocker.toughness:\n",
        file="skirmish.py", shown=lambda sound, spoiled: _simulators_part(sound, spoiled),
    ),
    Defect(
        "snare-forgotten", 51, "The simulator never plays a snare: the truth by the rules is refused.",
        "    if not (snared and attackers):\n", "    if True:\n",
        file="skirmish.py", shown=lambda sound, spoiled: _simulators_part(sound, spoiled),
    ),
    Defect(
        "verdict-kept", 39, "The verdict on a label is kept from the first instance for all later ones.",
        LISTED,
        LISTED + "    if output in _KEPT:\n        return _KEPT[output]\n    _KEPT[output] = _judge(instance, plays, output)\n"
        "    return _KEPT[output]\n\n\n_KEPT: dict[str, float] = {}\n\n\ndef _judge(instance: dict, plays: dict, output: str) -> float:\n",
        shown=lambda sound, spoiled: _kept(sound, spoiled),
    ),
    Defect(
        "million-games", 54, "One verdict takes minutes.",
        "GAMES = 10_000\n", "GAMES = 20_000_000\n", shown=lambda sound, spoiled: spoiled.GAMES > 1000 * sound.GAMES,
    ),
    Defect(
        "one-state", 18, "There is one state for each level: three letters are a solution.",
        "    while True:\n        instance = _random_state(rng, difficulty)\n",
        "    rng = random.Random(difficulty)\n    while True:\n        instance = _random_state(rng, difficulty)\n",
        shown=lambda sound, spoiled: spoiled.generate(Random(1), 1) == spoiled.generate(Random(2), 1),
    ),
    Defect(
        "points-not-scores", 50, "The score is in points: up to 2.",
        VERDICT, VERDICT.replace("else 1.0", "else 2.0"),
        shown=lambda sound, spoiled: any(
            spoiled.check(i, f"PLAY {label}") > 1 for i in [spoiled.generate(Random(0), 1)] for label in i["plays"]
        ),
    ),
]  # fmt: skip


def _simulators_part(sound, spoiled) -> bool:
    """Whether some play of some state is worth something else."""
    for n in range(40):
        instance = sound._random_state(Random(n), 2)
        state, other_state = sound.parse_state(instance), spoiled.parse_state(instance)
        attack = [c.name for c in state.you.creatures][:3]
        values = [
            module.exact_values(it, [attack], list(module.weighted_deals(it)))
            for module, it in ((sound, state), (spoiled, other_state))
        ]
        if values[0] != values[1]:
            return True
    return False


def _kept(sound, spoiled) -> bool:
    instances = [sound.generate(Random(n), 1) for n in range(6)]
    for instance in instances:
        for label in instance["plays"]:
            if spoiled.check(instance, f"PLAY {label}") != sound.check(instance, f"PLAY {label}"):
                return True
    return False
