"""A second checker of proofs, for `equivalent` only. It shares nothing with the verifier but task.md.

Formulas are strings in Polish notation ("C" for ->, "A" for |, "K" for &, "N" for ~, as Lukasiewicz wrote
them), so that rules are concatenations. Each line carries the set of its open assumptions, and its truth
table is held against those of the assumptions and premises: a line that does not follow from them condemns
the proof, whatever the rules say.
"""

import re

_OPERATORS = {"->": ("C", 1), "|": ("A", 2), "&": ("K", 3), "~": ("N", 4)}
_RULE = r"premise|assume|&I|&E|[|]I|[|]E|->I|->E|~I|~E|FE|DN"
_ROW = re.compile(rf" *(\d+) *\.([^:]*): *({_RULE})((?: +\d+)*) *", re.ASCII)
_REFERENCES = {"premise": 0, "assume": 0, "&E": 1, "|I": 1, "FE": 1, "DN": 1, "|E": 5}  # the others: 2
_ROWS = range(32)


def polish(text: str) -> str:
    """The formula in Polish notation, by Dijkstra's shunting yard; ValueError if there is none."""
    if re.fullmatch(r"(?:->|[p-tF~&|() ])+", text) is None:
        raise ValueError(text)
    output: list[str] = []
    stack: list[str] = []
    operand_next = True
    for token in re.findall(r"->|[p-tF~&|()]", text):
        if token in ("~", "("):
            if not operand_next:
                raise ValueError(text)
            stack.append(token)
        elif token == ")":
            if operand_next:
                raise ValueError(text)
            while stack and stack[-1] != "(":
                _reduce(output, stack.pop())
            if not stack:
                raise ValueError(text)
            stack.pop()
        elif token in _OPERATORS:
            if operand_next:
                raise ValueError(text)
            level = _OPERATORS[token][1]
            while stack and stack[-1] != "(" and _OPERATORS[stack[-1]][1] >= level + (token == "->"):
                _reduce(output, stack.pop())
            stack.append(token)
            operand_next = True
        else:
            if not operand_next:
                raise ValueError(text)
            output.append(token)
            operand_next = False
        # What is still on the stack and nests: at most 40 at a time.
        if sum(sign in ("~", "(", "->") for sign in stack) > 40:
            raise ValueError("nested too deeply")
    if operand_next or "(" in stack:
        raise ValueError(text)
    while stack:
        _reduce(output, stack.pop())
    return output[0]


def _reduce(output: list[str], sign: str) -> None:
    letter = _OPERATORS[sign][0]
    right = output.pop()
    output.append(letter + right if sign == "~" else letter + output.pop() + right)


def operands(formula: str) -> tuple[str, str]:
    """The two operands of a binary formula."""
    open_places, at = 1, 1
    while open_places:
        open_places += {"C": 1, "A": 1, "K": 1, "N": 0}.get(formula[at], -1)
        at += 1
    return formula[1:at], formula[at:]


def truths(formula: str) -> frozenset[int]:
    """The valuations, numbered 0 to 31, that make the formula true."""
    stack: list[frozenset[int]] = []
    every = frozenset(_ROWS)
    for sign in reversed(formula):
        if sign == "N":
            stack.append(every - stack.pop())
        elif sign in "CAK":
            left, right = stack.pop(), stack.pop()
            stack.append({"C": (every - left) | right, "A": left | right, "K": left & right}[sign])
        else:
            stack.append(frozenset(row for row in _ROWS if sign != "F" and row >> "pqrst".index(sign) & 1))
    return stack[0]


def follows(rule: str, new: str, cited: list[str]) -> bool:
    """Whether `new` follows by the rule from the formulas cited; assumptions apart."""
    if rule == "&I":
        return new == "K" + cited[0] + cited[1]
    if rule == "&E":
        return cited[0].startswith("K") and new in operands(cited[0])
    if rule == "|I":
        return new.startswith("A") and cited[0] in operands(new)
    if rule == "|E":
        return cited[0] == "A" + cited[1] + cited[3] and cited[2] == new and cited[4] == new
    if rule == "->I":
        return new == "C" + cited[0] + cited[1]
    if rule == "->E":
        return cited[0] == "C" + cited[1] + new
    if rule == "~I":
        return (new, cited[1]) == ("N" + cited[0], "F")
    if rule == "~E":
        return (cited[0], new) == ("N" + cited[1], "F")
    return cited[0] == ("F" if rule == "FE" else "NN" + new)


def is_proof(text: object, premises: list[str], goal: str) -> bool:
    """Whether the text proves the goal (both given as texts) from the premises."""
    if not isinstance(text, str) or len(text) > 200_000:
        return False
    rows = [row for row in text.split("\n") if row.strip(" ") != ""]
    if not 1 <= len(rows) <= 1000 or max(map(len, rows)) > 500:
        return False
    given = [polish(formula) for formula in premises]
    granted = frozenset(_ROWS).intersection(*map(truths, given))
    formulas, rules, supports = [""], [""], [frozenset()]
    earlier: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        match = _ROW.fullmatch(row)
        if match is None or match[1] != str(number):
            return False
        try:
            new = polish(match[2])
        except ValueError:
            return False
        rule, words = match[3], match[4].split()
        if len(words) != _REFERENCES.get(rule, 2) or not all(word in earlier for word in words):
            return False
        cited = [earlier[word] for word in words]
        if rule == "premise":
            fine, support = new in given, frozenset()
        elif rule == "assume":
            fine, support = True, frozenset([number])
        else:
            fine = follows(rule, new, [formulas[n] for n in cited])
            closed = {"->I": [(0, 1)], "~I": [(0, 1)], "|E": [(1, 2), (3, 4)]}.get(rule, [])
            fine = fine and all(rules[cited[a]] == "assume" for a, _ in closed)
            support = frozenset().union(*(supports[cited[b]] - {cited[a]} for a, b in closed))
            if rule == "|E" or not closed:
                support |= frozenset().union(*(supports[n] for n in (cited[:1] if closed else cited)))
        if not fine:
            return False
        formulas.append(new)
        rules.append(rule)
        supports.append(support)
        earlier[str(number)] = number
        if not granted.intersection(*(truths(formulas[n]) for n in support)) <= truths(new):
            return False
    return formulas[-1] == polish(goal) and not supports[-1]
