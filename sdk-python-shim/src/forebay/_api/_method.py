"""Decorators for methods that are written once, and that both clients have.

A method is written as a function that returns a ``Call``, or as an operation (see ``_exchange``). ``Client`` has it as
a blocking method, and ``AsyncClient`` as a coroutine function with the same parameters.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from forebay._calls import Call, Paged
from forebay._drivers import AsyncDriver, BlockingDriver
from forebay._exchange import Exchanges, Operation

P = ParamSpec("P")
T = TypeVar("T")


class Methods:
    """The base of classes with such methods. Their clients also extend a driver."""

    _exchanges: Exchanges


class _Written(ABC, Generic[P, T]):
    """A descriptor for a function that is written once and becomes a blocking or an async method of a client."""

    def __init__(self, written: Callable[..., Any]) -> None:
        self._written = written
        self._made: dict[type, FunctionType] = {}

    def _of(self, client: object, kind: type) -> Any:
        if kind not in self._made:
            made, returns = self._awaited() if issubclass(kind, AsyncDriver) else self._blocking()
            update_wrapper(made, self._written)
            made.__signature__ = inspect.signature(made).replace(return_annotation=returns)
            self._made[kind] = made
        return self._made[kind] if client is None else MethodType(self._made[kind], client)

    @abstractmethod
    def _blocking(self) -> tuple[Any, str]:
        """Returns the method of ``Client``, and its result for ``help``."""

    @abstractmethod
    def _awaited(self) -> tuple[Any, str]:
        """Returns the method of ``AsyncClient``, and its result for ``help``."""

    def _result(self) -> str:
        """Returns T as it is written: Dataset for ``Call[Dataset]`` and for ``Call[Paged[Dataset]]``."""
        hint = re.fullmatch(r"(?:Call|Operation)\[(?:Paged\[(.+)\]|(.+))\]", self._written.__annotations__["return"])
        assert hint is not None
        return hint[1] or hint[2]


class method(_Written[P, T]):
    """The method returns the answer to one call, or the result of an operation."""

    def __init__(self, written: Callable[Concatenate[Any, P], Call[T] | Operation[T]]) -> None:
        super().__init__(written)

    @overload
    def __get__(self, client: None, kind: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: BlockingDriver, kind: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncDriver, kind: type) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, client: object, kind: type) -> Any:
        return self._of(client, kind)

    def _blocking(self) -> tuple[Any, str]:
        def method(client: BlockingDriver, *args: Any, **kwargs: Any) -> T:
            asked: Call[T] | Operation[T] = self._written(client, *args, **kwargs)
            return client._run(_operation(client._exchanges, asked))

        return method, self._result()

    def _awaited(self) -> tuple[Any, str]:
        async def method(client: AsyncDriver, *args: Any, **kwargs: Any) -> T:
            asked: Call[T] | Operation[T] = self._written(client, *args, **kwargs)
            return await client._run(_operation(client._exchanges, asked))

        return method, self._result()


class pages(_Written[P, T]):
    """The method yields the items of all pages. ``after`` is a keyword of the written function: where a page begins."""

    def __init__(self, written: Callable[Concatenate[Any, P], Call[Paged[T]]]) -> None:
        super().__init__(written)

    @overload
    def __get__(self, client: None, kind: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: BlockingDriver, kind: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncDriver, kind: type) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, client: object, kind: type) -> Any:
        return self._of(client, kind)

    def _blocking(self) -> tuple[Any, str]:
        def method(client: BlockingDriver, *args: Any, after: str | None = None, **kwargs: Any) -> Iterator[T]:
            while True:
                page: Call[Paged[T]] = self._written(client, *args, after=after, **kwargs)
                items, after = client._run(client._exchanges.one(page))
                yield from items
                if after is None:
                    return

        return method, f"Iterator[{self._result()}]"

    def _awaited(self) -> tuple[Any, str]:
        async def method(client: AsyncDriver, *args: Any, after: str | None = None, **kwargs: Any) -> AsyncIterator[T]:
            while True:
                page: Call[Paged[T]] = self._written(client, *args, after=after, **kwargs)
                items, after = await client._run(client._exchanges.one(page))
                for item in items:
                    yield item
                if after is None:
                    return

        return method, f"AsyncIterator[{self._result()}]"


def _operation(exchanges: Exchanges, written: Call[T] | Operation[T]) -> Operation[T]:
    return exchanges.one(written) if isinstance(written, Call) else written
