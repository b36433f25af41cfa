"""An ordinary training: learns to read handwritten digits from PNG files.

The only lines about Forebay are the import and the ``with``; everything else reads files. The region comes from the
environment of the node (``FOREBAY_REGION``), so that the same script runs everywhere. One JSON line at the end.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from forebay import ensure_dataset_cached

_READ_BYTES = 1 << 20


def read_images(directory: Path) -> tuple[Any, Any]:
    """Returns all images as rows of numbers from 0 to 1, and their labels."""
    images, labels = [], []
    with open(directory / "labels.csv", newline="") as file:
        for row in csv.DictReader(file):
            with Image.open(directory / row["file"]) as image:
                images.append(np.asarray(image, dtype=np.float32).ravel() / 255)
            labels.append(int(row["label"]))
    return np.stack(images), np.array(labels)


def stream_shard(file: Path) -> tuple[int, str]:
    """Reads a large file once from beginning to end, and returns its length and SHA-256."""
    digest, length = hashlib.sha256(), 0
    with open(file, "rb", buffering=0) as shard:
        while block := shard.read(_READ_BYTES):
            digest.update(block)
            length += len(block)
    return length, digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits.")
    parser.add_argument("--dataset", default="vision/digits")
    parser.add_argument("--version", default="2026-11-20")
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()

    started = time.monotonic()
    with ensure_dataset_cached(options.dataset, options.version, pin_for="10m", reason="train.py") as ds:
        ready = time.monotonic()
        images, labels = read_images(ds.path)
        images_read = time.monotonic()
        shard_bytes, shard_sha256 = stream_shard(ds.path / "shards" / "shard-000.bin")
        shard_read = time.monotonic()

        learn_x, test_x, learn_y, test_y = train_test_split(images, labels, test_size=0.2, random_state=7)
        model = MLPClassifier(hidden_layer_sizes=(128,), learning_rate_init=0.01, random_state=7)
        for _ in range(options.epochs):
            model.partial_fit(learn_x, learn_y, classes=range(10))
            ds.check()
        accuracy = float(model.score(test_x, test_y))
        receipt = ds.receipt

    print(
        json.dumps(
            {
                "accuracy": round(accuracy, 4),
                "seconds": round(time.monotonic() - started, 3),
                "ensure_s": round(ready - started, 3),
                "read_images_s": round(images_read - ready, 3),
                "read_shard_s": round(shard_read - images_read, 3),
                "region": receipt.region,
                "images": len(images),
                "shard_bytes": shard_bytes,
                "shard_sha256": shard_sha256,
            }
        )
    )


if __name__ == "__main__":
    main()
