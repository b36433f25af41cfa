"""Finds the path of a version on this machine."""

from __future__ import annotations

import os
import time
from pathlib import Path, PurePosixPath

from forebay._errors import MountMissing
from forebay._models import Receipt

_APPEARS_WITHIN_SECONDS = 10.0
_POLL_SECONDS = 0.05


def path_of(receipt: Receipt, mount_root: Path | None) -> Path:
    """Returns the receipt's path, or the one below ``mount_root`` if this machine mounts elsewhere."""
    if mount_root is None:
        return Path(_shown(receipt))
    return mount_root / receipt.dataset / receipt.version


def wait_for(path: Path, receipt: Receipt, mount_root: Path | None) -> None:
    """Waits until the path exists. A node learns of a new version a moment after the receipt is written.

    Raises:
        MountMissing: if it does not appear.
    """
    root = mount_root or Path(*PurePosixPath(_shown(receipt)).parts[:-3])
    # Without a mount, waiting would be useless.
    timeout = _APPEARS_WITHIN_SECONDS if root.is_dir() else 0.0
    deadline = time.monotonic() + timeout
    while not path.is_dir():
        if time.monotonic() >= deadline:
            raise MountMissing(_explain(path, root, receipt, mount_root is not None))
        time.sleep(_POLL_SECONDS)


def _shown(receipt: Receipt) -> str:
    if receipt.path is None:
        why = "" if receipt.cold is None else f": {receipt.cold.message}"
        raise MountMissing(
            f"{receipt.region} does not show {receipt.dataset}@{receipt.version} yet{why}; "
            f"'forebay status {receipt.dataset}@{receipt.version}' shows its state"
        )
    return receipt.path


def _explain(path: Path, root: Path, receipt: Receipt, told: bool) -> str:
    source = "as FOREBAY_MOUNT_ROOT or mount_root says" if told else "as the region's agent says"
    if not root.exists():
        found = f"{root} does not exist"
    elif not os.path.ismount(root):
        found = f"{root} exists, but nothing is mounted on it"
    else:
        found = f"{root} is mounted, but does not show this version"
    return (
        f"{receipt.dataset}@{receipt.version} is complete in {receipt.region}, but this machine does not see it: "
        f"there is no {path}. The mount root is {root}, {source}; {found}. "
        f"Check that this machine is a node of {receipt.region}, that its FUSE pod runs and that the mount is visible "
        "in this container; if it is mounted elsewhere, set FOREBAY_MOUNT_ROOT to that directory"
    )
