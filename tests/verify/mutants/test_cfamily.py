"""C and C++: which tokens are changed, and which only look like it."""

from __future__ import annotations

import pytest

from envbounty.environment import Language
from envbounty.verify.mutants import TIERS, mutants

C, CPP = Language.C, Language.CPP


def changes(source: str, language: Language = C) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mutant in mutants(source, language=language):
        assert mutant.operator in TIERS
        found.setdefault(mutant.operator, []).append(mutant.after)
    return found


@pytest.mark.parametrize(
    ("source", "operator", "wanted"),
    [
        ("f(a <= b);", "off-by-one", ["f(a < b);"]),
        ("while (a > 1) g();", "off-by-one", ["while (a >= 1) g();"]),
        ("while (a > 1) g();", "comparison", ["while (a != 1) g();"]),
        ("while (a > 1) g();", "constant", ["while (a > 2) g();", "while (a > 0) g();"]),
        ("x = a == b;", "comparison", ["x = a != b;", "x = a <= b;"]),
        ("x = a - b * c / d % e;", "arithmetic", [
            "x = a + b * c / d % e;", "x = a - b + c / d % e;", "x = a - b * c * d % e;", "x = a - b * c / d / e;",
        ]),
        ("x += a[i];", "arithmetic", ["x -= a[i];"]),
        ("x = a && !b || c;", "boolean", ["x = a || !b || c;", "x = a && b || c;", "x = a && !b && c;"]),
        ("int n = 0;", "initial-value", ["int n = 1;", "int n = -1;"]),
        ("long long n = 1ULL;", "initial-value", ["long long n = 2ULL;", "long long n = 0ULL;"]),
        ("{ n = 0; a[i] = n; s.t = 1; f(n); int k = 2; }", "delete-statement", [
            "{ ; a[i] = n; s.t = 1; f(n); int k = 2; }",
            "{ n = 0; ; s.t = 1; f(n); int k = 2; }",
            "{ n = 0; a[i] = n; ; f(n); int k = 2; }",
        ]),
        ("for (;;) { break; continue; }", "early-return", [
            "for (;;) { continue; continue; }", "for (;;) { break; break; }",
        ]),
        ("x = f(a, g(b, c));", "swap-arguments", ["x = f(g(b, c), a);", "x = f(a, g(c, b));"]),
        ('{ printf("%d %d", a, b); }', "swap-arguments", ['{ printf("%d %d", b, a); }']),
        ("x = f(a, a);", "swap-arguments", []),
        ("int f(int a, int b) { return g(a); }", "swap-arguments", []),
        ("long long x; double y; int64_t z;", "narrower", [
            "int x; double y; int64_t z;", "long long x; float y; int64_t z;", "long long x; double y; int32_t z;",
        ]),
        ("long double x;", "narrower", []),
        ("x = min(a, b);", "tie-break", ["x = max(a, b);"]),
    ],
)  # fmt: skip
def test_what_an_operator_makes(source: str, operator: str, wanted: list[str]) -> None:
    assert sorted(changes(source).get(operator, [])) == sorted(wanted)


@pytest.mark.parametrize(
    "source",
    [
        "// a < b\n/* n = 0; a <= b */",
        "#include <stdio.h>\n#define LESS(a, b) \\\n ((a) < (b))\n#if 1 < 2\n#endif",
        'const char *s = "a < b && c == 1";',
        "char c = '<';",
        "int *p; Node *q; char **r;",
        "int a[100], b[50];",
        "p->next;",
        "x = 0x10; y = 07; z = 1.5; w = 1e9;",
    ],
)
def test_what_only_looks_like_code_is_left_alone(source: str) -> None:
    made = changes(source)
    assert set(made) <= {"delete-statement"}, made


@pytest.mark.parametrize(
    "source",
    [
        "std::vector<int> xs;",
        "map<int, vector<pair<long, string>>> seen;",
        "auto f = static_cast<int>(x);",
        "template <typename T> struct S;",
        'auto s = R"x(a < b; n = 0;)x";',
        "cin >> a >> b; cout << a << b;",
    ],
)
def test_templates_streams_and_raw_texts_are_left_alone(source: str) -> None:
    assert changes(source, CPP) == {}


def test_a_comparison_beside_a_template_is_found() -> None:
    made = changes("if (a < b && c > d) vector<int> x(n);", CPP)
    assert made["off-by-one"] == [
        "if (a <= b && c > d) vector<int> x(n);",
        "if (a < b && c >= d) vector<int> x(n);",
    ]


def test_bounds_come_before_coarse_changes() -> None:
    made = mutants("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }", language=C)
    assert made[0].operator == "off-by-one" and TIERS[made[-1].operator] >= 2


@pytest.mark.parametrize("source", ["a <= b;\n" * 10_000, "\ud800", "", "/*", '"', 'R"(', "((((("])
def test_what_is_no_source_has_few_mutants_or_none(source: str) -> None:
    for language in (C, CPP):
        assert len(mutants(source, language=language)) <= 2000
