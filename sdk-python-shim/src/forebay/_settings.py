"""Settings from the environment, for arguments that the caller omits."""

from __future__ import annotations

import getpass
import os
import re
import socket
import ssl
from collections.abc import Generator
from pathlib import Path
from typing import TypedDict

import httpx

from forebay import _proxies
from forebay._errors import ConfigurationError
from forebay._text import shown
from forebay._values import checked_part

_REGION = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_REGION_RULE = "1 to 63 characters of a-z 0-9 -, beginning and ending with a letter or a digit"
_ID = "[A-Za-z0-9._-]{1,64}"
_ID_RULE = "1 to 64 characters of A-Z a-z 0-9 . _ -"


def api_address(given: str | None) -> httpx.URL:
    """Returns the base address of the API, with ``/api/v1``."""
    text = given or os.environ.get("FOREBAY_API")
    if not text:
        raise ConfigurationError(
            "no control plane is named: set FOREBAY_API to its address, for example http://127.0.0.1:8080"
        )
    argument = "api" if given else "FOREBAY_API"
    try:
        url = httpx.URL(text)
        host = url.host  # httpx decodes it only now, which may fail
    except (httpx.InvalidURL, UnicodeError) as e:
        raise _no_address(argument, text, f"it is not an address: {e}") from None
    if url.scheme not in ("http", "https") or not host:
        with_scheme = re.fullmatch(r"[\w.-]+(:\d+)?(/.*)?|\[[0-9a-fA-F:.]+\](:\d+)?(/.*)?", text)
        example = f"http://{text}" if with_scheme else "http://host:port"
        raise _no_address(argument, text, f"it must begin with http:// or https://: write {example}")
    if url.userinfo:
        shown = re.sub(r"//.*@", "//***@", text)
        raise _no_address(
            argument,
            shown,
            "an address must not have a user: put the token into a file, and set FOREBAY_TOKEN_FILE to its path",
        )
    is_port = url.port is None or 0 < url.port < 65536
    if re.search(r"\s", text) or not is_port or not _proxies.is_host(url):
        raise _no_address(argument, text, "its host or port is invalid: write http://host:port")
    path = url.path.rstrip("/")
    path = path if path.endswith("/api/v1") else path + "/api/v1"
    return url.copy_with(path=path, query=None, fragment=None)


def _no_address(argument: str, text: str, rule: str) -> ConfigurationError:
    error = ConfigurationError(f"{argument} is '{text}': {rule}")
    error.field = argument
    return error


def region(given: str | None) -> str:
    name = checked_part("region", given) if given else _variable("FOREBAY_REGION", _REGION, _REGION_RULE)
    if not name:
        raise ConfigurationError("no region is named: write --region (region= in Python), or set FOREBAY_REGION")
    return name


def mount_root(given: str | os.PathLike[str] | None) -> Path | None:
    text = given or os.environ.get("FOREBAY_MOUNT_ROOT")
    return Path(text) if text else None


def holder() -> str:
    """Returns the default holder of a pin, for people: ``user@host``."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user need not be in /etc/passwd
        user = str(os.getuid())
    # These names may contain control characters, which Forebay refuses.
    return shown(f"{user}@{socket.gethostname()}")[:200]


def job_uid() -> str | None:
    """Returns the uid of this process's Kubernetes Job, if the environment names it."""
    return _variable("FOREBAY_JOB_UID", _ID, _ID_RULE)


def _variable(name: str, pattern: str, rule: str) -> str | None:
    """Returns the value of a variable; None if it is not set, or empty.

    The platform has the same rule, but its error could only name the field.
    """
    value = os.environ.get(name)
    if value and re.fullmatch(pattern, value) is None:
        raise ConfigurationError(f"{name} is {value!r}: it must be {rule}")
    return value or None


class TokenFile(httpx.Auth):
    """Sends the token from a file, which it reads for each request: tokens that a cluster mounts change."""

    def __init__(self, path: str | os.PathLike[str], argument: str) -> None:
        self._path = Path(path)
        self._argument = argument

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        try:
            token = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeError) as e:
            raise ConfigurationError(f"{self._argument}: cannot read the token file {self._path}: {e}") from None
        if re.fullmatch("[!-~]+", token) is None:
            raise ConfigurationError(
                f"{self._argument}: the token file {self._path} must hold one token of visible ASCII characters"
            )
        request.headers["Authorization"] = f"Bearer {token}"
        yield request


class HttpOptions(TypedDict):
    """The arguments of httpx's clients, of both kinds."""

    auth: TokenFile | None
    proxy: httpx.Proxy | None
    trust_env: bool
    verify: ssl.SSLContext | bool


def http_options(base: httpx.URL, token_file: str | os.PathLike[str] | None) -> HttpOptions:
    """Returns the options for a control plane at ``base``, with the token from a file if there is one."""
    path = token_file or os.environ.get("FOREBAY_TOKEN_FILE")
    route = _proxies.route_to(base)
    return HttpOptions(
        auth=TokenFile(path, "token_file" if token_file else "FOREBAY_TOKEN_FILE") if path else None,
        proxy=None if route is None else route.proxy,
        # httpx's errors about its environment do not name the variable.
        trust_env=False,
        # http needs no certificates, and reading those of all authorities takes longer than most requests.
        verify=_authorities() if base.scheme == "https" else False,
    )


def _authorities() -> ssl.SSLContext | bool:
    """Returns the trusted authorities of the control plane: those that a variable names, else httpx's own."""
    _check_key_log()
    for variable in ("FOREBAY_SERVICE_CA", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        path = os.environ.get(variable)
        if path:
            return _trusting(variable, path)
    return True


def _trusting(variable: str, path: str) -> ssl.SSLContext:
    if variable == "SSL_CERT_DIR":
        for directory in path.split(os.pathsep):
            if not os.path.isdir(directory):
                raise ConfigurationError(f"{variable}: {directory} is not a directory")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for directory in path.split(os.pathsep):
            context.load_verify_locations(capath=directory)
        return context
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as e:  # an SSLError is an OSError
        raise ConfigurationError(f"{variable}: {path} has no readable certificates in PEM: {e}") from None


def _check_key_log() -> None:
    # Python opens this file with every context, and its error would not name the variable.
    path = os.environ.get("SSLKEYLOGFILE")
    try:
        if path:
            open(path, "a").close()
    except OSError as e:
        raise ConfigurationError(f"SSLKEYLOGFILE: {path} cannot be written: {e}") from None
