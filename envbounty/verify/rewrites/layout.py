"""Layout changed, and nothing that an interpreter reads: every function here gives a text with the same syntax tree,
or None."""

from __future__ import annotations

import ast
import io
import tokenize

#: Comments are few and hold no word of Python, since a verifier may rightly limit a length or forbid a word.
COMMENT = "# - - -"
COMMENTS = 3


def same_tree(a: str, b: str) -> bool:
    """Whether two texts are the same program to the last node."""
    try:
        return ast.dump(ast.parse(a)) == ast.dump(ast.parse(b))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def reformatted(source: str) -> str | None:
    """As `ast.unparse` writes it."""
    return _kept(source, ast.unparse(ast.parse(source)) + "\n")


def commented(source: str) -> str | None:
    """A line of comment at the top and after two statements more, each with an empty line."""
    ends = _ends(source)
    if not ends:
        return None
    lines = source.split("\n")
    for row in sorted({ends[0], ends[len(ends) // 2]}, reverse=True):
        lines[row:row] = ["", COMMENT]
    return _kept(source, "\n".join([COMMENT, "", *lines]))


def tabbed(source: str) -> str | None:
    """One tab for each level, where the source indents with four spaces."""
    text = ast.unparse(ast.parse(source)) + "\n"
    lines = text.split("\n")
    for row in _starts(text):
        line = lines[row - 1]
        depth = len(line) - len(line.lstrip(" "))
        lines[row - 1] = "\t" * (depth // 4) + line[depth:]
    return _kept(source, "\n".join(lines))


def trailing(source: str) -> str | None:
    """White space at the end of every statement, and no line end at the end of the file."""
    lines = source.rstrip().split("\n")
    for row in _ends(source):
        if row <= len(lines) and not lines[row - 1].endswith("\r"):
            lines[row - 1] += "  " if row % 2 else " \t"
    return _kept(source, "\n".join(lines).rstrip("\n"))


def _kept(source: str, text: str) -> str | None:
    return text if text != source and same_tree(source, text) else None


_BETWEEN = (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return []


def _ends(source: str) -> list[int]:
    """The lines, counted from 1, on which a statement's line ends."""
    return sorted({token.end[0] for token in _tokens(source) if token.type == tokenize.NEWLINE and token.string})


def _starts(source: str) -> list[int]:
    """The lines, counted from 1, on which one begins."""
    rows, fresh = set(), True
    for token in _tokens(source):
        if token.type not in _BETWEEN and fresh:
            rows.add(token.start[0])
            fresh = False
        elif token.type == tokenize.NEWLINE:
            fresh = True
    return sorted(rows)
