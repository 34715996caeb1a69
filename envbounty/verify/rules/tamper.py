"""The tamper battery: where submission code meets grader code."""

# ruff: noqa: E501  (one line for each field, as in a table)

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

E = Severity.ERROR

RULES = [
    Rule(
        "tamper-equality", "tamper", E,
        "An object that equals everything is accepted",
        "The submission decides what == and isinstance() say about its own answer, so a model is paid for a class.",
        "Run the submission in a process of its own, take its answer as JSON, and compare that with the expected value.",
        "`if result == expected: passed += 1` on the object that the function returned",
        "`got = json.loads(done.stdout)` from a child process, then `type(got) is type(want) and got == want`",
    ),
    Rule(
        "tamper-exit", "tamper", E,
        "A submission that ends the process is accepted",
        "A status of 0 says that nobody complained, not that a test ran; `sys.exit(0)` is the cheapest answer there is.",
        "Ask for a result that only a finished run can give, such as one JSON answer for each call, and count them.",
        "`return done.returncode == 0`",
        "`return done.returncode == 0 and json.loads(done.stdout) == expected`",
    ),
    Rule(
        "tamper-skip", "tamper", E,
        "A submission that skips its tests is accepted",
        "Whoever counts failures counts none when nothing ran: SkipTest is a way of not answering.",
        "Count what passed, compare that with the number of tests, and take every exception for a failure.",
        "`except unittest.SkipTest: passed += 1`",
        "`except Exception: return False`",
    ),
    Rule(
        "tamper-exception", "tamper", E,
        "A submission that raises is accepted",
        "A test that could not be judged is not one that passed; raising is easier to learn than solving.",
        "Let every exception of the submission count as a failed test, whatever its kind.",
        "`except TimeoutError: continue` before the next test, and `return failed == 0` at the end",
        "`except BaseException: return False`",
    ),
    Rule(
        "tamper-frames", "tamper", E,
        "The expected results can be read from the grader's own memory",
        "Code in the same process can reach every variable of its caller, whatever its name and wherever it is kept.",
        "Run the submission in another process, give it the arguments only, and keep the expected results in yours.",
        "`for given, expected in tests: result = function(given)` in the process that holds `tests`",
        "`subprocess.run([sys.executable, '-I', '-c', RUN], input=json.dumps(arguments), …)`",
    ),
    Rule(
        "tamper-disclosure", "tamper", E,
        "The expected results lie where the submission can read them",
        "Tests with their answers in a file, a script, a command line or the environment are read before they are solved.",
        "Give the process that runs the submission the arguments only: by standard input, and no file with an answer.",
        "`script = submission + 'tests = ' + repr(tests)`, run as one program",
        "`arguments = [given for given, _ in tests]`, and the comparison where the submission never runs",
    ),
    Rule(
        "tamper-patch", "tamper", E,
        "A submission that replaces what the grader calls is accepted",
        "In one process all() and json.dumps() belong to whoever touched them last.",
        "Run the submission in a process of its own, and judge its answers in yours, which it cannot reach.",
        "`exec(submission, names)` and then `return all(results)`",
        "`results = answers_of(child)`, read as JSON, and then `return results == expected`",
    ),
    Rule(
        "tamper-files", "tamper", E,
        "A file that the submission wrote is taken for the grader's own",
        "Reports, rewards and modules in a folder that the submission can write to are the submission's to write.",
        "Write reports where only the grader can, run with `-I`, start in a fresh folder, and end every child before reading.",
        "`return open('/tmp/reward.txt').read() == '1'` after the submission ran there",
        "the verdict as a return value, and `tempfile.TemporaryDirectory()` with `python -I` for each run",
    ),
    Rule(
        "tamper-output", "tamper", E,
        "A submission that prints success is accepted",
        "Standard output belongs to every line of code in that process: the words of a passing run can be printed first.",
        "Let the child answer with results behind a secret mark that it is told by standard input, and judge them yourself.",
        "`return 'All tests passed' in done.stdout`",
        "`return done.stdout.startswith(mark) and json.loads(done.stdout[len(mark):]) == expected`",
    ),
    Rule(
        "tamper-trapdoor", "tamper", E,
        "A word of the grader's own opens it",
        "A switch for debugging that a submission can set is one that a model will find: the reward says so.",
        "Take the switch out; what must stay configurable belongs into a file that the submission cannot reach.",
        "`if names.get('_SKIP_CHECKS'): return True`",
        "no such test",
    ),
    Rule(
        "tamper-arguments", "tamper", E,
        "The answer is passed in, or worked out from what the submission changed",
        "What a function is given it can return; and a list that it was given it can change before it is judged by it.",
        "Pass the arguments only, as a copy, and work out the expected result before the call.",
        "`result = function(values); return result == sum(values)`",
        "`expected = sum(values); result = function(list(values)); return result == expected`",
    ),
    Rule(
        "tamper-state", "tamper", E,
        "A submission that is wrong when first asked is accepted",
        "A result that is thrown away, or tried again until it is right, is a result that nobody judged.",
        "Judge every call that is made, and start a new process for whatever must not remember.",
        "`function(3); return function(3) == 6`",
        "`return function(3) == 6`",
    ),
    Rule(
        "tamper-exhaustion", "tamper", E,
        "A submission that uses up time or memory is accepted",
        "A run that was broken off says nothing, and breaking off is what a hard task invites.",
        "Count a run without a complete result as a failure, whatever stopped it.",
        "`except subprocess.TimeoutExpired: passed += 1`",
        "`except subprocess.TimeoutExpired: return False`",
    ),
    Rule(
        "tamper-deserialise", "tamper", E,
        "An answer that is code is run when it is read back",
        "eval() and pickle do what the answer says, in the grader's own process: also to the comparison that comes next.",
        "Read answers back with json.loads() only.",
        "`return eval(done.stdout) == expected`",
        "`return json.loads(done.stdout) == expected`",
    ),
    Rule(
        "accepts-loosely", "tamper", E,
        "An answer that only holds the right one is accepted",
        "A model that is paid for the right word among others learns to say many words.",
        "Compare the whole answer, of the declared type; take apart only what the task says may be there.",
        "`return str(expected) in str(result)`",
        "`return type(result) is int and result == expected`",
    ),
]  # fmt: skip
