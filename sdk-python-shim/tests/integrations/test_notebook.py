"""Progress in a notebook, with a real kernel and its messages to the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from control_plane import TOTAL_BYTES, ControlPlane
from jupyter_client.manager import KernelManager

_CELL = """
import forebay
forebay._surfaces.Notebook.pause_seconds = 0.0  # The control plane of this test is too quick for eyes.
forebay.ensure_dataset_cached("vision/digits", "1").receipt.bytes
"""


@pytest.fixture
def kernel(plane: ControlPlane) -> Iterator[Any]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=dict(os.environ))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_progress_updates_one_output_of_the_cell(plane: ControlPlane, kernel: Any) -> None:
    plane.state.tells = [(0, None), (TOTAL_BYTES // 2, TOTAL_BYTES)]
    sent: list[dict[str, Any]] = []
    kernel.execute_interactive(_CELL, timeout=60, output_hook=sent.append)
    shown = [each for each in sent if each["msg_type"] in ("display_data", "update_display_data")]
    assert [each["msg_type"] for each in shown] == ["display_data", *["update_display_data"] * (len(shown) - 1)]
    assert len({each["content"]["transient"]["display_id"] for each in shown}) == 1
    texts = [each["content"]["data"]["text/plain"] for each in shown]
    assert texts[0] == "vision/digits@1 in eu: listing the lake"
    assert any("50%  32.0 MiB/64.0 MiB" in text for text in texts)
    assert "complete and verified" in texts[-1]
    assert any('<progress max="1" value="0.5000">' in each["content"]["data"]["text/html"] for each in shown)
    assert not [each for each in sent if each["msg_type"] in ("stream", "error")]
