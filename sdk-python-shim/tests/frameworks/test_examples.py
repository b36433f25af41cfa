"""The examples for frameworks, as programs, on files in a plain directory where a mount would be.

They need PyTorch and JAX, so they are not part of the other tests; an environment may also have one of the two.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from control_plane import ControlPlane
from PIL import Image

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_IMAGES = 640
_FRAMEWORKS = [("torch", "torch_digits.py"), ("jax", "jax_digits.py")]


@pytest.fixture
def digits(mount_root: Path) -> Path:
    """Images of which even a small network can tell the ten kinds apart: the digit says which row is bright."""
    directory = mount_root / "vision" / "digits" / "7"
    (directory / "images").mkdir(parents=True)
    noise = np.random.default_rng(7)
    lines = ["file,label"]
    for number in range(_IMAGES):
        pixels = noise.integers(0, 100, (10, 8), dtype=np.uint8)
        pixels[number % 10] += 150
        Image.fromarray(pixels).save(directory / "images" / f"{number:05d}.png")
        lines.append(f"images/{number:05d}.png,{number % 10}")
    (directory / "labels.csv").write_text("\n".join(lines) + "\n")
    return directory


def test_there_is_a_framework_to_try() -> None:
    assert [each for each, _ in _FRAMEWORKS if importlib.util.find_spec(each) is not None]


@pytest.mark.parametrize(("framework", "example"), _FRAMEWORKS)
def test_an_example_learns_from_a_version(plane: ControlPlane, digits: Path, framework: str, example: str) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    command = [sys.executable, str(_EXAMPLES / example), "--version", "7", "--epochs", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["images"] == _IMAGES
    assert told["accuracy"] > 0.95
    (asked,) = plane.seen("POST", "/ensure$")
    assert asked.body["pin"]["reason"] == example
    assert not plane.state.pins
