"""Trains on the handwritten digits with PyTorch: a ``DataLoader`` whose workers read a mounted version.

The only lines about Forebay are the import, the ``with`` and ``check``. The workers just open files. One JSON line at
the end.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader

from forebay import CachedDataset, ensure_dataset_cached
from labels import labelled


class Digits:
    """A map-style dataset. It is sent to the workers, so it holds a path and no open files."""

    def __init__(self, directory: Path) -> None:
        self._images = labelled(directory)

    def __len__(self) -> int:
        return len(self._images)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        file, label = self._images[index]
        with Image.open(file) as image:
            pixels = np.asarray(image.convert("L"), dtype=np.float32)
        return torch.from_numpy(pixels.ravel() / 255), label


def train(ds: CachedDataset, epochs: int, workers: int) -> dict[str, Any]:
    torch.manual_seed(7)
    digits = Digits(ds.path)
    loader = DataLoader(digits, batch_size=64, shuffle=True, num_workers=workers, persistent_workers=workers > 0)
    model = torch.nn.Sequential(torch.nn.LazyLinear(128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    model(next(iter(DataLoader(digits)))[0])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    right = seen = 0
    for _ in range(epochs):
        right = seen = 0
        for images, labels in loader:
            guessed = model(images)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(guessed, labels).backward()
            optimizer.step()
            right += int((guessed.argmax(1) == labels).sum())
            seen += len(labels)
        ds.check()
    return {"images": seen, "accuracy": round(right / seen, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits with PyTorch.")
    parser.add_argument("--dataset", default="vision/digits")
    parser.add_argument("--version", default="2026-11-20")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with ensure_dataset_cached(options.dataset, options.version, pin_for="10m", reason="torch_digits.py") as ds:
        print(json.dumps(train(ds, options.epochs, options.workers)))


if __name__ == "__main__":
    main()
