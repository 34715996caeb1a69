"""When are two texts the same answer? The rules that `benchmarks.reasoning_gym` declares, one function each.

Written from the questions, not from the scorers. Where a question leaves the form open the rule is lenient, so that
only a difference in what is said makes an answer wrong. Standard library alone: this file also goes into the jail.
"""

import ast
import json
import math
import re
from fractions import Fraction

#: A sign counts with the number that it stands before; a hyphen between two digits does not (dates).
NUMBER = re.compile(r"(?<![\w.])[-+]?\s*(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


def numbers(text):
    """The numbers in a text, in order; thousands may have commas."""
    return [float(re.sub(r"[\s,]", "", found)) for found in NUMBER.findall(text.replace("\u2212", "-"))]


def close(xs, ys, absolute, relative):
    return len(xs) == len(ys) and all(
        math.isclose(x, y, abs_tol=absolute, rel_tol=relative) for x, y in zip(xs, ys, strict=True)
    )


def in_order(a, b, absolute, relative):
    return close(numbers(a), numbers(b), float(absolute), float(relative))


def in_some_order(a, b, absolute, relative):
    return close(sorted(numbers(a)), sorted(numbers(b)), float(absolute), float(relative))


def one_number(a, b):
    """Each text speaks of one number, however often, and of the same."""
    return len(set(numbers(a))) == 1 and set(numbers(a)) == set(numbers(b))


def fraction(a, b):
    try:
        x, y = (Fraction(text.replace(",", "").replace(" ", "")) for text in (a, b))
    except (ValueError, ZeroDivisionError):
        return False
    return abs(x - y) <= Fraction(1, 10_000)


def hexadecimal(a, b):
    try:
        return int(a.strip(), 16) == int(b.strip(), 16)
    except ValueError:
        return False


def as_json(a, b):
    try:
        return bool(json.loads(a) == json.loads(b))
    except (ValueError, RecursionError):
        return a == b


def words(a, b):
    """The same words in the same order, whatever stands between them and however they are capitalised."""
    return re.findall(r"\w+", a.casefold()) == re.findall(r"\w+", b.casefold())


def arithmetic(a, b):
    """Two expressions over the same integers, each used as often, with the same value."""
    try:
        (x, used), (y, also) = value_of(a), value_of(b)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return False
    return x == y and sorted(used) == sorted(also)


def value_of(text):
    """The exact value of an arithmetic expression, and the integers in it. `ValueError` for anything else."""
    if len(text) > 200:
        raise ValueError("too long")
    used = []

    def value(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            used.append(node.value)
            return Fraction(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Div):
                return left / right
        raise ValueError("no arithmetic")

    return value(ast.parse(text.strip(), mode="eval").body), used


def palindrome(a, b):
    """Two palindromes of the same letters."""
    x, y = a.strip().lower(), b.strip().lower()
    return x == x[::-1] and y == y[::-1] and sorted(x) == sorted(y)


RULES = {
    "numbers": in_order,
    "some order": in_some_order,
    "one number": one_number,
    "fraction": fraction,
    "hexadecimal": hexadecimal,
    "json": as_json,
    "words": words,
    "arithmetic": arithmetic,
    "palindrome": palindrome,
}


def same(rule, a, b):
    """Whether two texts are the same answer by `rule`, a name in `RULES` and its arguments. What is no text is none."""
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    name = next(name for name in RULES if rule == name or rule.startswith(name + " "))
    return RULES[name](a, b, *rule.removeprefix(name).split())
