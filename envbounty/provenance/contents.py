"""What kind of file a file is, by what is in it."""

from __future__ import annotations

_MAGIC = {
    b"\x7fELF": "a program (ELF)",
    b"MZ": "a program (PE)",
    b"\xcf\xfa\xed\xfe": "a program (Mach-O)",
    b"\xfe\xed\xfa\xcf": "a program (Mach-O)",
    b"\xca\xfe\xba\xbe": "a program (Java or Mach-O)",
    b"\0asm": "a program (WebAssembly)",
    b"PK\x03\x04": "an archive (zip)",
    b"\x1f\x8b": "compressed (gzip)",
    b"BZh": "compressed (bzip2)",
    b"\xfd7zXZ\0": "compressed (xz)",
    b"\x28\xb5\x2f\xfd": "compressed (zstd)",
    b"7z\xbc\xaf\x27\x1c": "an archive (7z)",
    b"Rar!\x1a\x07": "an archive (rar)",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF-": "a document (PDF)",
    b"SQLite format 3\0": "a database (SQLite)",
    b"\x80\x04\x95": "a pickle",
    b"\x80\x05\x95": "a pickle",
}
#: These are text as far as their bytes go.
_TEXTUAL = frozenset({b"MZ", b"BZh", b"GIF8", b"%PDF-", b"PK\x03\x04"})


def binary(content: bytes) -> str | None:
    """What a file is when it is no UTF-8 text; None for text."""
    for magic, what in _MAGIC.items():
        if content.startswith(magic) and (magic not in _TEXTUAL or _no_text(content)):
            return what
    return _no_text(content)


def _no_text(content: bytes) -> str | None:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text in UTF-16, where UTF-8 is expected"
    if b"\0" in content:
        return f"binary: a zero byte stands at {content.index(0)}"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"no UTF-8 text: byte {error.start} is 0x{content[error.start]:02x}"
    return None
