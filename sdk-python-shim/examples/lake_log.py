"""What the lake itself says was read from it: its access log, and what the kernel counted for its process.

Two witnesses, for each sees what the other does not. The access log (versitygw's, in the format of S3's) has a line for
each request with its object, but for a GET neither the range nor the bytes. The kernel counts every byte that the
lake's process writes, but not for whom. From the manifest we know into how many chunks each object falls, which is how
often it must be asked for; so the log proves that each part was asked for once, and the kernel's count that the parts
were no larger than they should be.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# owner bucket [time] ip requester request-id operation key uri status ...; no key of ours has a blank.
_LINE = re.compile(r"\S+ (?P<bucket>\S+) \[[^]]*\] \S+ \S+ \S+ (?P<operation>\S+) (?P<key>\S+) \S+ (?P<status>\d{3}) ")


@dataclass(frozen=True)
class Mark:
    """A moment in the lake's life."""

    log_bytes: int
    written_bytes: int


@dataclass(frozen=True)
class Reads:
    """What was read of one dataset between two moments.

    Attributes:
        requests: how many successful GETs each object had, by key.
        written_bytes: all bytes the lake's process wrote: bodies and headers of every answer, and its log.
    """

    requests: Counter[str]
    written_bytes: int


@dataclass(frozen=True)
class Original:
    """An object of a version: its size, and into how many chunks it falls."""

    size: int
    parts: int


class LakeLog:
    def __init__(self, access_log: Path, bucket: str, prefix: str) -> None:
        self._access_log = access_log
        self._bucket = bucket
        self._prefix = prefix
        self._io = _process_that_writes(access_log) / "io"

    def mark(self) -> Mark:
        counts = dict(line.split(": ") for line in self._io.read_text().splitlines())
        return Mark(self._access_log.stat().st_size, int(counts["wchar"]))

    def since(self, mark: Mark) -> Reads:
        now = self.mark()
        with open(self._access_log, "rb") as log:
            log.seek(mark.log_bytes)
            lines = log.read(now.log_bytes - mark.log_bytes).decode(errors="replace").splitlines()
        requests: Counter[str] = Counter()
        for match in filter(None, map(_LINE.match, lines)):
            is_read = match["operation"].lower().endswith("getobject") and match["status"].startswith("2")
            if is_read and match["bucket"] == self._bucket and match["key"].startswith(self._prefix):
                requests[match["key"]] += 1
        return Reads(requests, now.written_bytes - mark.written_bytes)


def originals(s3: Any, manifest_uri: str) -> dict[str, Original]:
    """The objects of a version with bytes in them, by key, out of its manifest (a SQLite file in Forebay's bucket)."""
    bucket, _, key = manifest_uri.removeprefix("s3://").partition("/")
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        s3.download_fileobj(bucket, key, file)
        file.flush()
        manifest = sqlite3.connect(f"file:{file.name}?mode=ro", uri=True)
        try:
            ((chunk_bytes,),) = manifest.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'chunk_bytes'")
            rows = manifest.execute("SELECT key, size, pack_offset FROM node WHERE size > 0").fetchall()
        finally:
            manifest.close()
    return {
        key: Original(size, (offset + size - 1) // chunk_bytes - offset // chunk_bytes + 1)
        for key, size, offset in rows
    }


def bytes_read(reads: Reads, of: dict[str, Original]) -> int:
    """The bytes that the logged requests amount to."""
    return round(sum(count * of[key].size / of[key].parts for key, count in reads.requests.items() if key in of))


def not_once(reads: Reads, of: dict[str, Original]) -> list[str]:
    """The objects whose parts were not asked for exactly once each, with how often they were."""
    expected = Counter({key: original.parts for key, original in of.items()})
    return [
        f"{key}: {reads.requests[key]} GETs for {expected[key]} parts"
        for key in sorted(expected.keys() | reads.requests.keys())
        if reads.requests[key] != expected[key]
    ]


def _process_that_writes(file: Path) -> Path:
    """The directory below /proc of the process that has the file open."""
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if descriptor.readlink() == file.resolve():
                return descriptor.parent.parent
        except OSError:
            continue  # Ended meanwhile, or not ours.
    raise RuntimeError(f"no process of ours has {file} open: does the lake run?")
