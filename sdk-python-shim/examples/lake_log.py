"""Counts reads of the lake from its own records: its access log, and the kernel's counters of its process.

Two records are necessary, because neither is complete. The access log (versitygw's, in the format of S3's) has a line
for each request with its object, but for a GET neither the range nor the bytes. The kernel counts every byte that the
lake's process writes, but not for which client. The manifest shows how many chunks each object has parts in, which is
the expected number of requests. Therefore the log proves that each part was requested once, and the kernel's counter
that the parts had the expected size.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# owner bucket [time] ip requester request-id operation key uri status ...; no key of the demo has a blank.
_LINE = re.compile(r"\S+ (?P<bucket>\S+) \[[^]]*\] \S+ \S+ \S+ (?P<operation>\S+) (?P<key>\S+) \S+ (?P<status>\d{3}) ")


@dataclass(frozen=True)
class Mark:
    """The lake's counters at a moment."""

    log_bytes: int
    written_bytes: int


@dataclass(frozen=True)
class Reads:
    """The reads of one dataset between two moments.

    Attributes:
        requests: how many successful GETs each object had, by key.
        written_bytes: all bytes that the lake's process wrote: bodies and headers of every answer, and its log.
    """

    requests: Counter[str]
    written_bytes: int


@dataclass(frozen=True)
class Original:
    """An object of a version: its size, and the number of its parts in chunks."""

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
    """Returns the objects of a version with content, by key, from its manifest (a SQLite file in Forebay's bucket)."""
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
    """Returns the number of bytes that the logged requests transferred."""
    return round(sum(count * of[key].size / of[key].parts for key, count in reads.requests.items() if key in of))


def not_once(reads: Reads, of: dict[str, Original]) -> list[str]:
    """Returns the objects whose parts were not requested exactly once each, with their number of requests."""
    expected = Counter({key: original.parts for key, original in of.items()})
    return [
        f"{key}: {reads.requests[key]} GETs for {expected[key]} parts"
        for key in sorted(expected.keys() | reads.requests.keys())
        if reads.requests[key] != expected[key]
    ]


def _process_that_writes(file: Path) -> Path:
    """Returns the directory below /proc of the process that has the file open."""
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if descriptor.readlink() == file.resolve():
                return descriptor.parent.parent
        except OSError:
            continue  # the process has ended, or belongs to another user
    raise RuntimeError(f"no process of ours has {file} open: does the lake run?")
