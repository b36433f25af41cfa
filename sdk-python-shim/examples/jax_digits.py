"""Trains on the handwritten digits with JAX: threads read the next batches of a mounted version during the computation.

The only lines about Forebay are the import, the ``with`` and ``check``. One JSON line at the end.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image

from forebay import CachedDataset, ensure_dataset_cached
from labels import labelled

_BATCH = 64
_AHEAD = 4


def batches(directory: Path, seed: int, threads: int) -> Iterator[tuple[Any, Any]]:
    """Yields all images in a random order, in batches of one size. Reads up to ``_AHEAD`` batches ahead."""
    images = labelled(directory)
    order = np.random.default_rng(seed).permutation(len(images))
    groups = iter([[images[i] for i in order[at : at + _BATCH]] for at in range(0, len(order) - _BATCH + 1, _BATCH)])
    with ThreadPoolExecutor(threads) as readers:
        under_way: deque[Future[tuple[Any, Any]]] = deque(
            readers.submit(_read, each) for each in islice(groups, _AHEAD)
        )
        while under_way:
            yield under_way.popleft().result()
            under_way.extend(readers.submit(_read, each) for each in islice(groups, 1))


def _read(group: list[tuple[Path, int]]) -> tuple[Any, Any]:
    pixels = []
    for file, _ in group:
        with Image.open(file) as image:
            pixels.append(np.asarray(image.convert("L"), dtype=np.float32).ravel() / 255)
    return np.stack(pixels), np.array([label for _, label in group])


def _guess(model: Any, images: Any) -> Any:
    (w1, b1), (w2, b2) = model
    return jax.nn.relu(images @ w1 + b1) @ w2 + b2


def _loss(model: Any, images: Any, labels: Any) -> Any:
    chances = jax.nn.log_softmax(_guess(model, images))
    return -jnp.mean(jnp.take_along_axis(chances, labels[:, None], axis=1))


def _step(model: Any, images: Any, labels: Any) -> tuple[Any, Any]:
    right = jnp.sum(jnp.argmax(_guess(model, images), axis=1) == labels)
    slopes = jax.grad(_loss)(model, images, labels)
    return jax.tree_util.tree_map(lambda weight, slope: weight - 0.5 * slope, model, slopes), right


def train(ds: CachedDataset, epochs: int, threads: int) -> dict[str, Any]:
    keys = jax.random.split(jax.random.PRNGKey(7))
    pixels = next(batches(ds.path, 0, threads))[0].shape[1]
    model: Any = [
        (jax.random.normal(key, shape) * shape[0] ** -0.5, jnp.zeros(shape[1]))
        for key, shape in zip(keys, ((pixels, 128), (128, 10)), strict=True)
    ]
    step = jax.jit(_step)
    right = seen = 0
    for epoch in range(epochs):
        right = seen = 0
        for images, labels in batches(ds.path, epoch, threads):
            model, hits = step(model, images, labels)
            right += int(hits)
            seen += len(labels)
        ds.check()
    return {"images": seen, "accuracy": round(right / seen, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits with JAX.")
    parser.add_argument("--dataset", default="vision/digits")
    parser.add_argument("--version", default="2026-11-20")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with ensure_dataset_cached(options.dataset, options.version, pin_for="10m", reason="jax_digits.py") as ds:
        print(json.dumps(train(ds, options.epochs, options.threads)))


if __name__ == "__main__":
    main()
