"""Values of variables and arguments that no request can carry."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import Any

import pytest
from control_plane import ControlPlane

import forebay
from forebay import AsyncClient, Client, ConfigurationError, ensure_dataset_cached

_UNDECODED = "\udcff"
"""Python's text for the byte FF in a variable or an argument."""


def _step(plane: ControlPlane, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forebay.step", "--api", plane.url, *options],
        env={**os.environ, "FOREBAY_REGION": "eu", "FOREBAY_DATASET": "vision/digits@1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FOREBAY_REGION", _UNDECODED),
        ("FOREBAY_REGION", "EU"),
        ("FOREBAY_REGION", "eu\n"),
        ("FOREBAY_JOB_UID", _UNDECODED),
        ("FOREBAY_JOB_UID", "two words"),
        ("FOREBAY_RUN_ID", _UNDECODED),
        ("FOREBAY_RUN_ID", "x" * 201),
        ("RANK", _UNDECODED),
    ],
)
def test_an_invalid_variable_is_an_error_that_names_it(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv("FOREBAY_RUN_ID", "train-7")
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as refused:
        ensure_dataset_cached("vision/digits", "1", pin_for="5m", progress=False)
    assert str(refused.value).startswith(f"{variable} is ")
    assert plane.seen("POST", ".*") == []


@pytest.mark.parametrize("name", [_UNDECODED, "two\nlines", "\x1b[31m"])
def test_a_user_name_may_have_any_characters(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable in ("LOGNAME", "USER"):
        monkeypatch.setenv(variable, name)
    with ensure_dataset_cached("vision/digits", "1", pin_for="5m", progress=False) as held:
        assert held.pin is not None
        assert held.pin.holder.isprintable()


@pytest.mark.parametrize("option", ["--dataset", "--version", "--region", "--reason", "--holder", "--prefetch"])
def test_a_step_refuses_an_argument_that_cannot_be_decoded(plane: ControlPlane, option: str) -> None:
    value = f"vision/{_UNDECODED}" if option in ("--dataset", "--prefetch") else _UNDECODED
    done = _step(plane, option, value, "--pin-for", "5m")
    assert (done.returncode, done.stdout.startswith("forebay.step: ")) == (2, True), done.stdout
    assert plane.seen("POST", ".*") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_coverage": float("nan")}, "min_coverage 'nan' must be a finite number"),
        ({"min_coverage": float("inf")}, "min_coverage 'inf' must be a finite number"),
        ({"deadline": 1e300}, "deadline_seconds is too large a number"),
        ({"pin_for": 1e300}, "pin.lease_seconds is too large a number"),
        ({"pin_for": "5m", "reason": _UNDECODED}, r"pin.reason '\udcff' is not text in this machine's encoding"),
        ({"also_in": [_UNDECODED]}, r"regions '\udcff' is not text in this machine's encoding"),
    ],
)
def test_a_value_that_json_cannot_represent_is_refused(plane: ControlPlane, arguments: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        ensure_dataset_cached("vision/digits", "1", progress=False, **arguments)
    assert str(refused.value) == message
    assert plane.seen("POST", ".*") == []


@pytest.mark.parametrize("key", ["ü", "two\nlines", _UNDECODED])
def test_an_invalid_idempotency_key_is_refused(client: Client, key: str) -> None:
    with pytest.raises(ConfigurationError, match="Idempotency-Key"):
        client.start_ensure("vision/digits", "1", "eu", idempotency_key=key)


def test_a_quota_that_is_too_large_is_refused(client: Client, plane: ControlPlane) -> None:
    with pytest.raises(ConfigurationError, match="bytes is too large a number"):
        client.set_quota("vision", 10**400)


@pytest.mark.parametrize("host", ["a..b", ".", ".a", f"{'a' * 64}.example"])
def test_an_invalid_host_name_is_refused(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("FOREBAY_API", f"http://{host}:8080")
    with pytest.raises(ConfigurationError, match=r"^FOREBAY_API is 'http"):
        Client()
    with pytest.raises(ConfigurationError):
        asyncio.run(_ask())
    monkeypatch.setenv("HTTP_PROXY", f"http://{host}:3128")
    monkeypatch.delenv("http_proxy", raising=False)
    with pytest.raises(ConfigurationError, match=r"^HTTP_PROXY is 'http"):
        Client("http://forebay.example")


async def _ask() -> None:
    async with AsyncClient() as client:
        await client.regions()


def test_a_host_name_may_end_with_a_dot() -> None:
    assert forebay.Client("http://forebay.example.:8080").api == "http://forebay.example.:8080/api/v1"
