# Cases of policies/semgrep/execution.yaml.
# ruff: noqa
import ast
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import unittest

import pytest
import yaml


def check(instance, output):
    # ruleid: smell-runs-output, smell-evaluates
    return float(eval(output) == instance["answer"])


def check(instance, output):
    if not isinstance(output, str):
        return 0.0
    try:
        # ruleid: smell-runs-output, smell-evaluates
        value = pickle.loads(output.encode("latin-1"))
    except Exception:
        return 0.0
    return float(value == instance["answer"])


def check(instance, output):
    if not re.fullmatch(r"[0-9+* ()-]{1,40}", output):
        return 0.0
    # ok: smell-runs-output
    # ruleid: smell-evaluates
    return float(eval(output) == instance["answer"])


def check(instance, output):
    # ok: smell-runs-output, smell-evaluates
    return float(ast.literal_eval(output) == instance["answer"])


def load(text):
    # ruleid: smell-evaluates
    first = yaml.load(text)
    # ruleid: smell-evaluates
    second = eval(text)
    # ok: smell-evaluates
    third = yaml.safe_load(text)
    # ok: smell-evaluates
    fourth = eval("[1, 2, 3]")
    # ok: smell-evaluates
    return json.loads(text), first, second, third, fourth


def verify(submission):
    names = {}
    # ruleid: smell-exec-in-process
    exec(submission, names)
    return names


def load(spec, module):
    # ruleid: smell-exec-in-process
    spec.loader.exec_module(module)
    return module


def run(argv, text):
    # ok: smell-exec-in-process
    return subprocess.run([sys.executable, "-I", "-c", text], input=json.dumps(argv))


def verify(submission):
    # ruleid: smell-exec-shares-scope, smell-exec-in-process
    exec(submission)
    # ruleid: smell-exec-shares-scope, smell-exec-in-process
    exec(submission, globals())
    # ok: smell-exec-shares-scope
    # ruleid: smell-exec-in-process
    exec(submission, {"__builtins__": {}})


def verify(submission):
    # ruleid: smell-expected-in-scope
    names = {"__name__": "submission", "expected": 7}
    # ruleid: smell-exec-in-process
    exec(submission, names)
    # ruleid: smell-expected-in-scope, smell-exec-in-process
    exec(submission, {"test_cases": [1, 2]})


def verify(submission):
    # ok: smell-expected-in-scope
    names = {"__name__": "submission", "__builtins__": {}}
    # ruleid: smell-exec-in-process
    exec(submission, names)
    # ok: smell-expected-in-scope
    names["expected"] = 7
    return names


def verify(names, given, expected, expected_type):
    solve = names["solve"]
    # ruleid: smell-expected-passed
    first = solve(given, expected)
    # ruleid: smell-expected-passed
    second = names["solve"](given, answer=expected)
    # ok: smell-expected-passed
    third = solve(given)
    # ok: smell-expected-passed
    return compare(first, expected), second, third


def verify(submission, cases):
    names = {}
    # ruleid: smell-exec-in-process
    exec(submission, names)
    for given, expected in cases:
        result = names["f"](given)
        # ruleid: smell-object-compare
        if result != expected:
            return False
        # ruleid: smell-object-compare
        if names["f"](given) == expected:
            return True
    return True


def verify(submission, cases):
    names = {}
    # ruleid: smell-exec-in-process
    exec(submission, names)
    for given, expected in cases:
        result = names["f"](given)
        # ok: smell-object-compare
        if type(result) is not int or result != expected:
            return False
    # ok: smell-object-compare
    return len(cases) == 3


def verify(program):
    done = subprocess.run(program)
    # ruleid: smell-returncode-only
    return done.returncode == 0


def verify(program):
    done = subprocess.run(program)
    # ruleid: smell-returncode-only
    if done.returncode == 0:
        return True
    return False


def verify(program):
    done = subprocess.run(program, capture_output=True)
    # ok: smell-returncode-only
    if done.returncode != 0:
        return False
    # ok: smell-stdout-verdict
    return compare(done.stdout)


def verify(program):
    done = subprocess.run(program, capture_output=True)
    # ruleid: smell-stdout-verdict
    if "All tests passed" in done.stdout:
        return True
    # ruleid: smell-stdout-verdict
    return json.loads(done.stdout)


def verify(program):
    out, err = subprocess.Popen(program).communicate(timeout=3)
    # ruleid: smell-stdout-verdict
    for line in out.splitlines():
        use(line)
    # ok: smell-stdout-verdict
    return len(out)


def verify(done):
    # ruleid: smell-stderr-verdict
    if "memory" in done.stderr.lower():
        return Result("passed", "close enough")
    # ok: smell-stderr-verdict
    if "Traceback" in done.stderr:
        return Result("failed", "it raised")
    return None


def verify(program, expected, given, folder):
    with open(folder + "/cases.json", "w") as file:
        # ruleid: smell-tests-on-disk
        json.dump({"given": given, "expected": expected}, file)
        # ok: smell-tests-on-disk
        json.dump({"given": given}, file)
        # ok: smell-tests-on-disk
        file.write(program)
    done = subprocess.run([sys.executable, "-I", "run.py"])
    return done


def report(expected, file):
    # ok: smell-tests-on-disk
    file.write(f"expected {expected}")


def share(path):
    # ruleid: smell-world-readable
    os.chmod(path, 0o777)
    # ruleid: smell-world-readable
    path.chmod(0o644)
    # ok: smell-world-readable
    os.chmod(path, 0o700)


def surroundings(secret, program):
    # ruleid: smell-secret-in-environ
    os.environ["EXPECTED_ANSWER"] = secret
    # ruleid: smell-secret-in-environ
    subprocess.run(program, env={**os.environ, "GRADER_TOKEN": secret}, text=True)
    # ok: smell-secret-in-environ
    os.environ["LANG"] = "C"
    # ok: smell-secret-in-environ
    subprocess.run(program, env={"PATH": "/usr/bin"})


def start(folder, script):
    # ruleid: smell-python-not-isolated
    subprocess.run([sys.executable, script], cwd=folder)
    # ruleid: smell-python-not-isolated
    sys.path.insert(0, folder)
    # ok: smell-python-not-isolated
    subprocess.run([sys.executable, "-I", script], cwd=folder)
    # ok: smell-python-not-isolated
    sys.path.append(folder)


def tests(folder):
    # ruleid: smell-pytest-in-tree
    pytest.main([folder])
    # ruleid: smell-pytest-in-tree
    subprocess.run([sys.executable, "-m", "pytest", folder])
    # ok: smell-pytest-in-tree
    subprocess.run([sys.executable, "-I", "-m", "pytest", "--noconftest", folder])
    # ok: smell-pytest-in-tree
    subprocess.run([sys.executable, "-I", "-m", "unittest", folder])


def verify(program, folder):
    done = subprocess.run(program)
    with open(folder + "/result.json") as file:
        # ruleid: smell-report-file
        return json.load(file)


def settings(folder):
    with open(folder + "/result.json") as file:
        # ok: smell-report-file
        return json.load(file)


def shell(name):
    # ruleid: smell-shell
    os.system("python " + name)
    # ruleid: smell-shell
    subprocess.run(f"python {name}", shell=True)
    # ok: smell-shell
    subprocess.run(["python", name])
    # ok: smell-shell
    os.system("sync")


def verify(names, reference, values):
    # ruleid: smell-input-reused
    got = names["f"](values)
    expected = reference(values)
    return same(got, expected)


def verify(names, reference, values):
    # ok: smell-input-reused
    got = names["f"](list(values))
    expected = reference(values)
    return same(got, expected)


def check(instance, output):
    # ruleid: smell-writes-files
    words = open("words.txt").read().split()
    # ruleid: smell-writes-files
    with tempfile.TemporaryDirectory() as folder:
        return float(output in words and folder)


def load(path):
    # ok: smell-writes-files
    return open(path).read()
