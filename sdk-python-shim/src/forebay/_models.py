"""What the control plane tells, as frozen dataclasses whose fields have the names of the API."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from forebay._errors import UnexpectedAnswer

T = TypeVar("T")


@dataclass(frozen=True)
class Dataset:
    """A registered dataset. ``dataset`` is ``namespace/name``; ``source`` its prefix in the lake.

    Of what is there, ``include`` and ``exclude`` are patterns of the keys that belong to it, and ``keys`` an object
    that lists them. The time to live counts from what ``ttl_after`` says: the last pin (``pin``), or the
    last pin or read (``read``).
    """

    namespace: str
    name: str
    source: str
    ttl_seconds: int | None = None
    created_at: datetime | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: str | None = None
    ttl_after: str = "pin"
    deleted_at: datetime | None = None

    @property
    def dataset(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Manifest:
    """Where the frozen listing of a version is, and how large the version is."""

    digest: str
    uri: str
    objects: int
    bytes: int
    chunks: int | None = None


@dataclass(frozen=True)
class Origin:
    """What a version was made from, and how it differs from the version ``before`` it."""

    source: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: str | None = None
    keys_etag: str | None = None
    keys_version_id: str | None = None
    before: str | None = None
    objects_unchanged: int = 0
    objects_changed: int = 0
    objects_added: int = 0
    objects_removed: int = 0
    bytes_new: int = 0
    frozen_at: datetime | None = None


@dataclass(frozen=True)
class Blocked:
    """Why something does not go on: a code, and for people what happened and what to do."""

    code: str
    message: str


@dataclass(frozen=True)
class Check:
    """A look at a dataset's source for drift: ``made`` is the version it made, None if nothing has changed."""

    checked_at: datetime
    made: str | None = None
    objects_changed: int = 0
    objects_added: int = 0
    objects_removed: int = 0
    problem: Blocked | None = None


@dataclass(frozen=True)
class Tracking:
    """How a dataset follows its source; ``last_check`` is None until the first is over."""

    dataset: str
    interval_seconds: int
    paused: bool = False
    created_at: datetime | None = None
    next_check_at: datetime | None = None
    last_check: Check | None = None


@dataclass(frozen=True)
class Residency:
    """What one region holds of a version; ``state`` is ABSENT, WARMING, CACHED, EVICTING or BLOCKED.

    ``waiting`` tells what a filling or an eviction waits for while it is tried again; it is told of one version, not
    in lists.
    """

    region: str
    state: str
    bytes_cached: int = 0
    bytes_from_lake: int = 0
    path: str | None = None
    cached_at: datetime | None = None
    evictable_at: datetime | None = None
    blocked: Blocked | None = None
    waiting: Blocked | None = None


@dataclass(frozen=True)
class Pin:
    """A lease on a version in a region: the version stays there while it lives.

    ``job`` is the uid of the Kubernetes Job that holds it, if one does. ``leak`` tells, of leaked pins only, why nobody
    seems to stand behind it: its code is UNKNOWN or NOT_RENEWED.
    """

    id: str
    region: str
    dataset: str
    version: str
    holder: str
    reason: str | None = None
    expires_at: datetime | None = None
    job: str | None = None
    leak: Blocked | None = None


@dataclass(frozen=True)
class Version:
    """An immutable snapshot of a dataset; ``manifest`` is None until it has been listed.

    ``origin`` is told of one version, not in lists.
    """

    dataset: str
    version: str
    manifest: Manifest | None = None
    ttl_seconds: int | None = None
    regions: tuple[Residency, ...] = ()
    pins: tuple[Pin, ...] = ()
    workflow_id: str | None = None
    workflow_url: str | None = None
    origin: Origin | None = None

    def residency(self, region: str) -> Residency:
        """What a region holds of the version: ABSENT if it was never asked for there."""
        return next((r for r in self.regions if r.region == region), Residency(region, "ABSENT"))


@dataclass(frozen=True)
class Receipt:
    """The promise that every byte of a version is in a region and verified."""

    dataset: str
    version: str
    manifest_digest: str
    objects: int
    bytes: int
    region: str
    bytes_verified: int
    bytes_from_lake: int
    path: str
    cached_at: datetime | None = None
    pin: Pin | None = None
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a region is, and what it waits for; ``bytes`` is None until the version has been listed."""

    region: str
    state: str
    bytes_cached: int = 0
    bytes: int | None = None
    waiting: Blocked | None = None


@dataclass(frozen=True)
class EnsureStatus:
    """The answer to one look at a request: a receipt when it is done, else how far it is."""

    request_id: str
    done: bool
    receipt: Receipt | None = None
    progress: Progress | None = None


@dataclass(frozen=True)
class Worker:
    """A cache worker of a region."""

    id: str
    address: str | None = None
    live: bool = False
    capacity_bytes: int = 0
    used_bytes: int | None = None


@dataclass(frozen=True)
class Region:
    """A cache cluster, as its agent sees it.

    ``reachable`` tells whether the agent answers, ``etcd_reachable`` whether the region's etcd answers the agent (None
    if that is not known), ``problem`` why the region takes nothing on.
    """

    name: str
    mount_root: str | None = None
    agent: str | None = None
    reachable: bool = False
    etcd_reachable: bool | None = None
    problem: Blocked | None = None
    workers: tuple[Worker, ...] = ()


@dataclass(frozen=True)
class PlanNeeds:
    """What would have to come: files of which something is missing, their missing bytes, and the GETs that bring them.

    Not ``exact`` are estimates; ``at_least`` tells that there is more in the lake than a plan lists.
    """

    bytes: int
    objects: int
    bytes_missing: int
    objects_missing: int
    lake_requests: int
    exact: bool = False
    at_least: bool = False


@dataclass(frozen=True)
class PlanSource:
    """Where missing bytes can come from; ``kind`` is lake, region or on_premises, ``used`` what a filling takes."""

    kind: str
    region: str | None = None
    cost: float | None = None
    used: bool = False


@dataclass(frozen=True)
class PlanVictim:
    """A version that would be evicted to make room."""

    dataset: str
    version: str
    room_bytes: int
    uses: float = 0.0
    refetch_cost: float | None = None
    evictable_at: datetime | None = None


@dataclass(frozen=True)
class PlanRoom:
    """Whether there is room; ``admission`` is admitted, after_eviction, waits or refused."""

    admission: str
    needed_bytes: int
    taken_bytes: int
    capacity_bytes: int
    victims: tuple[PlanVictim, ...] = ()
    problem: Blocked | None = None
    not_before: datetime | None = None


@dataclass(frozen=True)
class RegionPlan:
    """What it would take in one region; ``needs`` and ``room`` are None, with a ``problem``, if it does not answer."""

    region: str
    state: str
    needs: PlanNeeds | None = None
    sources: tuple[PlanSource, ...] = ()
    room: PlanRoom | None = None
    bytes_per_second: int | None = None
    eta_seconds: int | None = None
    problem: Blocked | None = None

    @property
    def source(self) -> PlanSource | None:
        """Where a filling takes the missing bytes from."""
        return next((source for source in self.sources if source.used), None)


@dataclass(frozen=True)
class Plan:
    """What it would take to have a version in regions; costs are in ``currency``, None if no price is stated."""

    dataset: str
    version: str
    manifest: Manifest | None = None
    currency: str | None = None
    regions: tuple[RegionPlan, ...] = ()


@dataclass(frozen=True)
class Victim:
    """A copy that has to go from a region.

    ``reason`` is DATASET_DELETED, EXPIRED, ORPHAN, QUOTA or WATERMARK, ``why`` says it for people; ``bytes`` is what
    becomes free with it, once those before it are gone.
    """

    dataset: str
    version: str
    reason: str
    why: str
    bytes: int


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep of a region would do now; ``notes`` say what could not be decided.

    The figures are None if the region's agent does not answer. ``orphan_bytes`` belong to no mounted version: workers
    remove them by themselves.
    """

    region: str
    victims: tuple[Victim, ...] = ()
    notes: tuple[str, ...] = ()
    capacity_bytes: int | None = None
    used_bytes: int | None = None
    orphan_bytes: int | None = None


@dataclass(frozen=True)
class SweptVersion:
    """What became of a version in a sweep: ``why`` says why it went, or why it did not."""

    dataset: str
    version: str
    evicted: bool
    why: str
    reason: str | None = None


@dataclass(frozen=True)
class Sweep:
    """A sweep that somebody asked for; ``outcomes`` are there when it is done."""

    region: str
    done: bool
    outcomes: tuple[SweptVersion, ...] = ()
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class SweepSchedule:
    """When a region is swept by itself; ``note`` says why it was paused or resumed."""

    region: str
    paused: bool
    note: str
    interval_seconds: int
    last_at: datetime | None = None
    next_at: datetime | None = None


@dataclass(frozen=True)
class Quota:
    """How much room a namespace may have in a region; ``region`` is None where that counts in all others."""

    bytes: int
    region: str | None = None


@dataclass(frozen=True)
class Queued:
    """A version that waits for room in a region; ``position`` is None if its namespace's quota keeps it out."""

    dataset: str
    version: str
    bytes: int
    priority: str
    reason: str
    since: datetime | None = None
    position: int | None = None
    not_before: datetime | None = None


@dataclass(frozen=True)
class PinSpec:
    """A pin to be taken together with ``ensure``: the id is the caller's own, so that a retry renews it.

    ``job`` is the uid of the Kubernetes Job that holds it, if one does.
    """

    id: str
    holder: str
    lease_seconds: int
    reason: str | None = None
    job: str | None = None

    def __repr__(self) -> str:
        # Keys of requests are made of it: what is not said must not change the key that an earlier release gave.
        job = "" if self.job is None else f", job={self.job!r}"
        return (
            f"PinSpec(id={self.id!r}, holder={self.holder!r}, lease_seconds={self.lease_seconds!r}, "
            f"reason={self.reason!r}{job})"
        )


@dataclass(frozen=True)
class Page:
    items: tuple[Any, ...]
    next: str | None = None


@dataclass(frozen=True)
class Happening:
    """Something that happened to a version in a region: ASKED_FOR, CACHED, LOST, BLOCKED, PINNED, EVICTED, …"""

    at: datetime
    kind: str
    text: str = ""
    code: str | None = None
    bytes: int = 0


@dataclass(frozen=True)
class Explanation:
    """Why a version is, or is not, in a region: in sentences, and what they are made from, the latest first."""

    dataset: str
    version: str
    region: str
    state: str
    warm: bool
    newest: str
    sentences: tuple[str, ...] = ()
    history: tuple[Happening, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counted:
    """Requests of one kind, and their bytes."""

    requests: int
    bytes: int


@dataclass(frozen=True)
class Money:
    """Amounts in the currency of the bill; ``without_cache`` if nodes had read from the lake what workers sent them."""

    lake: float
    requests: float
    nvme: float
    total: float
    without_cache: float
    saved: float
    siblings: float = 0.0


@dataclass(frozen=True)
class Cost:
    """One line of a bill: what came from the lake, other workers and regions, what nodes were sent, and the cost."""

    key: str
    lake: Counted
    peer: Counted
    readers: Counted
    nvme_gb_hours: float
    evictions: int
    cost: Money
    sibling: Counted = Counted(0, 0)
    on_premises: Counted = Counted(0, 0)


@dataclass(frozen=True)
class Costs:
    """A bill from the day ``since`` until before the day ``until``; ``priced`` is False if nothing has a price."""

    currency: str
    priced: bool
    since: str
    until: str
    by: str
    total: Cost
    items: tuple[Cost, ...] = ()
    next: str | None = None


@dataclass(frozen=True)
class Budget:
    """What a namespace may cost in the month that begins on ``month``; while ``paused`` prefetches wait."""

    namespace: str
    month: str
    currency: str
    budget: float
    spent: float
    paused: bool


def to_json(value: object) -> Any:
    """Turns a model back into what ``json.dumps`` takes."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(asdict(value))
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def decode(kind: type[T], value: object) -> T:
    """Reads a JSON value as a model. Unknown fields are ignored: the server may be newer than we are.

    Raises:
        UnexpectedAnswer: if a field is missing or of another type.
    """
    return cast(T, _decode(kind, value, kind.__name__))


def decode_items(kind: type[T], value: object) -> tuple[tuple[T, ...], str | None]:
    """Reads ``{"items": [...], "next": ...}``."""
    page = decode(Page, value)
    items = tuple(cast(T, _decode(kind, item, f"items[{i}]")) for i, item in enumerate(page.items))
    return items, page.next


_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(kind: type[Any]) -> dict[str, Any]:
    # Resolving the annotations takes longer than reading the value.
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    return _HINTS[kind]


def _decode(kind: Any, value: object, where: str) -> object:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is Union or origin is types.UnionType:
        inner = next(arg for arg in get_args(kind) if arg is not type(None))
        return None if value is None else _decode(inner, value, where)
    if origin is tuple:
        item = get_args(kind)[0]
        listed = _expect(list, value, where)
        return tuple(_decode(item, each, f"{where}[{i}]") for i, each in enumerate(listed))
    if is_dataclass(kind):
        return _decode_dataclass(cast("type[Any]", kind), _expect(dict, value, where), where)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is datetime:
        return _decode_datetime(_expect(str, value, where), where)
    return _expect(kind, value, where)


def _decode_dataclass(kind: type[Any], source: dict[str, Any], where: str) -> object:
    hints = _hints(kind)
    found: dict[str, object] = {}
    for field in fields(kind):
        value = source.get(field.name)
        if value is not None:
            found[field.name] = _decode(hints[field.name], value, f"{where}.{field.name}")
        elif field.default is MISSING:
            raise UnexpectedAnswer(f"the control plane's answer lacks {where}.{field.name}")
    return kind(**found)


def _decode_datetime(text: str, where: str) -> datetime:
    # Python 3.10 reads neither "Z" nor more than six digits of a second, and servers write both.
    head, dot, tail = text.replace("Z", "+00:00").partition(".")
    if dot:
        digits = len(tail) - len(tail.lstrip("0123456789"))
        tail = tail[:digits][:6].ljust(6, "0") + tail[digits:]
    try:
        return datetime.fromisoformat(head + dot + tail)
    except ValueError:
        raise UnexpectedAnswer(f"the control plane's answer has {where} = {text!r}, which is no time") from None


def _expect(kind: type[T], value: object, where: str) -> T:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise UnexpectedAnswer(f"the control plane's answer has {where} = {value!r}, which should be {kind.__name__}")
