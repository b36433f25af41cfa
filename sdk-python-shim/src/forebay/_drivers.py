"""Carries out operations: one driver blocks, the other one is awaited. All decisions are made in ``_exchange``."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from forebay import _proxies, _settings
from forebay._calls import Request
from forebay._exchange import Exchanges, Operation, Pause, ending, is_interrupted

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class BlockingDriver:
    """Sends requests by ``httpx.Client``. Safe to share between threads."""

    def __init__(
        self,
        api: str | None = None,
        *,
        token_file: str | os.PathLike[str] | None = None,
        retry_seconds: float = 30.0,
    ) -> None:
        self._exchanges = _exchanges(api, retry_seconds)
        self._http = httpx.Client(**_settings.http_options(self._exchanges.base, token_file))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    @property
    def api(self) -> str:
        """The address of the API."""
        return str(self._exchanges.base)

    def _run(self, operation: Operation[T]) -> T:
        try:
            return self._carry_out(operation, operation.send, None)
        except BaseException as error:
            if not is_interrupted(operation):
                raise
            with ending(operation, error):
                return self._carry_out(operation, operation.throw, error)

    def _carry_out(self, operation: Operation[T], go_on: Callable[[Any], Request | Pause], outcome: Any) -> T:
        while True:
            try:
                step = go_on(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            go_on, outcome = operation.send, None
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            else:
                try:
                    outcome = self._http.request(**step)
                except httpx.RequestError as error:
                    outcome = error


class AsyncDriver:
    """Sends requests by ``httpx.AsyncClient``. For one event loop."""

    def __init__(
        self,
        api: str | None = None,
        *,
        token_file: str | os.PathLike[str] | None = None,
        retry_seconds: float = 30.0,
    ) -> None:
        self._exchanges = _exchanges(api, retry_seconds)
        self._http = httpx.AsyncClient(**_settings.http_options(self._exchanges.base, token_file))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    @property
    def api(self) -> str:
        """The address of the API."""
        return str(self._exchanges.base)

    async def _run(self, operation: Operation[T]) -> T:
        try:
            return await self._carry_out(operation, operation.send, None)
        except BaseException as error:
            if not is_interrupted(operation):
                raise
            with ending(operation, error):
                return await self._carry_out(operation, operation.throw, error)

    async def _carry_out(self, operation: Operation[T], go_on: Callable[[Any], Request | Pause], outcome: Any) -> T:
        while True:
            try:
                step = go_on(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            go_on, outcome = operation.send, None
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            else:
                try:
                    outcome = await self._http.request(**step)
                except httpx.RequestError as error:
                    outcome = error


def _exchanges(api: str | None, retry_seconds: float) -> Exchanges:
    base = _settings.api_address(api)
    return Exchanges(base, retry_seconds, _proxies.route_to(base))
