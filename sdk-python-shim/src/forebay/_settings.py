"""What a process takes from its environment when the caller does not say."""

from __future__ import annotations

import getpass
import ipaddress
import os
import socket
from collections.abc import Generator
from pathlib import Path

import httpx

from forebay._errors import ConfigurationError


def api_address(given: str | None) -> httpx.URL:
    """The base address of the API, with ``/api/v1``."""
    text = given or os.environ.get("FOREBAY_API")
    if not text:
        raise ConfigurationError(
            "no control plane is named: set FOREBAY_API to its address, for example http://127.0.0.1:8080"
        )
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as e:
        raise ConfigurationError(f"'{text}' is not an address: {e}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError(f"'{text}' is not an address: write http://host:port or https://host")
    path = url.path.rstrip("/")
    return url.copy_with(path=path if path.endswith("/api/v1") else path + "/api/v1", query=None)


def trust_proxies(base: httpx.URL) -> bool:
    """Whether requests may take the proxy that the environment names.

    A proxy of the machine is for the world outside, not for a control plane on the same host.
    """
    if base.host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(base.host).is_loopback
    except ValueError:
        return True


def region(given: str | None) -> str:
    name = given or os.environ.get("FOREBAY_REGION")
    if not name:
        raise ConfigurationError("no region is named: pass one, or set FOREBAY_REGION on this machine")
    return name


def mount_root(given: str | os.PathLike[str] | None) -> Path | None:
    text = given or os.environ.get("FOREBAY_MOUNT_ROOT")
    return Path(text) if text else None


def holder() -> str:
    """Who we are, for the people who look at a pin: ``user@host``."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # A container's user need not be in /etc/passwd.
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"[:200]


class TokenFile(httpx.Auth):
    """Sends the token in a file, read anew for each request: tokens that a cluster mounts change."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        try:
            token = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeError) as e:
            raise ConfigurationError(f"cannot read the token file {self._path}: {e}") from None
        request.headers["Authorization"] = f"Bearer {token}"
        yield request


def token_file(given: str | os.PathLike[str] | None) -> TokenFile | None:
    path = given or os.environ.get("FOREBAY_TOKEN_FILE")
    return TokenFile(path) if path else None
