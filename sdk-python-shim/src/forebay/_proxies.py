"""Finds the proxy to the control plane that the environment names.

The rules are those of curl, with two differences. A request to this machine never uses a proxy. A value that cannot be
used is an error that names the variable, as soon as a client is created.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import re
import socket
from dataclasses import dataclass

import httpx

from forebay._errors import ConfigurationError

_SCHEMES = ("http", "https", "socks5", "socks5h")
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback"})

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Route:
    """A proxy, and the variable that names it."""

    variable: str
    proxy: httpx.Proxy

    def __str__(self) -> str:
        # Without the password that the variable may have.
        return f"the proxy {self.proxy.url} of {self.variable}"


def route_to(url: httpx.URL) -> Route | None:
    """Returns the proxy for requests to an address; None for direct requests.

    Raises:
        ConfigurationError: if the environment names a proxy that cannot be used.
    """
    if is_loopback(url.host) or _is_excepted(url):
        return None
    for variable in (f"{url.scheme}_proxy", "all_proxy"):
        name, value = _variable(variable)
        if value:
            return Route(name, _proxy(name, value))
    return None


def is_loopback(host: str) -> bool:
    """Returns whether a host is this machine, by a name that needs no look-up or by an address."""
    name = host.rstrip(".").lower()
    if name in _LOCAL_NAMES or name.endswith(".localhost"):
        return True
    address = _address(name)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address is not None and (address.is_loopback or address.is_unspecified)


def is_host(url: httpx.URL) -> bool:
    """Returns whether the host of an address can be looked up: no part between dots is empty or too long."""
    try:
        # The look-up does the same, but its error names no variable and is none of httpx's errors.
        url.raw_host.decode("ascii").encode("idna")
    except UnicodeError:
        return False
    return True


def _variable(lower: str) -> tuple[str, str]:
    """Returns the name under which a variable is set, and its value. Lower case has precedence."""
    names = [lower, lower.upper()]
    if "REQUEST_METHOD" in os.environ:
        # Under CGI, a header "Proxy" of any request would set it.
        names = [name for name in names if name != "HTTP_PROXY"]
    for name in names:
        if name in os.environ:
            return name, os.environ[name].strip()
    return lower.upper(), ""


def _proxy(variable: str, value: str) -> httpx.Proxy:
    text = value if "://" in value else f"http://{value}"
    try:
        url = httpx.URL(text)
        _ = url.host  # httpx decodes it only now, which may fail
    except (httpx.InvalidURL, ValueError):
        raise _refused(variable, value, "it must be http://host:port") from None
    if url.scheme not in _SCHEMES or not url.host or (url.port or 1) > 65535 or not is_host(url):
        raise _refused(variable, value, f"it must be http://host:port, or one of {', '.join(_SCHEMES)}")
    if url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise _refused(
            variable,
            value,
            "a SOCKS proxy needs the package socksio: install httpx[socks], or except the host in NO_PROXY",
        )
    try:
        return httpx.Proxy(url)
    except ValueError:  # a scheme that this httpx does not know
        raise _refused(variable, value, f"this version of httpx knows no proxies of {url.scheme}") from None


def _refused(variable: str, value: str, rule: str) -> ConfigurationError:
    shown = re.sub(r"^(\w+://)?.*@", r"\1***@", value)
    return ConfigurationError(f"{variable} is '{shown}': {rule}")


def _is_excepted(url: httpx.URL) -> bool:
    _, value = _variable("no_proxy")
    return any(_covers(entry, url) for entry in re.split(r"[\s,]+", value) if entry)


def _covers(entry: str, url: httpx.URL) -> bool:
    """Returns whether an entry of NO_PROXY covers this address. An invalid entry covers none."""
    entry = entry.rpartition("://")[2].lower()
    if entry == "*":
        return True
    name, port = _split_port(entry)
    if port is not None and port != (url.port or {"http": 80, "https": 443}.get(url.scheme)):
        return False
    host = url.host.rstrip(".").lower()
    address = _address(host)
    if address is not None:
        try:
            return address in ipaddress.ip_network(name, strict=False)
        except ValueError:
            return False
    name = name.removeprefix("*").strip(".")
    return name != "" and (host == name or host.endswith(f".{name}"))


def _split_port(entry: str) -> tuple[str, int | None]:
    """Splits ``host:80``, ``[::1]:80``, ``::1`` and ``[::1]`` into host and port."""
    bracketed = re.fullmatch(r"\[(.*)\](?::(\d+))?", entry)
    plain = re.fullmatch(r"([^:]*):(\d+)", entry)
    found = bracketed or plain
    if found is None:
        return entry, None
    return found[1], int(found[2]) if found[2] else None


def _address(host: str) -> _Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        # The system also accepts these forms: 127.1, 0x7f000001.
        return ipaddress.ip_address(socket.inet_aton(host))
    except OSError:
        return None
