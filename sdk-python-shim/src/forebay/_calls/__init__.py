"""Requests of the REST API as values. The functions build those that several operations send."""

from forebay._calls._call import (
    EVICTION_SECONDS,
    MAX_WAIT_SECONDS,
    Call,
    Paged,
    Request,
    items_and_next,
    items_reader,
    new_id,
    nothing,
    present,
    reader,
)
from forebay._calls._ensure import aliases, cancel, ensure, ensure_status, prefetch
from forebay._calls._paths import dataset_path, part, version_path
from forebay._calls._pins import pin, renew, unpin

__all__ = [
    "EVICTION_SECONDS",
    "MAX_WAIT_SECONDS",
    "Call",
    "Paged",
    "Request",
    "aliases",
    "cancel",
    "dataset_path",
    "ensure",
    "ensure_status",
    "items_and_next",
    "items_reader",
    "new_id",
    "nothing",
    "part",
    "pin",
    "prefetch",
    "present",
    "reader",
    "renew",
    "unpin",
    "version_path",
]
