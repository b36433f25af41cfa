"""A control plane in a thread: the documented API over real sockets, with faults on demand.

It keeps its state in memory and fills a region as a test requests. The platform tests check that the real one gives the
same answers.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Fault = Callable[[BaseHTTPRequestHandler], None]
"""Answers a request instead of the control plane."""

TOTAL_BYTES = 64 << 20


class Problem(Exception):
    def __init__(self, status: int, code: str, detail: str, *, retryable: bool = False, field: str | None = None):
        super().__init__(detail)
        self.status = status
        self.body = {
            "title": code,
            "status": status,
            "code": code,
            "detail": detail,
            "retryable": retryable,
            "field": field,
        }


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass
class State:
    """The state that survives a restart of the server."""

    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    registration_note: str | None = None
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    pins: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """By region and id, because one id may have a pin in each region."""
    aliases: dict[str, str] = field(default_factory=dict)
    """The version of each alias, of any dataset."""
    unknown: set[str] = field(default_factory=set)
    """Versions, of any dataset, that were never created."""
    differences: list[dict[str, Any]] = field(default_factory=list)
    objects: list[dict[str, Any]] = field(default_factory=list)
    """Listed in pages of two."""
    known: set[str] | None = None
    """The existing versions, of any dataset; None if every name exists."""
    listings_left: int = 0
    """How many more requests to freeze a version get the answer that the listing still runs."""
    latest: str | None = None
    """The present version of ``latest`` for new requests. Earlier requests keep theirs."""
    meant: dict[str, str] = field(default_factory=dict)
    cached: set[tuple[str, str]] = field(default_factory=set)
    looks_until_cached: int = 0
    """How many answers say "not yet" before a version is complete."""
    proves_slowly: bool = False
    """Whether only requests that wait a little get the answer that a version is present."""
    tells: list[tuple[int, int | None]] = field(default_factory=list)
    """The numbers of present and of all bytes in the next answers, before a version is complete."""
    fill_fails: Problem | None = None
    attempts_fail: list[Problem] = field(default_factory=list)
    """The results of the next attempts at a version, after an answer that says "not yet".

    Status requests get the same result forever. Only a new request starts another attempt.
    """
    cold: dict[str, str] | None = None
    cold_is_mounted: bool = False
    cold_is_pinned: bool = True
    blocked: dict[str, str] | None = None
    """Why every version is blocked in the region ``eu``."""
    waiting: dict[str, str] | None = None
    """The reason for which the region ``eu`` waits while it fills any version."""
    warming: dict[str, int] | None = None
    """The progress of the region ``eu`` with any version."""
    coverage: float = 1
    """The part of a version that is present when a request is answered."""
    other_regions: list[str] = field(default_factory=list)
    region: dict[str, Any] = field(default_factory=dict)
    """Overrides of the answer about the region ``eu``."""
    plan: dict[str, Any] = field(default_factory=dict)
    """Overrides of a plan in the region ``eu``."""
    paused: str | None = None
    """Why automatic sweeps of the region ``eu`` are paused."""
    sweeps_slowly: bool = False
    queue: list[dict[str, Any]] = field(default_factory=list)
    """The versions that wait for space in the region ``eu``."""
    not_restored: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    """Disagreements between stores, reported on the second page."""
    quotas: dict[tuple[str, str | None], int] = field(default_factory=dict)
    fills: int = 0
    priced: bool = True
    tracking: dict[str, dict[str, Any]] = field(default_factory=dict)


class ControlPlane:
    """Listens on a free port of the loopback interface. ``stop`` and ``start`` keep port and state."""

    def __init__(self, mount_root: str = "/mnt/forebay") -> None:
        self.state = State()
        self.mount_root = mount_root
        self.log: list[Request] = []
        self.faults: list[Fault] = []
        self._lock = threading.Lock()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        plane = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                plane._answer(self)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def fail_next(self, *faults: Fault) -> None:
        self.faults.extend(faults)

    def seen(self, method: str, pattern: str) -> list[Request]:
        return [each for each in self.log if each.method == method and re.search(pattern, each.path)]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        raw = handler.rfile.read(length)
        parts = urlsplit(handler.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        body = json.loads(raw) if raw else None
        request = Request(
            handler.command, parts.path, query, {name.lower(): value for name, value in handler.headers.items()}, body
        )
        with self._lock:
            self.log.append(request)
            fault = self.faults.pop(0) if self.faults else None
        if self._server is None or fault is not None:
            (fault or hang_up)(handler)
            return
        try:
            with self._lock:
                status, answer = self._route(request)
        except Problem as problem:
            send(handler, problem.status, problem.body, content_type="application/problem+json")
        else:
            send(handler, status, answer)

    def _route(self, request: Request) -> tuple[int, Any]:
        path = request.path.removeprefix("/api/v1")
        for method, pattern, route in self._routes():
            match = re.fullmatch(pattern, path)
            if match and method == request.method:
                found: tuple[int, Any] = route(request, *(unquote(group) for group in match.groups()))
                return found
        raise Problem(404, "NOT_FOUND", f"no such path: {path}")

    def _routes(self) -> list[tuple[str, str, Callable[..., tuple[int, Any]]]]:
        dataset = r"/datasets/([^/]+/[^/]+)"
        version = dataset + r"/versions/([^/]+)"
        return [
            ("POST", "/datasets", self._register),
            ("GET", "/datasets", self._list),
            ("GET", dataset, lambda r, d: (200, self._dataset(d))),
            ("PUT", dataset + "/ttl", lambda r, d: (200, self._dataset(d) | r.body)),
            ("PUT", dataset + "/tracking", self._follow),
            ("GET", dataset + "/tracking", lambda r, d: (200, self._tracking(d))),
            ("POST", dataset + "/tracking/check", self._check),
            ("DELETE", dataset + "/tracking", lambda r, d: (204, self.state.tracking.pop(d, None) and None)),
            ("DELETE", dataset, self._delete),
            ("GET", dataset + "/versions", self._versions),
            ("GET", dataset + "/explain", self._explain),
            ("GET", version, lambda r, d, v: (200, self._version(d, v))),
            ("GET", dataset + "/aliases", self._aliases),
            ("PUT", dataset + "/aliases/([^/]+)", self._set_alias),
            ("DELETE", dataset + "/aliases/([^/]+)", lambda r, d, a: (204, self.state.aliases.pop(a, None) and None)),
            ("GET", version + "/objects", lambda r, d, v: self._page(r, self.state.objects)),
            ("GET", version + "/diff", lambda r, d, v: self._page(r, self.state.differences)),
            ("POST", version + "/freeze", self._freeze),
            ("POST", version + "/ensure", self._asked),
            ("POST", version + "/plan", self._plan),
            ("GET", version + "/requests/([^/]+)", lambda r, d, v, i: self._look(i)),
            ("POST", version + "/pins", self._pin),
            ("GET", version + "/pins", lambda r, d, v: (200, {"items": self._pins(None, f"{d}@{v}")})),
            ("POST", version + "/pins/([^/]+)/renew", self._renew),
            ("DELETE", version + "/pins/([^/]+)", self._unpin),
            ("POST", version + "/evict", self._evict),
            ("PUT", version + "/ttl", lambda r, d, v: (200, self._version(d, v) | r.body)),
            ("POST", version + "/resume", lambda r, d, v: (200, self._version(d, v))),
            ("POST", version + "/abandon", lambda r, d, v: (200, self._abandon(d, v))),
            ("DELETE", version + "/requests/([^/]+)", self._cancel),
            ("GET", "/pins/leaked", lambda r: (200, {"items": self._leaked(), "next": None})),
            ("GET", "/blocked", lambda r: (200, {"items": self._blocked(), "next": None})),
            ("GET", "/regions/eu/queue", lambda r: (200, {"items": self.state.queue})),
            ("GET", "/namespaces/([^/]+)/quota", lambda r, n: self._quotas(n)),
            ("PUT", "/namespaces/([^/]+)/quota", self._set_quota),
            ("DELETE", "/namespaces/([^/]+)/quota", self._remove_quota),
            ("GET", "/pins", lambda r: (200, {"items": self._pins(r.query.get("region"))})),
            ("GET", "/regions", lambda r: (200, {"items": self._regions()})),
            ("POST", "/catalogue/restore", self._restore),
            ("GET", "/fsck", self._fsck),
            ("POST", "/fsck", self._fsck),
            ("GET", "/placements", self._placements),
            ("GET", "/costs", self._costs),
            ("GET", "/budgets", lambda r: (200, {"items": [BUDGET]})),
            ("GET", "/regions/eu/sweep", lambda r: (200, self._schedule())),
            ("GET", "/regions/eu/sweep/plan", lambda r: (200, self._sweep_plan())),
            ("POST", "/regions/eu/sweep", self._sweep),
            ("POST", "/regions/eu/sweep/(pause|resume)", self._pause),
        ]

    def _blocked(self) -> list[dict[str, Any]]:
        found = {"dataset": "vision/digits", "version": "1", "region": "eu", "blocked": self.state.blocked}
        return [] if self.state.blocked is None else [found]

    def _delete(self, request: Request, dataset: str) -> tuple[int, Any]:
        self._dataset(dataset)
        del self.state.datasets[dataset]
        return 204, None

    def _schedule(self) -> dict[str, Any]:
        paused = self.state.paused is not None
        return {
            "region": "eu",
            "paused": paused,
            "note": self.state.paused or "",
            "interval_seconds": 300,
            "last_at": None,
            "next_at": None if paused else _now(300),
        }

    def _pause(self, request: Request, what: str) -> tuple[int, Any]:
        self.state.paused = request.body.get("reason", "paused") if what == "pause" else None
        return 200, self._schedule()

    def _victims(self) -> list[dict[str, Any]]:
        return [
            {
                "dataset": name.split("@")[0],
                "version": name.split("@")[1],
                "reason": "EXPIRED",
                "why": "old",
                "bytes": 7,
            }
            for _, name in sorted(self.state.cached)
            if not self.state.pins
        ]

    def _sweep_plan(self) -> dict[str, Any]:
        plan = {"region": "eu", "victims": self._victims(), "notes": ["worker w2 is away"]}
        return plan | {"capacity_bytes": 100, "used_bytes": 9, "orphan_bytes": 2}

    def _sweep(self, request: Request) -> tuple[int, Any]:
        done = not self.state.sweeps_slowly
        outcomes = [victim | {"evicted": True} for victim in self._victims()] if done else None
        if done:
            self.state.cached.clear()
        answer = {"region": "eu", "done": done, "outcomes": outcomes, "workflow_id": "eviction-sweep/eu/now"}
        return (200 if done else 202), answer | {"workflow_url": None}

    def _register(self, request: Request) -> tuple[int, Any]:
        name = f"{request.body['namespace']}/{request.body['name']}"
        known = self.state.datasets.get(name)
        if known is not None:
            if known["source"] != request.body["source"]:
                raise Problem(409, "ALREADY_EXISTS", f"{name} is at {known['source']}", field="source")
            return 200, known
        if not request.body["source"].startswith("s3://"):
            raise Problem(400, "INVALID_ARGUMENT", "source must begin with s3://", field="source")
        self.state.datasets[name] = {"ttl_seconds": 86400, "created_at": _now(), "future": 1, **request.body}
        return 201, {**self.state.datasets[name], "note": self.state.registration_note}

    def _list(self, request: Request) -> tuple[int, Any]:
        names = [name for name in sorted(self.state.datasets) if name > request.query.get("after", "")]
        page = names[:2]
        return 200, {
            "items": [self.state.datasets[name] for name in page],
            "next": page[-1] if len(names) > 2 else None,
        }

    def _versions(self, request: Request, dataset: str) -> tuple[int, Any]:
        """Returns one of two pages with one version each."""
        first = "after" not in request.query
        return 200, {"items": [self._version(dataset, "1" if first else "2")], "next": "1" if first else None}

    def _dataset(self, name: str) -> dict[str, Any]:
        if name not in self.state.datasets:
            raise Problem(404, "NOT_FOUND", f"there is no dataset {name}")
        return self.state.datasets[name]

    def _follow(self, request: Request, dataset: str) -> tuple[int, Any]:
        self._dataset(dataset)
        known = self.state.tracking.get(dataset, {"dataset": dataset, "interval_seconds": 3600, "paused": False})
        followed = known | request.body
        followed["next_check_at"] = None if followed["paused"] else _now(60)
        self.state.tracking[dataset] = followed
        return 200, followed

    def _tracking(self, dataset: str) -> dict[str, Any]:
        if dataset not in self.state.tracking:
            raise Problem(404, "NOT_FOUND", f"{dataset} does not follow its source")
        return self.state.tracking[dataset]

    def _check(self, request: Request, dataset: str) -> tuple[int, Any]:
        found = self._tracking(dataset)
        found["last_check"] = {"checked_at": _now(), "made": "2026-11-22T120000.000Z", "objects_changed": 2}
        return 202, found

    def _version(self, dataset: str, version: str) -> dict[str, Any]:
        self._dataset(dataset)
        if version in self.state.unknown:
            raise Problem(404, "NOT_FOUND", f"dataset {dataset} has no version '{version}'; similar names are 1")
        regions: list[dict[str, Any]] = [
            {
                "region": "eu",
                "state": "CACHED",
                "percent": 100,
                "bytes_cached": TOTAL_BYTES,
                "bytes_from_lake": TOTAL_BYTES,
                "path": f"{self.mount_root}/{dataset}/{version}",
                "cached_at": _now(),
                "evictable_at": None,
                "blocked": None,
            }
            for region, cached in self.state.cached
            if cached == f"{dataset}@{version}"
        ]
        if self.state.blocked is not None:
            regions = [{"region": "eu", "state": "BLOCKED", "bytes_cached": 0, "blocked": self.state.blocked}]
        if self.state.waiting is not None:
            regions = [{"region": "eu", "state": "WARMING", "bytes_cached": 0, "waiting": self.state.waiting}]
        if self.state.warming is not None:
            regions = [{"region": "eu", "state": "WARMING"} | self.state.warming]
        return {
            "dataset": dataset,
            "version": version,
            "manifest": {"digest": "ab" * 32, "uri": "s3://f/m", "objects": 3, "bytes": TOTAL_BYTES, "chunks": 8},
            "origin": {
                "source": "s3://lake/digits/",
                "include": ["train/**"],
                "exclude": [],
                "before": "1" if version == "2" else None,
                "objects_changed": 2,
                "objects_added": 3,
                "objects_removed": 1,
                "bytes_new": 1 << 20,
            },
            "ttl_seconds": 60,
            "regions": regions,
            "pins": self._pins(None),
            "workflow_id": f"dataset/{dataset}@{version}",
            "workflow_url": "http://127.0.0.1/w",
        }

    def _aliases(self, request: Request, dataset: str) -> tuple[int, Any]:
        self._dataset(dataset)
        items = [{"alias": alias, "version": version} for alias, version in sorted(self.state.aliases.items())]
        return 200, {"items": items, "next": None}

    def _set_alias(self, request: Request, dataset: str, alias: str) -> tuple[int, Any]:
        self._dataset(dataset)
        before = self.state.aliases.get(alias)
        self.state.aliases[alias] = request.body["version"]
        return 200, {"alias": alias, "version": request.body["version"], "before": before, "moved_at": _now()}

    def _page(self, request: Request, items: list[dict[str, Any]]) -> tuple[int, Any]:
        left = [each for each in items if each["path"] > request.query.get("after", "")]
        return 200, {"items": left[:2], "next": left[1]["path"] if len(left) > 2 else None}

    def _freeze(self, request: Request, dataset: str, version: str) -> tuple[int, Any]:
        self._dataset(dataset)
        if self.state.listings_left > 0:
            self.state.listings_left -= 1
            cause = {"code": "LAKE_UNAVAILABLE", "message": "the lake does not answer"}
            return 202, self._version(dataset, version) | {"manifest": None, "origin": None, "freezing": cause}
        if self.state.known is not None:
            self.state.known.add(version)
        return 200, self._version(dataset, version)

    def _asked(self, request: Request, dataset: str, version: str) -> tuple[int, Any]:
        self._dataset(dataset)
        create = request.body.get("create", False)
        if self.state.known is not None and version not in {"latest", *self.state.known}:
            if not create:
                near = ", ".join(sorted(self.state.known))
                raise Problem(404, "NOT_FOUND", f"{dataset} has no version '{version}'; similar names are {near}")
            self.state.known.add(version)
        key = request.headers["idempotency-key"]
        if version == "latest" and self.state.latest is not None:
            version = self.state.meant.setdefault(key, self.state.latest)
        known = self.state.requests.get(key)
        if known is not None and "failed" in known:
            del known["failed"]
            known["looks"] = 0
        return self._ensure(request, dataset, version, key)

    def _ensure(self, request: Request, dataset: str, version: str, key: str) -> tuple[int, Any]:
        body = {name: sent for name, sent in request.body.items() if name != "create"}
        if key not in self.state.requests:
            self.state.fills += 1
            named = request.body.get("regions", [])
            first = {"region": named[0], "others": named[1:]} if named else {}
            asked = {"dataset": dataset, "version": version, "looks": 0}
            self.state.requests[key] = asked | first | body
        elif any(self.state.requests[key].get(name) != sent for name, sent in body.items()):
            raise Problem(409, "ALREADY_EXISTS", f"Idempotency-Key '{key}' was used for another request")
        if self.state.proves_slowly and request.query["wait_seconds"] == "0":
            progress = {"region": request.body["region"], "state": "CACHED", "bytes_cached": TOTAL_BYTES}
            return 202, self._answered(key, {"done": False, "progress": progress})
        return self._look(key)

    def _plan(self, request: Request, dataset: str, version: str) -> tuple[int, Any]:
        self._dataset(dataset)
        space = {"admission": "admitted", "needed_bytes": TOTAL_BYTES, "taken_bytes": 0, "capacity_bytes": 1 << 30}
        needs = {"bytes": TOTAL_BYTES, "objects": 3, "bytes_missing": TOTAL_BYTES, "objects_missing": 3}
        region = {
            "region": "eu",
            "state": "ABSENT",
            "needs": needs | {"lake_requests": 8, "exact": True, "at_least": False},
            "sources": [
                {"kind": "region", "region": "us", "cost": 0, "used": False},
                {"kind": "lake", "region": None, "cost": 1.5e-3, "used": True},
            ],
            "space": space | {"victims": [], "problem": None, "not_before": None},
            "bytes_per_second": 1 << 20,
            "eta_seconds": 64,
            "eta_least_seconds": 32,
            "eta_most_seconds": 133,
            "problem": None,
        } | self.state.plan
        return 200, {
            "dataset": dataset,
            "version": version,
            "manifest": None if version in self.state.unknown else self._version(dataset, version)["manifest"],
            "currency": "USD",
            "regions": [region] if request.body.get("regions", ["eu"]) == ["eu"] else [],
        }

    def _placements(self, request: Request) -> tuple[int, Any]:
        self._dataset(request.query["dataset"])
        unknown = {"coverage": None, "free_bytes": None, "eta_seconds": None, "cost": None, "gpus": None}
        here = {"coverage": 0.426, "free_bytes": 1 << 30, "eta_seconds": 64, "cost": 1.5e-3, "gpus": 8}
        here |= {"eta_least_seconds": 32, "eta_most_seconds": 133}
        return 200, {
            "dataset": request.query["dataset"],
            "version": "1",
            "currency": "USD",
            "items": [
                {"rank": 1, "region": "eu", "state": "ABSENT", "verdict": "can_be_filled", "reasons": ["a", "b"]}
                | here,
                {"rank": 2, "region": "us", "state": "ABSENT", "verdict": "unknown", "reasons": ["no agent"]} | unknown,
            ],
        }

    def _abandon(self, dataset: str, version: str) -> dict[str, Any]:
        self.state.blocked = None
        return self._version(dataset, version)

    def _cancel(self, request: Request, dataset: str, version: str, key: str) -> tuple[int, Any]:
        if key not in self.state.requests:
            raise Problem(404, "NOT_FOUND", f"there is no request {key}")
        self.state.requests[key]["cancelled"] = True
        return 204, None

    def _fsck(self, request: Request) -> tuple[int, Any]:
        of_nothing = request.query.get("of") == "team/nothing"
        if "after" not in request.query:
            return 200, {"checked": 0 if of_nothing else 2, "findings": [], "next": "versions:team/b@v1"}
        return 200, {"checked": 0 if of_nothing else 1, "findings": self.state.findings, "next": None}

    def _restore(self, request: Request) -> tuple[int, Any]:
        if "after" not in request.query:
            return 200, {"restored": 2, "unchanged": 1, "problems": [], "next": "versions/team/b@v1.json"}
        return 200, {"restored": 0, "unchanged": 1, "problems": self.state.not_restored, "next": None}

    def _quotas(self, namespace: str) -> tuple[int, Any]:
        mine = [(region, size) for (of, region), size in self.state.quotas.items() if of == namespace]
        return 200, {"items": [{"region": region, "bytes": size} for region, size in mine]}

    def _set_quota(self, request: Request, namespace: str) -> tuple[int, Any]:
        self.state.quotas[namespace, request.body.get("region")] = request.body["bytes"]
        return self._quotas(namespace)

    def _remove_quota(self, request: Request, namespace: str) -> tuple[int, Any]:
        self.state.quotas.pop((namespace, request.query.get("region")), None)
        return self._quotas(namespace)

    def _look(self, key: str) -> tuple[int, Any]:
        if key not in self.state.requests:
            raise Problem(404, "NOT_FOUND", f"there is no request {key}")
        asked = self.state.requests[key]
        if asked.get("cancelled"):
            raise Problem(409, "CANCELLED", f"request {key} was taken back")
        if self.state.fill_fails is not None:
            raise self.state.fill_fails
        if "failed" not in asked and asked["looks"] > 0 and self.state.attempts_fail:
            asked["failed"] = self.state.attempts_fail.pop(0)
        if "failed" in asked:
            raise asked["failed"]
        if self.state.tells:
            cached, size = self.state.tells.pop(0)
            progress = {"region": asked["region"], "state": "WARMING", "bytes_cached": cached, "bytes": size}
            return 202, self._answered(key, {"done": False, "progress": progress})
        asked["looks"] += 1
        if asked["looks"] <= self.state.looks_until_cached:
            share = asked["looks"] / (self.state.looks_until_cached + 1)
            progress = {
                "region": asked["region"],
                "state": "WARMING",
                "bytes_cached": int(TOTAL_BYTES * share),
                "bytes": TOTAL_BYTES if asked["looks"] > 1 else None,
                "waiting": self.state.waiting,
            }
            return 202, self._answered(key, {"done": False, "progress": progress})
        receipts = [self._receipt(asked, region) for region in (asked["region"], *asked.get("others", ()))]
        return 200, self._answered(key, {"done": True, "receipt": receipts[0], "receipts": receipts})

    def _answered(self, key: str, answer: dict[str, Any]) -> dict[str, Any]:
        return {"request_id": key, "version": self.state.requests[key]["version"]} | answer

    def _receipt(self, asked: dict[str, Any], region: str) -> dict[str, Any]:
        dataset, version = asked["dataset"], asked["version"]
        receipt = {
            "dataset": dataset,
            "version": version,
            "manifest_digest": "ab" * 32,
            "objects": 3,
            "bytes": TOTAL_BYTES,
            "region": region,
            "bytes_verified": TOTAL_BYTES,
            "bytes_from_lake": TOTAL_BYTES,
            "path": f"{self.mount_root}/{dataset}/{version}",
            "cached_at": _now(),
            "pin": None,
            "workflow_id": f"dataset/{dataset}@{version}",
            "workflow_url": "http://127.0.0.1/w",
        }
        if self.state.cold is not None and not self.state.cold_is_mounted:
            # A version that is not mounted cannot be pinned.
            unknown = dict.fromkeys(("manifest_digest", "objects", "bytes", "path", "cached_at"))
            return (
                receipt | unknown | {"coverage": 0, "bytes_verified": 0, "bytes_from_lake": 0, "cold": self.state.cold}
            )
        self.state.cached.add((region, f"{dataset}@{version}"))
        if asked.get("pin") and (self.state.cold is None or self.state.cold_is_pinned):
            receipt["pin"] = self._take(dataset, version, region, asked["pin"])
        return receipt | {"coverage": self.state.coverage, "cold": self.state.cold}

    def _take(self, dataset: str, version: str, region: str, asked: dict[str, Any]) -> dict[str, Any]:
        lease = asked["lease_seconds"]
        if (region, f"{dataset}@{version}") not in self.state.cached:
            raise Problem(404, "NOT_FOUND", f"{dataset}@{version} is not in {region}")
        held = self.state.pins.get((region, asked["id"]))
        if held is not None and held["until"] > time.monotonic() and held["holder"] != asked["holder"]:
            raise Problem(409, "ALREADY_EXISTS", f"{held['holder']} holds a pin with the id {asked['id']}")
        pin = {"id": asked["id"], "holder": asked["holder"], "reason": asked.get("reason"), "region": region}
        pin |= {"dataset": dataset, "version": version, "expires_at": _now(lease), "job": asked.get("job")}
        pin |= {"taken_at": _now()}
        self.state.pins[region, asked["id"]] = pin | {"lease": lease, "until": time.monotonic() + lease}
        return pin

    def _pin(self, request: Request, dataset: str, version: str) -> tuple[int, Any]:
        return 201, self._take(dataset, version, request.body["region"], request.body)

    def _renew(self, request: Request, dataset: str, version: str, pin: str) -> tuple[int, Any]:
        held = self.state.pins.get((request.body["region"], pin))
        if held is None or held["until"] < time.monotonic():
            raise Problem(404, "NOT_FOUND", f"pin {pin} has ended")
        held |= {"until": time.monotonic() + held["lease"], "expires_at": _now(held["lease"])}
        return 200, held

    def _unpin(self, request: Request, dataset: str, version: str, pin: str) -> tuple[int, Any]:
        self._dataset(dataset)
        key = request.query["region"], pin
        taken_at = request.query.get("taken_at")
        if taken_at is None or key not in self.state.pins or self.state.pins[key]["taken_at"][:26] <= taken_at[:26]:
            self.state.pins.pop(key, None)
        return 204, None

    def _evict(self, request: Request, dataset: str, version: str) -> tuple[int, Any]:
        if self.state.pins:
            raise Problem(409, "PINNED", f"{dataset}@{version} is held by somebody")
        self.state.cached.discard((request.body["region"], f"{dataset}@{version}"))
        return 200, self._version(dataset, version)

    def _pins(self, region: str | None, version: str | None = None) -> list[dict[str, Any]]:
        return [
            pin
            for pin in self.state.pins.values()
            if region in (None, pin["region"]) and version in (None, f"{pin['dataset']}@{pin['version']}")
        ]

    def _explain(self, request: Request, dataset: str) -> tuple[int, Any]:
        self._dataset(dataset)
        version = request.query["version"]
        happened = {"at": _now(), "kind": "EVICTED", "code": None, "text": "space for\nmore", "bytes": TOTAL_BYTES}
        return 200, {
            "dataset": dataset,
            "version": "2" if version == "latest" else version,
            "region": request.query["region"],
            "state": "ABSENT",
            "warm": False,
            "sentences": [f"{dataset} is cold.", "It was evicted."],
            "history": [happened],
            "newest": "2",
            "others": ["1"],
            "last_check": {"checked_at": _now(), "made": "2", "objects_changed": 1, "problem": None},
        }

    def _costs(self, request: Request) -> tuple[int, Any]:
        """Returns one of two pages with one line each."""
        first = "after" not in request.query
        return 200, {
            "currency": "EUR",
            "priced": self.state.priced,
            "since": request.query.get("since", "2026-11-01"),
            "until": "2026-12-01",
            "by": request.query["by"],
            "items": [_cost("vision/digits" if first else "")],
            "total": _cost(""),
            "next": "vision/digits" if first else None,
        }

    def _leaked(self) -> list[dict[str, Any]]:
        leak = {"code": "NOT_RENEWED", "message": "not renewed for 9 s of its lease of 10 s"}
        return [pin | {"leak": leak} for pin in self.state.pins.values() if pin["holder"] == "gone"]

    def _regions(self) -> list[dict[str, Any]]:
        return [self._region(), *(self._region() | {"name": each} for each in self.state.other_regions)]

    def _region(self) -> dict[str, Any]:
        worker = {"id": "w1", "address": "http://127.0.0.1:1", "live": True, "capacity_bytes": 1 << 30, "used_bytes": 5}
        return {
            "name": "eu",
            "mount_root": self.mount_root,
            "agent": "http://a",
            "reachable": True,
            "etcd_reachable": True,
            "problem": None,
            "workers": [worker],
        } | self.state.region


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    answer: Any,
    *,
    headers: dict[str, str] | None = None,
    content_type: str = "application/json",
) -> None:
    raw = answer.encode() if isinstance(answer, str) else b"" if answer is None else json.dumps(answer).encode()
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Type", content_type)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()


def busy(retry_after: int | None = None) -> Fault:
    """Returns the answer of a proxy whose server is absent."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda handler: send(handler, 503, "<h1>no upstream</h1>", headers=headers, content_type="text/html")


BUDGET = {"namespace": "vision", "month": "2026-11-01", "currency": "EUR", "budget": 2.5, "spent": 2.75, "paused": True}


def _cost(key: str) -> dict[str, Any]:
    return {
        "key": key,
        "lake": {"requests": 12, "bytes": 1 << 30},
        "peer": {"requests": 0, "bytes": 0},
        "sibling": {"requests": 2, "bytes": 1 << 30},
        "on_premises": {"requests": 3, "bytes": 1 << 29},
        "readers": {"requests": 70, "bytes": 4 << 30},
        "nvme_gb_hours": 1.5,
        "evictions": 1,
        "cost": {
            "lake": 0.1,
            "siblings": 0.0,
            "requests": 0.01,
            "nvme": 0.02,
            "total": 0.13,
            "without_cache": 0.4,
            "saved": 0.27,
        },
    }


def _now(later: float = 0.0) -> str:
    # The format of Java's Instant: nine digits and a Z.
    moment = datetime.now(timezone.utc) + timedelta(seconds=later)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "123Z"
