"""Lists the images of a version of the handwritten digits, with the digit that each shows."""

from __future__ import annotations

import csv
from pathlib import Path


def labelled(directory: Path) -> list[tuple[Path, int]]:
    with open(directory / "labels.csv", newline="") as file:
        return [(directory / row["file"], int(row["label"])) for row in csv.DictReader(file)]
