"""Starts and stops a whole Forebay on this machine, by the same launcher as ``make up``."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_LAUNCHER = REPOSITORY / "runtime-cache" / "devstack" / "bin" / "devstack"
# Different from the ports of `make up`, so that both can run.
_FIRST_PORT_BASE = 7800
_LAST_PORT_BASE = 8700
_PORTS = 40
_NOTHING_RUNS = 3


class DevstackFailed(Exception):
    """The launcher failed. Its message is on stderr already."""


class Devstack:
    """One stack, below a directory of its own.

    Attributes:
        data: the directory of all files of the stack.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self._addresses: dict[str, str] = {}

    def start_afresh(self, sweep_seconds: int) -> None:
        """Starts an empty stack: stops the stack of an earlier run and removes its data."""
        if not _LAUNCHER.exists():
            raise DevstackFailed(f"{_LAUNCHER} is not there: is this a whole clone?")
        if self.data.exists():
            if self._status()[0] != _NOTHING_RUNS:
                print("the stack of an earlier demo still runs: stopping it", file=sys.stderr)
            self.stop()
            self._remove()
        arguments = ["--port-base", str(_free_port_base()), "--sweep-interval", f"PT{sweep_seconds}S"]
        # Hides the launcher's table of addresses. The demo prints the important ones at its end.
        if self._run("up", *arguments, stdout=subprocess.DEVNULL).returncode != 0:
            raise DevstackFailed("the stack did not start; the lines above say why")
        code, self._addresses = self._status()
        if code != 0:
            raise DevstackFailed(f"the stack has started but does not run: see the logs below {self.data}")

    def stop(self) -> None:
        # In a session of its own, so that a second Ctrl-C does not interrupt the clean-up.
        if self.data.exists() and self._run("down", new_session=True).returncode != 0:
            print(f"the stack below {self.data} did not stop; the lines above say why", file=sys.stderr)

    def run_in(self, region: str, program: Sequence[str]) -> str:
        """Runs a program like a training pod of a region, and returns its output."""
        done = self._run("exec", "--region", region, "--", *program, stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise DevstackFailed(f"{Path(program[1]).name} failed in {region} with exit code {done.returncode}")
        return str(done.stdout)

    def __getitem__(self, name: str) -> str:
        """Returns an address by its name in ``devstack status --json``."""
        if name not in self._addresses:
            raise DevstackFailed(f"the stack tells no address '{name}', only {sorted(self._addresses)}")
        return self._addresses[name]

    @property
    def regions(self) -> list[str]:
        return self["regions"].split(",")

    def mount(self, region: str) -> Path:
        return Path(self[f"{region}.mount"])

    def chunk_files(self, region: str) -> list[Path]:
        """Returns the files in the chunk stores of a region's workers."""
        prefix, suffix = f"{region}.worker-", ".store"
        stores = [Path(self[name]) for name in self._addresses if name.startswith(prefix) and name.endswith(suffix)]
        return [path for store in stores for path in (store / "chunks").rglob("*") if path.is_file()]

    def lake_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Returns the environment in which boto3 writes to the stack's lake.

        A key or a profile in the environment belongs to another lake, and would override the file with this one's key.
        """
        return {
            **{name: value for name, value in environment.items() if not name.startswith("AWS_")},
            "AWS_ENDPOINT_URL_S3": self["lake"],
            "AWS_SHARED_CREDENTIALS_FILE": self["lake.credentials"],
            "AWS_DEFAULT_REGION": self["lake.region"],
        }

    def _status(self) -> tuple[int, dict[str, str]]:
        done = self._run("status", "--json", stdout=subprocess.PIPE)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}

    def _run(
        self, command: str, *arguments: str, stdout: int | None = None, new_session: bool = False
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(_LAUNCHER), command, "--data", str(self.data), *arguments],
            cwd=REPOSITORY,
            stdout=stdout,
            text=True,
            start_new_session=new_session,
        )

    def _remove(self) -> None:
        mounts = Path("/proc/self/mounts").read_text()
        if f" {self.data}/" in mounts:
            raise DevstackFailed(f"something is still mounted below {self.data}: unmount it, then try again")
        shutil.rmtree(self.data)


def _free_port_base() -> int:
    chosen = os.environ.get("FOREBAY_PORT_BASE")
    if chosen:
        return int(chosen)
    for base in range(_FIRST_PORT_BASE, _LAST_PORT_BASE, 100):
        if all(_is_free(port) for port in range(base, base + _PORTS)):
            return base
    raise DevstackFailed(f"no {_PORTS} free ports from {_FIRST_PORT_BASE} on: set FOREBAY_PORT_BASE")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
