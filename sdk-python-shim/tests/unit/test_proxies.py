"""The effect of the machine's proxy variables on requests to the control plane."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from control_plane import ControlPlane

import forebay
from forebay import AsyncClient, Client
from forebay._proxies import route_to

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


def _route(address: str) -> str | None:
    route = route_to(httpx.URL(address))
    return None if route is None else f"{route.variable} {route.proxy.url}"


@pytest.mark.parametrize("api", ["http://forebay.example", "http://forebay.example:8080"])
def test_a_request_to_another_machine_uses_the_proxy(
    plane: ControlPlane, environment: pytest.MonkeyPatch, api: str
) -> None:
    environment.setenv("HTTP_PROXY", plane.url)
    with Client(api) as client:
        assert [each.name for each in client.regions()] == ["eu"]

    async def ask() -> None:
        async with AsyncClient(api) as client:
            await client.regions()

    asyncio.run(ask())
    assert [each.headers["host"] for each in plane.log] == [api.removeprefix("http://")] * 2


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "nonsense://"])
def test_a_request_to_this_machine_bypasses_the_proxy(
    plane: ControlPlane, environment: pytest.MonkeyPatch, variable: str, proxy: str
) -> None:
    environment.setenv(variable, proxy)
    with Client(retry_seconds=0) as client:
        assert [each.name for each in client.regions()] == ["eu"]


_THIS_MACHINE = """
localhost LOCALHOST localhost. a.localhost ip6-localhost 127.0.0.1 127.1 127.9.8.7 0.0.0.0
[::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::]
"""


@pytest.mark.parametrize("host", _THIS_MACHINE.split())
def test_each_name_of_this_machine_bypasses_the_proxy(environment: pytest.MonkeyPatch, host: str) -> None:
    environment.setenv("ALL_PROXY", "http://proxy:3128")
    assert _route(f"http://{host}:8080") is None
    assert _route(f"https://{host}:8080") is None


@pytest.mark.parametrize("host", ["localhost.example.com", "notlocalhost", "10.0.0.1", "[fe80::1]", "128.0.0.1"])
def test_similar_names_of_other_machines_use_the_proxy(environment: pytest.MonkeyPatch, host: str) -> None:
    environment.setenv("ALL_PROXY", "proxy:3128")
    assert _route(f"http://{host}") == "ALL_PROXY http://proxy:3128"


def test_scheme_variables_precede_all_proxy_and_lower_case_precedes_upper_case(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("ALL_PROXY", "http://all:1")
    environment.setenv("HTTP_PROXY", "http://upper:2")
    environment.setenv("https_proxy", " http://tls:3 ")
    assert _route("http://h") == "HTTP_PROXY http://upper:2"
    assert _route("https://h") == "https_proxy http://tls:3"
    environment.setenv("http_proxy", "http://lower:4")
    assert _route("http://h") == "http_proxy http://lower:4"
    environment.setenv("http_proxy", "")
    assert _route("http://h") == "ALL_PROXY http://all:1"


def test_a_cgi_program_ignores_http_proxy(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("HTTP_PROXY", "http://stranger:1")
    environment.setenv("REQUEST_METHOD", "GET")
    assert _route("http://h") is None


@pytest.mark.parametrize(
    ("no_proxy", "excepted", "others"),
    [
        ("localhost,127.0.0.1,[::1]", [], ["http://h"]),
        (
            "fd07:b51a:cc66:f0::/64",
            ["http://[fd07:b51a:cc66:f0::7]:8080"],
            ["http://[fd07:b51a:cc66:f1::7]", "http://h"],
        ),
        ("[fd07::7]", ["http://[fd07::7]"], ["http://[fd07::8]"]),
        ("[fd07::7]:8080", ["http://[fd07::7]:8080"], ["http://[fd07::7]:8081"]),
        (
            "10.0.0.0/8, 192.168.1.7",
            ["http://10.1.2.3", "http://192.168.1.7"],
            ["http://11.0.0.1", "http://192.168.1.8"],
        ),
        ("10.1.2.3/8", ["http://10.9.9.9"], ["http://11.0.0.1"]),
        (
            "example.com",
            ["http://example.com", "http://a.example.com", "http://EXAMPLE.com."],
            ["http://notexample.com"],
        ),
        (".example.com", ["http://example.com", "http://a.b.example.com"], ["http://example.org"]),
        ("*.svc.cluster.local", ["http://api.forebay.svc.cluster.local"], ["http://api.forebay.svc"]),
        ("h:8080", ["http://h:8080"], ["http://h:8081", "http://h"]),
        ("h:80 g:443", ["http://h", "https://g"], ["http://g"]),
        ("https://h", ["http://h"], ["http://g"]),
        ("*", ["http://h", "https://[fe80::1]"], []),
        (",, ,[,]:,:,/,[]:1,10.0.0.0/99,*h,..", [], ["http://g", "http://10.0.0.1", "http://[fe80::1]"]),
    ],
)
def test_hosts_in_no_proxy_bypass_the_proxy(
    environment: pytest.MonkeyPatch, no_proxy: str, excepted: list[str], others: list[str]
) -> None:
    environment.setenv("ALL_PROXY", "http://proxy:3128")
    environment.setenv("no_proxy", no_proxy)
    assert [each for each in excepted if _route(each) is not None] == []
    assert [each for each in others if _route(each) is None] == []
    Client("http://forebay.example").close()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize(
    ("proxy", "rule"),
    [
        ("socks5://10.0.0.1:1080", "needs the package socksio"),
        ("socks5h://10.0.0.1:1080", "needs the package socksio"),
        ("socks4://10.0.0.1:1080", "or one of http, https, socks5, socks5h"),
        ("ftp://proxy", "or one of http, https, socks5, socks5h"),
        ("http://", "http://host:port"),
        ("http://proxy:port", "http://host:port"),
        ("http://proxy:99999", "http://host:port"),
        ("::", "http://host:port"),
        ("http://xn--a", "http://host:port"),
    ],
)
def test_an_unusable_proxy_is_an_error_that_names_the_variable(
    environment: pytest.MonkeyPatch, variable: str, proxy: str, rule: str
) -> None:
    environment.setattr("importlib.util.find_spec", lambda name: None)
    environment.setenv(variable, proxy)
    with pytest.raises(forebay.ConfigurationError) as refused:
        Client("http://forebay.example")
    assert str(refused.value).startswith(f"{variable} is '{proxy}': ")
    assert rule in str(refused.value)


def test_errors_name_a_proxy_without_its_password(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("HTTP_PROXY", "http://me:hid/den@127.0.0.1:9")
    with pytest.raises(forebay.ConfigurationError) as refused:
        Client("http://forebay.example")
    assert "den" not in str(refused.value)
    environment.setenv("HTTP_PROXY", "http://me:hidden@127.0.0.1:9")
    with Client("http://forebay.example", retry_seconds=0) as client, pytest.raises(forebay.ConnectionFailed) as failed:
        client.regions()
    assert "through the proxy http://127.0.0.1:9 of HTTP_PROXY" in str(failed.value)
    assert "hidden" not in str(failed.value)
