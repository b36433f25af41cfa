"""Aligned tables, plain enough for ``awk``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from forebay._text import shown


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()) -> None:
    """Prints columns as wide as their widest cell. Columns named in ``right`` are right-aligned."""
    lines = [list(header), *([shown(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        cells = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for cell, width, name in zip(line, widths, header, strict=True)
        ]
        print("  ".join(cells).rstrip())
