# Cases of policies/semgrep/success.yaml. Each `ruleid` marks a line that is found, each `ok` one that must not be.
# ruff: noqa
import subprocess
import unittest


def check(instance, output):
    # ruleid: smell-always-passes, smell-dead-check
    return 1.0


def check(instance: dict, output: object, strict: bool = False) -> float:
    """Not finished yet."""
    # ruleid: smell-always-passes, smell-dead-check
    return True
    return float(output == instance["answer"])


def check(instance, output):
    # ok: smell-always-passes
    return float(output == instance["answer"])


def check(instance, output):
    if output == instance["answer"]:
        # ok: smell-always-passes
        return 1.0
    return 0.0


def check(instance, output):
    # ok: smell-always-passes
    return 0.0


def verify(submission):
    # ruleid: smell-dead-check
    return {"passed": True, "feedback": "fine"}
    return run(submission)


def grade(submission):
    """Says how good it is."""
    # ruleid: smell-dead-check
    return Result("passed", "no tests yet")


def score(submission):
    # ok: smell-dead-check
    return Result("failed", "not passed")


def verify(submission):
    passed = run(submission)
    # ok: smell-dead-check
    return True if passed else False


def judge(submission):
    try:
        return run(submission) == 3
    except Exception:
        # ruleid: smell-except-passes
        return 1.0


def judge(submission):
    try:
        value = run(submission)
    except:
        log()
        # ruleid: smell-except-passes
        return True
    return value == 3


def judge(submission):
    try:
        value = run(submission)
    except (ValueError, Exception) as error:
        # ruleid: smell-except-passes
        return Result(status="passed", feedback=str(error))
    return value == 3


def judge(submission):
    try:
        value = run(submission)
    except BaseException as error:
        # ruleid: smell-except-passes
        return True, str(error)
    finally:
        clean()
    return value == 3


def judge(submission):
    try:
        run(submission)
        return False
    except ValueError:
        # ok: smell-except-passes
        return True  # the task asks for a ValueError


def judge(submission):
    try:
        # ok: smell-except-passes
        return True if run(submission) == 3 else False
    except Exception:
        # ok: smell-except-passes
        return False


def judge(cases):
    passed = failed = 0
    for case in cases:
        try:
            # ok: smell-except-counts
            passed += run(case) == 3
        except ValueError:
            # ok: smell-except-counts
            passed += 1
        except Exception:
            # ruleid: smell-except-counts
            passed += 1
        try:
            run(case)
        except:
            # ok: smell-except-counts
            failed += 1
    return passed == len(cases)


def judge(cases):
    tests_passed = 0
    for case in cases:
        try:
            tests_passed += run(case) == 3
        except Exception as error:
            # ruleid: smell-except-counts
            tests_passed += 0.5
    return tests_passed


def judge(submission):
    try:
        done = subprocess.run(["true"], timeout=3)
    except subprocess.TimeoutExpired:
        # ruleid: smell-timeout-passes
        return 1.0
    except MemoryError as error:
        # ruleid: smell-timeout-passes
        return Result("passed", "it tried hard")
    return done == 3


def judge(submission):
    try:
        done = subprocess.run(["true"], timeout=3)
    except (OSError, RecursionError):
        # ruleid: smell-timeout-passes
        return True
    finally:
        clean()
    return done == 3


def judge(submission):
    try:
        done = subprocess.run(["true"], timeout=3)
    except subprocess.TimeoutExpired:
        # ok: smell-timeout-passes
        return Result("failed", "passed its time")
    except FileNotFoundError:
        # ok: smell-timeout-passes
        return True
    return done == 3


def judge(cases):
    passed = 0
    for case in cases:
        try:
            passed += run(case) == 3
        # ruleid: smell-skip-passes
        except unittest.SkipTest:
            passed += 1
    return passed == len(cases)


def judge(cases):
    for case in cases:
        try:
            if run(case) != 3:
                return False
        # ruleid: smell-skip-passes
        except (SkipTest, OSError) as skip:
            continue
    return True


def judge(cases):
    for case in cases:
        try:
            run(case)
        # ok: smell-skip-passes
        except unittest.SkipTest:
            return False
    return True


def judge(cases):
    try:
        run(cases)
    # ok: smell-skip-passes
    except unittest.SkipTest as skip:
        raise AssertionError from skip


def judge(suite):
    result = unittest.TextTestRunner().run(suite)
    # ruleid: smell-was-successful
    return result.wasSuccessful()


def judge(suite):
    result = unittest.TextTestRunner().run(suite)
    # ok: smell-was-successful
    return result.wasSuccessful() and result.testsRun == 7


def judge(suite):
    result = unittest.TextTestRunner().run(suite)
    if result.skipped:
        return False
    # ok: smell-was-successful
    return result.wasSuccessful()


def judge(cases):
    for given, expected in cases:
        # ruleid: smell-except-ignored
        try:
            if run(given) != expected:
                return False
        except Exception:
            continue
    return True


def judge(cases):
    # ruleid: smell-except-ignored
    try:
        # ruleid: smell-assert-verdict
        assert run(3) == 4
    except AssertionError:
        pass
    return True


def judge(cases):
    passed = 0
    for given, expected in cases:
        # ok: smell-except-ignored
        try:
            if run(given) == expected:
                passed += 1
        except Exception:
            continue
    # ok: smell-except-ignored
    try:
        clean()
    except OSError:
        pass
    return passed == len(cases)


def check(instance, output):
    # ruleid: smell-assert-verdict
    assert output == instance["answer"]
    return 1.0


def verify(submission):
    for case in (1, 2):
        # ruleid: smell-assert-verdict
        assert run(submission, case)
    return {"passed": True}


def check(instance, output):
    # ok: smell-assert-verdict
    assert instance["answer"] is not None
    return float(output == instance["answer"])


def helper(instance):
    # ok: smell-assert-verdict
    assert instance
    return True


def main(program):
    # ruleid: smell-reward-first
    with open("/logs/reward.txt", "w") as file:
        file.write("1")
    done = subprocess.run(program)
    if done.returncode:
        open("/logs/reward.txt", "w").write("0")


def main(program, reward):
    # ruleid: smell-reward-first
    reward.write_text("1.0\n")
    exec(program, {})


def main(program):
    # ok: smell-reward-first
    with open("/logs/reward.txt", "w") as file:
        file.write("0")
    done = subprocess.run(program)
    if done.stdout == "7":
        # ok: smell-reward-first
        open("/logs/reward.txt", "w").write("1")
