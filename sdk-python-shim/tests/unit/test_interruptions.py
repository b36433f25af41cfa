"""Interrupted waits for a version, and the effects on request and pin."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from control_plane import ControlPlane, busy, hang_up
from waiting import until

import forebay
from forebay import AsyncClient, Client, ensure_dataset_cached, ensure_dataset_cached_async
from forebay._errors import notes

_FOREBAY = (sys.executable, "-m", "forebay")


class _Interruption(BaseException):
    """An exception like Airflow's on SIGTERM."""


def _interrupt(by: type[BaseException] = KeyboardInterrupt) -> Callable[[forebay.Progress], None]:
    def interrupt(_: forebay.Progress) -> None:
        raise by

    return interrupt


def _sync(**how: Any) -> None:
    ensure_dataset_cached("vision/digits", "1", pin_for="1h", **how)


def _async(**how: Any) -> None:
    asyncio.run(ensure_dataset_cached_async("vision/digits", "1", pin_for="1h", **how))


def _client(**how: Any) -> None:
    how["on_progress"] = how.pop("progress")
    with Client() as client:
        client.ensure("vision/digits", "1", "eu", pin=forebay.PinSpec("p", "me", 3600), **how)


def _async_client(**how: Any) -> None:
    how["on_progress"] = how.pop("progress")

    async def ensure() -> None:
        async with AsyncClient() as client:
            await client.ensure("vision/digits", "1", "eu", pin=forebay.PinSpec("p", "me", 3600), **how)

    asyncio.run(ensure())


each_way = pytest.mark.parametrize("ensure", [_sync, _async, _client, _async_client])


@pytest.fixture(autouse=True)
def slowly(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000


def _cancelled(plane: ControlPlane) -> list[bool]:
    return [request.get("cancelled", False) for request in plane.state.requests.values()]


@each_way
@pytest.mark.parametrize("by", [KeyboardInterrupt, _Interruption, ValueError])
def test_an_interrupted_call_cancels_its_request_and_leaves_no_pin(
    plane: ControlPlane, ensure: Callable[..., None], by: type[BaseException]
) -> None:
    with pytest.raises(by) as interrupted:
        ensure(progress=_interrupt(by))
    assert _cancelled(plane) == [True]
    (id,) = plane.state.requests
    assert notes(interrupted.value) == [
        f"request {id} of vision/digits@1 is cancelled; other requests for the version continue"
    ]
    plane.state.looks_until_cached = 0
    with Client() as client, pytest.raises(forebay.Cancelled):
        client.ensure_status("vision/digits", "1", "eu", id)
    assert not plane.state.pins


@each_way
def test_a_detached_request_continues_after_an_interruption(plane: ControlPlane, ensure: Callable[..., None]) -> None:
    with pytest.raises(KeyboardInterrupt) as interrupted:
        ensure(progress=_interrupt(), detach=True)
    assert not plane.seen("DELETE", "")
    (id,) = plane.state.requests
    assert notes(interrupted.value) == [
        f"request {id} of vision/digits@1 continues; 'forebay cancel vision/digits@1 {id}' cancels it"
    ]


def test_a_cancelled_task_cancels_its_request(plane: ControlPlane) -> None:
    async def train() -> None:
        def stop(_: forebay.Progress) -> None:
            waiting.cancel()

        waiting = asyncio.create_task(ensure_dataset_cached_async("vision/digits", "1", run_id="7", progress=stop))
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(train())
    assert _cancelled(plane) == [True]


@pytest.mark.parametrize(("by", "cancelled"), [(KeyboardInterrupt, True), (_Interruption, False), (SystemExit, False)])
def test_only_a_keyboard_interrupt_cancels_the_request_of_a_run(
    plane: ControlPlane, by: type[BaseException], cancelled: bool
) -> None:
    with pytest.raises(by):
        _sync(progress=_interrupt(by), run_id="train-7")
    assert _cancelled(plane) == [cancelled]
    assert not plane.seen("DELETE", "/pins/")
    plane.state.looks_until_cached = 0
    if not cancelled:
        _sync(progress=False, run_id="train-7")
        assert plane.state.fills == 1


def test_a_timeout_keeps_the_request_and_says_that_it_will_pin(plane: ControlPlane) -> None:
    with pytest.raises(forebay.EnsureTimeout, match="continues the request, and will pin it"):
        _sync(progress=False, timeout=1)
    assert not plane.seen("DELETE", "")


def test_an_early_interruption_cancels_a_request_that_is_still_arriving(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The platform does not know the request at its first cancellation, because it is still arriving."""
    monkeypatch.setattr("forebay._ensure._ACCEPTED_WITHIN", (0.1, 0.1))
    held: list[BaseHTTPRequestHandler] = []

    def interrupt(handler: BaseHTTPRequestHandler) -> None:
        held.append(handler)
        os.kill(os.getpid(), signal.SIGINT)

    def arrive(handler: BaseHTTPRequestHandler) -> None:
        asked = plane.seen("POST", "/ensure$")[0]
        plane.state.requests[asked.headers["idempotency-key"]] = {"dataset": "vision/digits", "version": "1"}
        plane._answer(handler)

    def unknown(handler: BaseHTTPRequestHandler) -> None:
        plane._answer(handler)

    plane.fail_next(interrupt, unknown, arrive)
    with pytest.raises(KeyboardInterrupt):
        _sync(progress=False)
    assert _cancelled(plane) == [True]


def test_the_note_says_that_the_platform_does_not_know_the_request(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay._ensure._ACCEPTED_WITHIN", (0.1,))
    plane.fail_next(lambda handler: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt) as interrupted:
        _sync(progress=False)
    assert notes(interrupted.value)[0].endswith("of vision/digits@1 is not known to the platform")


def test_the_note_of_a_failed_cancellation_says_what_to_do(plane: ControlPlane) -> None:
    def stop(_: forebay.Progress) -> None:
        plane.fail_next(*[busy()] * 4)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        _sync(progress=stop)
    (id,) = plane.state.requests
    (note,) = notes(interrupted.value)
    assert note.startswith(f"request {id} of vision/digits@1 may continue, because its cancellation failed (HTTP_503")
    assert note.endswith(f"'forebay cancel vision/digits@1 {id}' cancels it")


def test_a_cancellation_does_not_wait_until_the_version_is_evicted(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay._ensure.CANCEL_SECONDS", 0.5)
    gone = threading.Event()

    def evict(handler: BaseHTTPRequestHandler) -> None:
        (request,) = plane.state.requests.values()
        request["cancelled"] = True
        gone.wait(60)

    def stop(_: forebay.Progress) -> None:
        plane.fail_next(evict)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        _sync(progress=stop)
    assert not gone.is_set()
    gone.set()
    (id,) = plane.state.requests
    assert notes(interrupted.value)[0].startswith(f"request {id} of vision/digits@1 is cancelled")


def test_a_second_interruption_does_not_wait_for_the_platform(plane: ControlPlane) -> None:
    answered = threading.Event()

    def interrupt(handler: BaseHTTPRequestHandler) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        answered.wait(60)

    def stop(_: forebay.Progress) -> None:
        plane.fail_next(interrupt)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        _sync(progress=stop)
    assert not answered.is_set()
    answered.set()
    assert len(plane.seen("DELETE", "/requests/")) == 1
    (id,) = plane.state.requests
    assert notes(interrupted.value) == [
        f"request {id} of vision/digits@1 may continue, because its cancellation was interrupted; "
        f"'forebay cancel vision/digits@1 {id}' cancels it"
    ]


def test_a_second_cancellation_of_a_task_does_not_wait_for_the_platform(plane: ControlPlane) -> None:
    answered = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        if handler.command == "DELETE":
            answered.wait(60)
        else:
            plane.fail_next(hang)
            hang_up(handler)

    async def interrupt_twice() -> list[str]:
        asked = asyncio.create_task(forebay.ensure_dataset_cached_async("vision/digits", "1", progress=False))
        await asyncio.to_thread(until, lambda: bool(plane.state.requests))
        plane.fail_next(hang)
        asked.cancel()
        await asyncio.to_thread(until, lambda: bool(plane.seen("DELETE", "/requests/")))
        asked.cancel()
        with pytest.raises(asyncio.CancelledError) as interrupted:
            await asked
        return notes(interrupted.value)

    plane.state.looks_until_cached = 10**6
    try:
        said = asyncio.run(interrupt_twice())
    finally:
        answered.set()
    (id,) = plane.state.requests
    assert [each.partition(";")[0] for each in said] == [
        f"request {id} of vision/digits@1 may continue, because its cancellation was interrupted"
    ]


class Command:
    """The command ``forebay`` on a terminal of its own."""

    def __init__(self, directory: Path, *words: str) -> None:
        self._out = directory / "said"
        self.pid, self.tty = pty.fork()
        if self.pid == 0:
            shell = f'exec "$@" > {self._out} 2>&1'
            os.execvp("bash", ["bash", "-c", shell, "bash", *_FOREBAY, *words])

    def ends(self) -> tuple[int, str]:
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.tty)
        return code, self._out.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_ended_by_a_signal_cancels_its_request_and_prints_its_id(
    plane: ControlPlane, tmp_path: Path, number: signal.Signals
) -> None:
    command = Command(tmp_path, "ensure", "vision/digits@1", "--pin-for", "1h", "-q")
    until(lambda: len(plane.seen("GET", "/requests/")) > 0)
    if number == signal.SIGINT:
        os.write(command.tty, b"\x03")
    else:
        os.kill(command.pid, number)
    code, said = command.ends()
    assert code == 128 + number
    assert _cancelled(plane) == [True]
    (id,) = plane.state.requests
    assert said == (
        f"forebay: request {id} of vision/digits@1 is cancelled; other requests for the version continue\n"
        f"forebay: ended by {number.name}\n"
    )


def test_a_command_ended_by_timeout_cancels_its_request(plane: ControlPlane) -> None:
    words = ["timeout", "600", *_FOREBAY, "ensure", "vision/digits@1", "--pin-for", "1h", "-q"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as limited:
        until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        limited.send_signal(signal.SIGTERM)  # like timeout, which signals the command and then its group
        assert limited.stderr is not None
        said = limited.stderr.read()
    assert "ended by SIGTERM" in said
    assert _cancelled(plane) == [True]


def test_other_clients_continue_to_wait_after_an_interruption(plane: ControlPlane, tmp_path: Path) -> None:
    with subprocess.Popen([*_FOREBAY, "ensure", "vision/digits@1", "--json"], stdout=subprocess.PIPE) as other:
        until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        command = Command(tmp_path, "ensure", "vision/digits@1", "--pin-for", "1h", "--json")
        until(lambda: len(plane.state.requests) == 2 and len(plane.seen("GET", "/requests/")) > 1)
        os.write(command.tty, b"\x03")
        code, said = command.ends()
        assert (code, json.loads(said)["code"]) == (130, "INTERRUPTED")
        plane.state.looks_until_cached = 0
        assert other.wait(timeout=30) == 0
    assert sorted(_cancelled(plane)) == [False, True]
    assert not plane.state.pins


def test_a_detached_command_leaves_its_request_to_the_platform(plane: ControlPlane, tmp_path: Path) -> None:
    command = Command(tmp_path, "ensure", "vision/digits@1", "--pin-for", "1h", "-q", "--detach")
    until(lambda: len(plane.seen("GET", "/requests/")) > 0)
    os.write(command.tty, b"\x03")
    code, said = command.ends()
    (id,) = plane.state.requests
    assert code == 130
    assert f"request {id} of vision/digits@1 continues; 'forebay cancel vision/digits@1 {id}' cancels it" in said
    assert not plane.seen("DELETE", "")


def test_an_interrupted_evict_says_that_the_platform_continues(plane: ControlPlane, tmp_path: Path) -> None:
    answered = threading.Event()

    def wait(handler: BaseHTTPRequestHandler) -> None:
        answered.wait(60)

    plane.fail_next(wait)
    command = Command(tmp_path, "evict", "vision/digits@1")
    until(lambda: len(plane.log) > 0)
    os.write(command.tty, b"\x03")
    assert command.ends() == (
        130,
        "forebay: the platform continues what it has accepted\nforebay: ended by SIGINT\n",
    )
    answered.set()


def test_a_command_started_with_ignored_signals_ignores_them(plane: ControlPlane) -> None:
    """The command ignores signals like one that a script has started with ``nohup`` or in the background."""
    words = ["ensure", "vision/digits@1", "-q"]
    ignoring = ["env", "--ignore-signal=HUP,INT", sys.executable, "-m", "forebay", *words]
    with subprocess.Popen(ignoring, stdout=subprocess.DEVNULL) as command:
        until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        command.send_signal(signal.SIGINT)
        command.send_signal(signal.SIGHUP)
        looks = len(plane.seen("GET", "/requests/"))
        until(lambda: len(plane.seen("GET", "/requests/")) > looks)
        plane.state.looks_until_cached = 0
        assert command.wait(timeout=30) == 0
