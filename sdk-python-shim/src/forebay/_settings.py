"""What a process takes from its environment when the caller does not say."""

from __future__ import annotations

import getpass
import ipaddress
import os
import socket
import ssl
from collections.abc import Generator
from pathlib import Path
from typing import TypedDict

import httpx

from forebay._errors import ConfigurationError
from forebay._values import checked_part


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


def region(given: str | None) -> str:
    name = checked_part("region", given) if given else os.environ.get("FOREBAY_REGION")
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


def job_uid() -> str | None:
    """The uid of the Kubernetes Job that this process belongs to, if the environment says so."""
    return os.environ.get("FOREBAY_JOB_UID") or None


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


class HttpOptions(TypedDict):
    """What httpx's clients take, of either kind."""

    auth: TokenFile | None
    trust_env: bool
    verify: ssl.SSLContext | bool


def http_options(base: httpx.URL, token_file: str | os.PathLike[str] | None) -> HttpOptions:
    """How to speak to the control plane at ``base``, with the token in a file if there is one."""
    path = token_file or os.environ.get("FOREBAY_TOKEN_FILE")
    return HttpOptions(
        auth=TokenFile(path) if path else None,
        # A proxy of the machine is for the world outside, not for a control plane on the same host.
        trust_env=not _is_loopback(base),
        # Nobody shows a certificate over http, and reading those of all authorities takes longer than most requests.
        verify=_authorities() if base.scheme == "https" else False,
    )


def _authorities() -> ssl.SSLContext | bool:
    """Whose signature on the control plane's certificate counts: those in a file, else those that httpx knows."""
    file = os.environ.get("FOREBAY_SERVICE_CA")
    if not file:
        return True
    try:
        return ssl.create_default_context(cafile=file)
    except OSError as e:  # An SSLError is one.
        raise ConfigurationError(
            f"FOREBAY_SERVICE_CA: {file} holds no certificates in PEM that can be read: {e}"
        ) from None


def _is_loopback(url: httpx.URL) -> bool:
    if url.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        return False
