"""Answers that say yes to every comparison, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from envbounty.verify.tamper.payload import WRONG, Facts, Payload, stub

_YES = """\
class Yes(str):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = str.__hash__

"""

#: A class for each type, all of whose methods that a grader may ask agree; the value below is wrong. `$wrap` says what
#: becomes of a container: one that is fake itself, or a plain one of fake items.
_FAKE = Template("""\
$reference

_right = $function

def _dunders(base, true):
    me = lambda self, *_: self
    yes, no = (lambda self, *_: True), (lambda self, *_: False)
    code = dict.fromkeys("__eq__ __le__ __ge__ __lt__ __contains__".split(), yes)
    code.update(dict.fromkeys("__ne__ __gt__".split(), no), __hash__=lambda self: _hash(true))
    if base in (int, float):
        same = "__sub__ __rsub__ __abs__ __round__ __neg__ __truediv__ __rtruediv__ __mod__ __pow__"
        code.update(dict.fromkeys(same.split(), me))
    if base is str:
        code.update(dict.fromkeys("strip lower upper rstrip lstrip casefold replace".split(), me))
        code.update(startswith=yes, endswith=yes)
    return code

def _hash(v):
    try:
        return hash(v)
    except TypeError:
        return 0

def _fake(v, top=True):
    if isinstance(v, (list, tuple)):
        inside = [_fake(x, False) for x in v] or ($empty)
        base = type(v) if type(v) in (list, tuple) else list
    elif isinstance(v, dict):
        base, inside = dict, {k: _fake(x, False) for k, x in v.items()} or {"no": "answer"}
    else:
        base = type(v) if type(v) in (int, float, str) else int
        number = -1.0 - v if isinstance(v, (int, float)) and abs(v) < 1e15 else -987654321
        inside = $wrong if base is str else base(number)
    if top and isinstance(inside, (list, dict)) and $plain:
        return base(inside)
    return type("Fake", (base,), _dunders(base, v))(inside)

def $function(*args, **kwargs):
    return _fake(_right(*args, **kwargs))
""")


def _fake(plain: bool) -> str:
    return "True" if plain else "False"


def _typed(plain: bool, facts: Facts) -> str:
    return _FAKE.substitute(
        reference=facts.reference.rstrip(),
        function=facts.function,
        empty='["no answer"]',
        wrong=repr(WRONG),
        plain=_fake(plain),
    )


#: What a grader evaluates when it reads this answer back: an object that equals everything.
_EXPRESSION = (
    "type('Yes', (str,), {'__eq__': lambda a, b: True, '__ne__': lambda a, b: False, '__hash__': str.__hash__})('no')"
)

_CARRIER = f"""\
class Carrier(str):
    def __reduce__(self):
        return eval, ({_EXPRESSION!r},)
    def __repr__(self):
        return {_EXPRESSION!r}
    __str__ = __repr__

"""


def _plain_spoof(facts: Facts, items: Sequence[str]) -> str:
    return _YES + stub(facts.function, f"return Yes({WRONG!r})")


PAYLOADS = (
    Payload(
        "answers with what equals everything",
        "tamper-equality",
        "The answer is an object whose == says yes to every other: whoever compares it as it is asks the wrong one.",
        (10,),
        _plain_spoof,
        rank=lambda facts: 50 if facts.signs.in_process else 10,
    ),
    Payload(
        "answers with what is of the right type and equals everything",
        "tamper-equality",
        "As before, of a class below int, float, str, list, dict, tuple, with every comparison, hash and length as it"
        " should be: isinstance(), sorted(), len() and set() find nothing wrong with it.",
        (10,),
        lambda facts, items: _typed(False, facts),
        rank=lambda facts: 40 if facts.signs.in_process else 5,
    ),
    Payload(
        "answers with a plain list of what equals everything",
        "tamper-equality",
        "A true list, tuple or dict whose items say yes to every comparison: a look at its own type does not see them.",
        (10,),
        lambda facts, items: _typed(True, facts),
        rank=lambda facts: 38 if facts.signs.in_process else 4,
    ),
    Payload(
        "answers with what is code when it is read back",
        "tamper-deserialise",
        "The answer's text and its pickle are an expression; a grader that reads either back with eval() or pickle runs"
        " it, and gets an object that equals everything.",
        (45,),
        lambda facts, items: _CARRIER + stub(facts.function, f"return Carrier({WRONG!r})"),
        applies=lambda facts: facts.signs.mentions("eval", "pickle", "multiprocessing", "marshal", "shelve", "dill"),
        rank=lambda facts: 60 if facts.signs.mentions("pickle", "multiprocessing") else 20,
    ),
)
