"""A second control plane beside a running one. Tests can kill it without harm to the platform of other tests."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import time
from pathlib import Path

import httpx

_READY_WITHIN_SECONDS = 90.0


class Twin:
    """Runs the program of a control plane on this machine once more, on a port of its own.

    Both share Temporal, the catalogue and the regions, like two replicas.
    """

    def __init__(self, api: str, directory: Path) -> None:
        self._directory = directory
        original = Path(f"/proc/{_listener(httpx.URL(api).port or 80)}")
        self._command = _words(original / "cmdline")
        port = _free_port()
        environment = dict(each.split("=", 1) for each in _words(original / "environ") if "=" in each)
        self._environment = {**environment, "QUARKUS_HTTP_PORT": str(port)}
        self.url = f"http://127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the process, and returns when it is ready."""
        with open(self._directory / "twin.log", "ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                cwd=self._directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + _READY_WITHIN_SECONDS
        while not self._is_ready():
            assert self._process.poll() is None, f"it ended with {self._process.returncode}: {self._said()}"
            assert time.monotonic() < deadline, f"it is not ready: {self._said()}"
            time.sleep(0.1)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=30)
            self._process = None

    def _is_ready(self) -> bool:
        try:
            return httpx.get(self.url + "/q/health/ready", trust_env=False, timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    def _said(self) -> str:
        return (self._directory / "twin.log").read_text(errors="replace")[-3000:]


def _free_port() -> int:
    """Returns a port outside the range for outgoing connections, which could take it while the twin is down."""
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    outside = [each for each in range(10_000, 65_536) if not low <= each <= high]
    for port in random.sample(outside, min(len(outside), 100)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port")


def _words(file: Path) -> list[str]:
    return [os.fsdecode(word) for word in file.read_bytes().split(b"\0") if word]


def _listener(port: int) -> int:
    """Returns the process that listens on a port of this machine."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    for process in Path("/proc").iterdir():
        if not re.fullmatch("[0-9]+", process.name):
            continue
        try:
            if any(os.readlink(descriptor) in inodes for descriptor in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            continue  # the process has ended, or belongs to another user
    raise AssertionError(f"no process of this machine listens on port {port}")
