"""Makes texts of others safe to show: names, reasons and messages come from servers, lakes and colleagues."""

from __future__ import annotations

import unicodedata

# Control characters, which can be commands to a terminal; surrogates, which cannot be printed; and the separators of
# lines and paragraphs.
_ESCAPED = frozenset({"Cc", "Cs", "Zl", "Zp"})
# The invisible characters that change the visible order of a text. Other invisible ones belong to some scripts.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown(text: str) -> str:
    r"""Returns the text with escapes for all control characters: ``\x1b[31m``, ``\n``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _ESCAPED or c in _REORDERING else c for c in text)


def shown_lines(text: str) -> str:
    """Like ``shown``, but keeps line breaks."""
    return "\n".join(shown(line) for line in text.split("\n"))


def one_line(text: str) -> str:
    """Like ``shown``, with all lines joined into one."""
    return shown(" ".join(text.split()))


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
