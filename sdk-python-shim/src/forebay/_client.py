"""The two clients. They have the same methods, and differ only in how they wait."""

from __future__ import annotations

from forebay._api import Api
from forebay._drivers import AsyncDriver, BlockingDriver


class Client(BlockingDriver, Api):
    """Calls the control plane's API. Safe to share between threads.

    Datasets are named ``namespace/name``. The client retries connection failures and temporary refusals for
    ``retry_seconds``. Every request may safely be sent twice.

        with Client() as client:
            receipt = client.ensure("vision/digits", "2026-11-20", "us-east-1")

    Args:
        api: the control plane's address; default ``FOREBAY_API``.
        token_file: a file with the bearer token; default ``FOREBAY_TOKEN_FILE``; no token if neither is given.
        retry_seconds: how long to retry a request without an answer.
    """


class AsyncClient(AsyncDriver, Api):
    """The same as ``Client``, for asyncio: each method is awaited, or yields its items to ``async for``.

        async with AsyncClient() as client:
            receipt = await client.ensure("vision/digits", "2026-11-20", "us-east-1")

    Args:
        api: the control plane's address; default ``FOREBAY_API``.
        token_file: a file with the bearer token; default ``FOREBAY_TOKEN_FILE``; no token if neither is given.
        retry_seconds: how long to retry a request without an answer.
    """
