"""Every rule by its stable id: what it means, why it matters, what to do. docs/rules is made from this."""

from __future__ import annotations

from dataclasses import dataclass

from envbounty.findings import Evidence, Finding, Severity, clip

#: A message may quote what a stranger's code said.
MAX_MESSAGE = 1000


@dataclass(frozen=True)
class Rule:
    """One thing that an environment can do wrong."""

    id: str
    phase: str  # contract, generator, reference, solutions, probes, scoring, prompt
    severity: Severity
    title: str
    why: str
    fix: str
    bad: str  # a case that is found …
    good: str  # … and the same, mended

    def finding(
        self,
        message: str,
        *,
        path: str,
        line: int = 1,
        evidence: Evidence | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        return Finding(
            rule=self.id,
            severity=severity or self.severity,
            message=clip(message, MAX_MESSAGE),
            path=path,
            line=line,
            evidence=evidence,
            fix=self.fix,
        )


E, W = Severity.ERROR, Severity.WARNING

_ALL = [
    Rule(
        "contract-broken", "contract", E,
        "The files do not keep the contract",
        "Nothing can be run, trained on or paid for until the platform can tell what the parts of an environment are.",
        "Mend the file and line named; `envbounty new` lays down a directory that keeps the contract.",
        "`kind: functions` in env.yaml",
        "`kind: function`",
    ),
    Rule(
        "import-fails", "contract", E,
        "The verifier's code cannot be loaded",
        "A verifier that does not load gives no reward, and a trainer cannot tell that from a wrong answer.",
        "Run the file with a plain Python; use the standard library only; define generate and check at the top level.",
        "`import numpy` at the top of environment.py (the jail has the standard library only)",
        "`import math`",
    ),
    Rule(
        "generator-fails", "generator", E,
        "generate() fails on a seed it was given",
        "A trainer draws any seed of the declared range; each failure is a lost rollout, or a crash in mid-run.",
        "Make generate() work for every seed and every difficulty between min and max.",
        "`return {'n': rng.choice([])}` at difficulty 0",
        "`return {'n': rng.choice(range(1, 2 + difficulty))}`",
    ),
    Rule(
        "generator-not-json", "generator", E,
        "generate() gives something that is no JSON object",
        "Instances are stored, hashed, shown and sent between processes as JSON; what JSON lacks is lost on the way.",
        "Return a dict with text keys that holds lists, dicts, text, finite numbers, booleans and None.",
        "`return {'points': {(0, 1), (2, 3)}}`",
        "`return {'points': [[0, 1], [2, 3]]}`",
    ),
    Rule(
        "generator-nondeterministic", "generator", E,
        "The same seed gives different instances",
        "A result that cannot be repeated cannot be checked or appealed, and train and test sets may overlap.",
        "Draw everything from the rng you are given, and never iterate over a set or use hash(), id(), time or random.",
        "`order = list({'a', 'b', 'c'})`",
        "`order = rng.sample(['a', 'b', 'c'], 3)`",
    ),
    Rule(
        "generator-repeats", "generator", E,
        "Different seeds give the same instance",
        "A model that has seen the few instances there are memorises the answers instead of solving the task.",
        "Widen the generator: more than 9 in 10 seeds should give an instance of their own.",
        "`n = rng.randint(1, 3)` is all that varies",
        "`values = [rng.randint(-10**6, 10**6) for _ in range(n)]`",
    ),
    Rule(
        "instance-lacks-key", "generator", E,
        "An instance lacks a key that env.yaml or task.md names",
        "The submission would be called with nothing, or the model would be shown an empty place.",
        "Return that key from generate(), or correct its name in env.yaml or task.md.",
        "`parameters: [shifts]` while generate() returns `{'shift': …}`",
        "generate() returns `{'shifts': …}`",
    ),
    Rule(
        "reference-fails", "reference", E,
        "The reference solution does not run to its end",
        "Without a right answer there is nothing to hold the verifier against.",
        "Make solutions/reference run within the limits of env.yaml on every instance.",
        "a recursive reference that exceeds the recursion limit on the largest instance",
        "the same written as a loop",
    ),
    Rule(
        "reference-rejected", "reference", E,
        "The verifier rejects the reference solution",
        "A verifier that refuses right answers teaches the model to do something else.",
        "Mend whichever of the two is wrong: the reference must reach pass_score on every instance.",
        "`return 1.0 if output == instance['answer'] + 1 else 0.0`",
        "`return 1.0 if output == instance['answer'] else 0.0`",
    ),
    Rule(
        "oracle-disagrees", "reference", E,
        "reference() and solutions/reference give different answers",
        "One of the two is wrong, and whoever relies on it will be wrong with it.",
        "Mend the wrong one, or declare with scoring.answers.compare which outputs are the same answer.",
        "reference() rounds, the solution does not",
        "both round, or `answers: {compare: tolerance, abs_tol: 1e-6}`",
    ),
    Rule(
        "good-rejected", "solutions", E,
        "A solution that is right is rejected",
        "Over-strict verifiers are the commonest defect: the model is punished for a right answer in another form.",
        "Accept every right form, or move the file out of solutions/good.",
        "`return 1.0 if output is instance['answer'] else 0.0`",
        "`return 1.0 if output == instance['answer'] else 0.0`",
    ),
    Rule(
        "bad-accepted", "solutions", E,
        "A solution that is wrong is accepted",
        "The author says in its first line what is wrong with it, and the verifier pays for it all the same.",
        "Test what the file gets wrong: add such instances to generate(), or tighten check().",
        "all instances are already sorted, so a solution that forgets to sort passes",
        "`rng.shuffle(values)`",
    ),
    Rule(
        "bad-does-not-run", "solutions", W,
        "A wrong solution fails before it can be judged",
        "A file that crashes says nothing about the verifier: anything would reject it.",
        "Mend the file so that it runs and gives a wrong answer.",
        "`def solve(values): return sort(values)[0]` (NameError)",
        "`def solve(values): return sorted(values)[1]`",
    ),
    Rule(
        "few-solutions", "solutions", W,
        "There are fewer than 2 good or 5 bad solutions",
        "They are what shows that the verifier accepts other right answers and rejects likely wrong ones.",
        "Add more files to solutions/good and solutions/bad.",
        "an empty solutions/bad",
        "five files, each wrong in its own way",
    ),
    Rule(
        "accepts-nothing", "probes", E,
        "Nothing at all is accepted as an answer",
        "An empty answer is the first thing a model finds, and `all([])` is true.",
        "Reject an empty answer before comparing: test the length first.",
        "`return float(all(x in good for x in output))`",
        "`return float(len(output) == n and all(x in good for x in output))`",
    ),
    Rule(
        "accepts-junk", "probes", E,
        "Random bytes are accepted as an answer",
        "If noise is rewarded, everything is.",
        "Parse strictly and reject what does not parse.",
        "`return 0.0 if output == wrong_answer else 1.0`",
        "`return 1.0 if output == right_answer else 0.0`",
    ),
    Rule(
        "accepts-wrong-type", "probes", E,
        "An output of another type is accepted",
        "A check that leans on truthiness, str() or `in` can be satisfied by a value that answers nothing.",
        "Start check() with the type: `if type(output) is not int: return 0.0`.",
        "`return float(str(instance['answer']) in str(output))`",
        "`return float(type(output) is int and output == instance['answer'])`",
    ),
    Rule(
        "accepts-constant", "probes", E,
        "A constant is accepted where it is wrong",
        "The cheapest thing a model can learn is to say the same every time.",
        "Compare with the right answer of this instance, not with its type or range.",
        "`return float(isinstance(output, int) and output >= 0)`",
        "`return float(output == instance['answer'])`",
    ),
    Rule(
        "accepts-echo", "probes", E,
        "The input itself is accepted as the answer",
        "Copying the question is no answer.",
        "Compare with the right answer; a property such as `same elements` is not enough on its own.",
        "`return float(sorted(output) == sorted(instance['values']))` for a sorting task",
        "`return float(output == sorted(instance['values']))`",
    ),
    Rule(
        "accepts-other-answer", "probes", E,
        "The right answer of another instance is accepted",
        "The verifier does not look at the instance, so one answer serves for all.",
        "Use the instance in check().",
        "`return float(is_valid_plan(output))`",
        "`return float(reaches(instance['goal'], output))`",
    ),
    Rule(
        "accepts-truncated", "probes", E,
        "A right answer that was cut short is accepted",
        "zip() stops at the shorter side and `startswith` at the prefix: a part of the answer passes for the whole.",
        "Compare lengths before elements, and whole texts instead of prefixes.",
        "`return float(all(a == b for a, b in zip(output, answer)))`",
        "`return float(output == answer)`",
    ),
    Rule(
        "accepts-nonfinite", "probes", E,
        "NaN or infinity is accepted as an answer",
        "Every comparison with NaN is false, so `abs(a - b) > tolerance` never rejects it.",
        "Reject what is not math.isfinite(), and write the test as `abs(a - b) <= tolerance`.",
        "`if abs(output - answer) > 1e-6: return 0.0`",
        "`return float(math.isfinite(output) and abs(output - answer) <= 1e-6)`",
    ),
    Rule(
        "accepts-huge", "probes", E,
        "A huge or deeply nested output is accepted",
        "An answer of any size that holds the right part somewhere is not the right answer.",
        "Bound the size of what is accepted, and compare as a whole.",
        "`return float(answer in output)`",
        "`return float(output == answer)`",
    ),
    Rule(
        "equivalent-too-wide", "scoring", E,
        "equivalent() calls different answers the same",
        "It is what tells a wrong answer from another right one; if it says yes to noise, no defect could be proved.",
        "Make equivalent() true only for outputs that are right answers to this instance in another form.",
        "`def equivalent(instance, a, b): return True`",
        "`def equivalent(instance, a, b): return parse(a) is not None and parse(a) == parse(b)`",
    ),
    Rule(
        "equivalent-fails", "scoring", E,
        "equivalent() does not say that a right answer is the same as itself",
        "It is asked whether two outputs are the same answer; while it fails, nobody can say which outputs are wrong.",
        "Make equivalent() true for two copies of one right answer; return False for what does not parse.",
        "`def equivalent(instance, a, b): return int(a) == int(b)` where answers are fractions",
        "`def equivalent(instance, a, b): return parse(a) is not None and parse(a) == parse(b)`",
    ),
    Rule(
        "score-invalid", "scoring", E,
        "A score is no finite number between 0 and 1",
        "A NaN or a 2.0 poisons the average of a whole batch and the gradient with it.",
        "Return a float, and clip what is computed: `max(0.0, min(1.0, score))`.",
        "`return len(matches) / expected_count` with more matches than expected",
        "`return min(1.0, len(matches) / expected_count)`",
    ),
    Rule(
        "score-unstable", "scoring", E,
        "The same submission gets different scores",
        "Training on a lottery teaches to play it: the same answer must be worth the same each time.",
        "Seed whatever is random from the instance, keep no state between calls, do not depend on the order of a set.",
        "`if random.random() < 0.5: return 1.0`",
        "`rng = random.Random(instance['seed'])`",
    ),
    Rule(
        "verifier-raises", "scoring", W,
        "check() raises on an output that a stranger could send",
        "Whether a crash counts as 0, as a retry or as a stop is then up to the trainer, and some count it as success.",
        "Check type and shape first and return 0.0 for what does not fit.",
        "`return float(int(output) == answer)`",
        "`return float(type(output) is int and output == answer)`",
    ),
    Rule(
        "verifier-ends-process", "scoring", E,
        "check() ends its own process, or uses more than it may",
        "A verifier that exits, forks, or eats the memory takes the trainer's worker with it.",
        "Never call exit, and bound what check() allocates by the instance, not by the output.",
        "`sys.exit(0)` in check()",
        "`return 1.0`",
    ),
    Rule(
        "verifier-too-slow", "scoring", E,
        "One call of check() takes longer than limits.check_s",
        "A model can stall a whole batch by sending the outputs that make the verifier slow.",
        "Bound the size of the output first; use a linear method; raise limits.check_s only if honest outputs need it.",
        "`re.fullmatch(r'(a+)+', output)`",
        "`len(output) < 100 and set(output) == {'a'}`",
    ),
    Rule(
        "prompt-leaks-answer", "prompt", E,
        "The task text contains the answer",
        "The model only has to copy it.",
        "Take the answer out of task.md and out of the instance's keys that it shows.",
        "`{{ answer }}` in task.md",
        "only the question's own keys in task.md",
    ),
]  # fmt: skip

RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
