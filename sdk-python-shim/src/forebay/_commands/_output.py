"""Connection and output of several commands."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import Namespace
from datetime import datetime, timezone
from pathlib import Path
from typing import TextIO

from forebay._client import Client
from forebay._display import bytes_of
from forebay._errors import NotFound
from forebay._models import Blocked, Dataset, Origin, Pin, to_json
from forebay._tables import print_table
from forebay._text import one_line, shown
from forebay._values import human_seconds

_RETRY_SECONDS = 5.0
"""Short, because a person waits for a command. A job waits for ``ensure``, which retries longer."""


def connect(options: Namespace) -> Client:
    return Client(options.api, retry_seconds=_RETRY_SECONDS)


def say(line: str, file: TextIO | None = None) -> None:
    print(shown(line), file=file)


def say_cause(region: str, what: str, cause: Blocked) -> None:
    print()
    say(f"{region} {what}: {cause.code}: {one_line(cause.message)}")


def print_path(path: Path) -> None:
    """Prints a path unchanged in any encoding of the terminal, because a shell uses it."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        say(str(path))
    else:
        raw.write(bytes_of(path) + b"\n")


def print_json(value: object) -> None:
    print(json.dumps(to_json(value), indent=2))


def print_pins(found: tuple[Pin, ...] | list[Pin]) -> None:
    rows = [
        [
            pin.id,
            pin.region,
            f"{pin.dataset}@{pin.version}",
            pin.holder,
            until(pin.expires_at),
            pin.reason or "",
        ]
        for pin in found
    ]
    print_table(["PIN", "REGION", "VERSION", "HOLDER", "EXPIRES", "REASON"], rows)


def chosen(source: Dataset | Origin) -> str:
    patterns = [f"+{each}" for each in source.include] + [f"-{each}" for each in source.exclude]
    listed = [] if source.keys is None else [f"keys {source.keys}"]
    return " ".join([source.source, *patterns, *listed])


def say_if_unknown(client: Client, dataset: str, version: str) -> None:
    """Reports on stderr that the version does not exist, because its name may be mistyped."""
    try:
        client.version(dataset, version)
    except NotFound as error:
        say(error.detail, file=sys.stderr)


def say_if_deleted(dataset: Dataset) -> None:
    if dataset.deleted_at is not None:
        say(
            f"{dataset.dataset} was deleted at {stamped(dataset.deleted_at)}: it gets no new versions and pins, and "
            "regions evict its versions. To restore it: "
            f"forebay datasets register {registration(dataset)}"
        )


def registration(dataset: Dataset) -> str:
    """Returns the arguments that register the same dataset again, quoted for a shell."""
    chosen_by = {"--include": dataset.include, "--exclude": dataset.exclude, "--keys": filter(None, [dataset.keys])}
    words = [word for option, values in chosen_by.items() for value in values for word in option_of(option, value)]
    return shlex.join([dataset.dataset, dataset.source, *words])


def option_of(name: str, value: str) -> list[str]:
    """Returns an option with its value. A value that begins with a hyphen would look like another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def stamped(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def until(moment: datetime | None) -> str:
    if moment is None:
        return ""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    left = (moment - datetime.now(timezone.utc)).total_seconds()
    stamp = stamped(moment)
    return f"{stamp} (in {human_seconds(left)})" if left > 0 else f"{stamp} (now)"
