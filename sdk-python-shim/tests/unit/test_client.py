from __future__ import annotations

import asyncio
import inspect
import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import trustme
from control_plane import TOTAL_BYTES, ControlPlane, Fault, Problem, busy, hang_up, send
from waiting import until

import forebay
from forebay import AsyncClient, Client, PinSpec, Progress, _settings, ensure_dataset_cached
from forebay._exchange import Pauses


def test_registers_and_lists_datasets_page_by_page(client: Client) -> None:
    for name in ("a", "b", "c", "d"):
        client.register_dataset(f"team/{name}", f"s3://lake/{name}/", ttl="7d")
    assert [each.dataset for each in client.datasets()] == ["team/a", "team/b", "team/c", "team/d", "vision/digits"]
    assert next(client.datasets()).ttl_seconds == 7 * 86400


def test_registering_is_idempotent_but_another_source_is_an_error(client: Client) -> None:
    client.register_dataset("team/a", "s3://lake/a/")
    client.register_dataset("team/a", "s3://lake/a/")
    with pytest.raises(forebay.AlreadyExists) as refused:
        client.register_dataset("team/a", "s3://lake/other/")
    assert refused.value.code == "ALREADY_EXISTS"
    assert refused.value.status == 409
    assert refused.value.field == "source"
    assert not refused.value.retryable
    assert "s3://lake/a/" in refused.value.detail


def test_register_dataset_sends_and_returns_the_choice_of_keys(plane: ControlPlane, client: Client) -> None:
    client.register_dataset("team/all", "s3://lake/a/")
    chosen = client.register_dataset(
        "team/a", "s3://lake/a/", include=["train/**"], exclude=("**/*.tmp",), keys="s3://lake/lists/a.txt"
    )
    assert (chosen.include, chosen.exclude) == (("train/**",), ("**/*.tmp",))
    assert chosen.keys == "s3://lake/lists/a.txt"
    assert not {"include", "exclude", "keys"} & plane.seen("POST", "/datasets$")[0].body.keys()
    with pytest.raises(forebay.ConfigurationError, match="include is a list"):
        client.register_dataset("team/b", "s3://lake/a/", include="train/**")


def test_ensure_dataset_cached_sends_its_terms(plane: ControlPlane) -> None:
    plain = {"region", "pin", "run_id"}
    for run in ("a", "a", "b"):
        terms: dict[str, Any] = {} if run == "b" else {"min_coverage": 0.5, "deadline": "10m", "also_in": ["us"]}
        ensure_dataset_cached("vision/digits", "1", run_id=run, progress=False, **terms)
    first, again, other = plane.seen("POST", "/ensure$")
    assert first.body == {"regions": ["eu", "us"], "min_coverage": 0.5, "deadline_seconds": 600, "run_id": "a"}
    assert again.headers["idempotency-key"] == first.headers["idempotency-key"]
    assert other.body.keys() <= plain
    with pytest.raises(forebay.ConfigurationError, match="also_in is a list"):
        ensure_dataset_cached("vision/digits", "1", also_in="us")


def test_only_the_create_argument_creates_an_unknown_version(plane: ControlPlane, client: Client) -> None:
    plane.state.known = {"1"}
    with pytest.raises(forebay.NotFound, match="similar names are 1"):
        ensure_dataset_cached("vision/digits", "2", run_id="a", progress=False)
    with pytest.raises(forebay.NotFound):
        forebay.prefetch_dataset("vision/digits", "3")
    ensure_dataset_cached("vision/digits", "2", run_id="a", progress=False, create=True)
    forebay.prefetch_dataset("vision/digits", "3", create=True)
    client.ensure("vision/digits", "4", "eu", create=True)
    client.start_ensure("vision/digits", "5", "eu", create=True)
    assert plane.state.known == {"1", "2", "3", "4", "5"}
    ensured = plane.seen("POST", "/versions/2/ensure$")
    assert ensured[0].headers["idempotency-key"] == ensured[-1].headers["idempotency-key"]


def test_freeze_waits_until_the_source_is_listed(plane: ControlPlane, client: Client) -> None:
    plane.state.listings_left = 3
    assert client.freeze("vision/digits", "2").manifest is not None
    assert [each.query["wait_seconds"] for each in plane.seen("POST", "/freeze$")] == ["30"] * 4

    async def freeze() -> forebay.Version:
        async with AsyncClient() as other:
            return await other.freeze("vision/digits", "3")

    plane.state.listings_left = 1
    assert asyncio.run(freeze()).manifest is not None


def test_ensure_and_prefetch_without_a_version_use_the_latest(plane: ControlPlane, mount_root: Path) -> None:
    plane.state.latest = "2"
    assert ensure_dataset_cached("vision/digits", progress=False).receipt.version == "2"
    assert forebay.prefetch_dataset("vision/digits") is not None


def test_a_missing_region_is_an_error_that_lists_the_regions(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FOREBAY_REGION")
    with pytest.raises(forebay.ConfigurationError, match=r"region= in Python.*FOREBAY_REGION; the regions are eu"):
        ensure_dataset_cached("vision/digits", "1")
    plane.stop()
    with pytest.raises(forebay.ConfigurationError, match=r"or set FOREBAY_REGION$"):
        forebay.prefetch_dataset("vision/digits", "1")


def test_a_cold_receipt_says_why(plane: ControlPlane, client: Client) -> None:
    plane.state.cold = {"code": "CAPACITY_EXCEEDED", "message": "it waits for space"}
    receipt = client.ensure("vision/digits", "1", "eu", terms=forebay.Terms(deadline_seconds=1, on_deadline="run_cold"))
    assert (receipt.coverage, receipt.bytes_verified, receipt.bytes, receipt.path) == (0, 0, None, None)
    assert receipt.cold is not None
    assert receipt.cold.message == "it waits for space"
    with pytest.raises(forebay.MountMissing, match="it waits for space"):
        _ = forebay.CachedDataset(receipt).path


def test_a_dataset_follows_its_source(plane: ControlPlane, client: Client) -> None:
    with pytest.raises(forebay.NotFound):
        client.tracking("vision/digits")
    assert client.follow("vision/digits", every="30m").interval_seconds == 1800
    assert client.follow("vision/digits", paused=True).next_check_at is None
    assert client.tracking("vision/digits").interval_seconds == 1800
    check = client.check_drift("vision/digits").last_check
    assert check is not None
    assert (check.made, check.objects_changed, check.objects_added) == ("2026-11-22T120000.000Z", 2, 0)
    client.unfollow("vision/digits")
    client.unfollow("vision/digits")
    assert [each.body for each in plane.seen("PUT", "/tracking$")] == [{"interval_seconds": 1800}, {"paused": True}]


def test_a_version_has_its_origin(client: Client) -> None:
    origin = client.version("vision/digits", "2").origin
    assert origin is not None
    assert (origin.before, origin.objects_changed, origin.include) == ("1", 2, ("train/**",))


def test_the_client_parses_times_in_the_format_of_java(client: Client) -> None:
    created = client.register_dataset("team/a", "s3://lake/a/").created_at
    assert created is not None
    assert created.utcoffset() is not None


def test_ensure_polls_until_it_has_the_receipt(plane: ControlPlane, client: Client) -> None:
    plane.state.looks_until_cached = 3
    seen: list[Progress] = []
    receipt = client.ensure("vision/digits", "1", "eu", on_progress=seen.append)
    assert receipt.bytes_verified == receipt.bytes == TOTAL_BYTES
    assert [each.bytes for each in seen] == [None, TOTAL_BYTES, TOTAL_BYTES]
    assert plane.state.fills == 1


def test_ensure_retries_a_lost_answer_with_the_same_key(plane: ControlPlane, client: Client) -> None:
    def accept_and_hang_up(handler: BaseHTTPRequestHandler) -> None:
        plane.state.fills += 1
        plane.state.requests[plane.log[-1].headers["idempotency-key"]] = {
            "dataset": "vision/digits",
            "version": "1",
            "looks": 0,
            "region": "eu",
        }
        hang_up(handler)

    plane.fail_next(accept_and_hang_up)
    client.ensure("vision/digits", "1", "eu")
    assert plane.state.fills == 1
    keys = {each.headers["idempotency-key"] for each in plane.seen("POST", "/ensure")}
    assert len(keys) == 1


def test_an_accepted_request_survives_a_restart_of_the_control_plane(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000
    receipts: list[forebay.Receipt] = []

    def run() -> None:
        with Client(retry_seconds=0.2) as impatient:
            receipts.append(impatient.ensure("vision/digits", "1", "eu"))

    job = threading.Thread(target=run)
    job.start()
    until(lambda: len(plane.seen("GET", "/requests/")) > 0)
    plane.stop()
    time.sleep(1.0)  # longer than retry_seconds, because an accepted request is retried longer
    plane.state.looks_until_cached = 0
    plane.start()
    job.join(timeout=20)
    assert [each.bytes for each in receipts] == [TOTAL_BYTES]
    assert plane.state.fills == 1


def test_ensure_repeats_a_request_that_the_platform_forgot(plane: ControlPlane, client: Client) -> None:
    plane.state.looks_until_cached = 2

    def forget_once(_: Progress) -> None:
        if len(plane.log) == 1:
            plane.state.requests.clear()

    client.ensure("vision/digits", "1", "eu", on_progress=forget_once)
    assert len(plane.seen("POST", "/ensure")) == 2
    assert len({each.headers["idempotency-key"] for each in plane.seen("POST", "/ensure")}) == 1


def test_ensure_stops_waiting_after_its_timeout(plane: ControlPlane, client: Client) -> None:
    plane.state.looks_until_cached = 1_000_000
    started = time.monotonic()
    with pytest.raises(forebay.EnsureTimeout, match="WARMING") as late:
        client.ensure("vision/digits", "1", "eu", timeout=1)
    assert time.monotonic() - started < 5
    assert late.value.progress is not None
    assert late.value.request_id is not None


def test_ensure_times_out_while_the_control_plane_is_away(plane: ControlPlane, client: Client) -> None:
    plane.state.looks_until_cached = 1_000_000
    with pytest.raises(forebay.EnsureTimeout):
        client.ensure("vision/digits", "1", "eu", timeout=1, on_progress=lambda _: plane.stop())


def test_a_failed_fill_raises_a_typed_error(plane: ControlPlane, client: Client) -> None:
    plane.state.fill_fails = Problem(409, "LAKE_OBJECT_CHANGED", "images/7.png was overwritten")
    with pytest.raises(forebay.LakeObjectChanged, match=r"images/7.png"):
        client.ensure("vision/digits", "1", "eu")


def test_ensure_does_not_retry_a_fill_that_the_platform_gave_up(plane: ControlPlane, client: Client) -> None:
    plane.state.fill_fails = Problem(503, "LAKE_UNAVAILABLE", "the lake does not answer", retryable=True)
    with pytest.raises(forebay.LakeUnavailable) as failed:
        client.ensure("vision/digits", "1", "eu")
    assert failed.value.retryable
    assert len(plane.log) == 1


def test_ensure_retries_a_temporary_error(plane: ControlPlane, client: Client) -> None:
    away = Problem(503, "UNAVAILABLE", "Temporal does not answer", retryable=True)
    plane.fail_next(*[lambda handler: send(handler, 503, away.body)] * 2)
    assert client.ensure("vision/digits", "1", "eu").bytes == TOTAL_BYTES
    assert len(plane.log) == 3


def test_ensure_does_not_retry_a_fill_that_ended_as_unavailable(plane: ControlPlane, client: Client) -> None:
    plane.state.looks_until_cached = 1_000_000

    def give_up(_: Progress) -> None:
        plane.state.fill_fails = Problem(503, "UNAVAILABLE", "no worker of eu answers; resume it", retryable=False)

    with pytest.raises(forebay.Unavailable, match="resume it") as failed:
        client.ensure("vision/digits", "1", "eu", timeout="1m", on_progress=give_up)
    assert not failed.value.retryable
    assert len(plane.log) == 2


@pytest.mark.parametrize("fault", [hang_up, busy()], ids=["hang-up", "503"])
def test_the_client_retries_until_it_gets_an_answer(plane: ControlPlane, client: Client, fault: Fault) -> None:
    plane.fail_next(*[fault] * 3)
    assert client.dataset("vision/digits").name == "digits"
    assert len(plane.log) == 4


def test_the_client_honours_retry_after(plane: ControlPlane, client: Client) -> None:
    plane.fail_next(busy(retry_after=1))
    started = time.monotonic()
    client.dataset("vision/digits")
    assert time.monotonic() - started >= 1.0


def test_the_client_honours_at_most_a_minute_of_retry_after() -> None:
    pause = Pauses(3600.0).next("86400")
    assert pause is not None
    assert 59.0 < pause <= 60.0


def test_pin_waits_until_an_eviction_has_ended(plane: ControlPlane, client: Client) -> None:
    client.ensure("vision/digits", "1", "eu")
    evicting = Problem(409, "EVICTING", "is being evicted", retryable=True)
    plane.fail_next(lambda handler: send(handler, 409, evicting.body))
    assert client.pin("vision/digits", "1", "eu", lease="1m").region == "eu"


def test_the_client_gives_up_if_the_control_plane_does_not_answer(plane: ControlPlane) -> None:
    plane.stop()
    with Client(retry_seconds=0.3) as client, pytest.raises(forebay.ConnectionFailed, match="is it running"):
        client.regions()


def test_a_persistent_503_becomes_an_error(plane: ControlPlane) -> None:
    plane.fail_next(*[busy()] * 50)
    with Client(retry_seconds=0.3) as client, pytest.raises(forebay.ApiError) as failed:
        client.regions()
    assert failed.value.status == 503


def test_an_html_page_with_status_200_is_an_unexpected_answer(plane: ControlPlane, client: Client) -> None:
    plane.fail_next(lambda handler: send(handler, 200, "<html>Temporal</html>", content_type="text/html"))
    with pytest.raises(forebay.UnexpectedAnswer, match="FOREBAY_API"):
        client.regions()


@pytest.mark.parametrize(
    "answer",
    ["<h1>Not found</h1>", {"detail": "Not Found"}, {"code": 5, "message": "Not Found", "details": []}],
    ids=["nginx", "FastAPI", "Temporal"],
)
@pytest.mark.parametrize("status", [302, 404, 405])
def test_an_error_page_of_another_web_server_is_not_a_missing_dataset(
    plane: ControlPlane, client: Client, status: int, answer: object
) -> None:
    plane.fail_next(lambda handler: send(handler, status, answer))
    with pytest.raises(forebay.UnexpectedAnswer, match=rf"answered with {status} .*FOREBAY_API"):
        client.dataset("vision/digits")
    assert len(plane.log) == 1


def test_an_invalid_path_argument_is_an_error_that_names_it(plane: ControlPlane, client: Client) -> None:
    no_text: Any = None
    for call, argument in (
        (lambda: client.version("a/b", no_text), "version is None"),
        (lambda: client.renew("a/b", "1", "eu", ""), "pin_id is ''"),
        (lambda: client.unpin("a/b", "1", "eu", no_text), "pin_id is None"),
        (lambda: client.ensure_status("a/b", "1", "eu", ""), "request_id is ''"),
        (lambda: client.dataset(no_text), "dataset is None"),
    ):
        with pytest.raises(forebay.ConfigurationError, match=f"^{argument}: it must"):
            call()
    assert plane.log == []


def test_an_answer_without_a_field_is_an_error_that_names_it(plane: ControlPlane, client: Client) -> None:
    plane.fail_next(lambda handler: send(handler, 200, {"namespace": "vision", "source": "s3://l/"}))
    with pytest.raises(forebay.UnexpectedAnswer, match=r"Dataset\.name"):
        client.dataset("vision/digits")


def test_a_pin_is_taken_renewed_and_released(client: Client) -> None:
    with pytest.raises(forebay.NotFound):
        client.pin("vision/digits", "1", "eu", lease="90s")
    client.ensure("vision/digits", "1", "eu")
    taken = client.pin("vision/digits", "1", "eu", lease="90s", holder="me", reason="train")
    assert client.pins("eu") == client.version_pins("vision/digits", "1") == (taken,)
    assert client.pins("elsewhere") == ()
    assert client.renew("vision/digits", "1", "eu", taken.id).id == taken.id
    with pytest.raises(forebay.Pinned):
        client.evict("vision/digits", "1", "eu")
    again = client.pin("vision/digits", "1", "eu", lease="90s", holder="me", id=taken.id)
    client.unpin("vision/digits", "1", "eu", taken.id, taken_at=taken.taken_at)
    assert client.pins("eu") == (again,)
    client.unpin("vision/digits", "1", "eu", taken.id, taken_at=again.taken_at)
    client.unpin("vision/digits", "1", "eu", taken.id)
    with pytest.raises(forebay.NotFound):
        client.renew("vision/digits", "1", "eu", taken.id)
    assert client.evict("vision/digits", "1", "eu").residency("eu").state == "ABSENT"


def test_the_client_handles_versions_ttls_regions_and_sweeps(plane: ControlPlane, client: Client) -> None:
    client.ensure("vision/digits", "1", "eu", pin=PinSpec("p", "me", 60))
    assert client.version("vision/digits", "1").residency("eu").state == "CACHED"
    assert [each.version for each in client.versions("vision/digits")] == ["1", "2"]
    assert client.versions("vision/digits")[0].pins[0].id == "p"
    assert client.set_ttl("vision/digits", "1", "1h30m").ttl_seconds == 5400
    assert client.set_dataset_ttl("vision/digits", ttl="1h30m").ttl_seconds == 5400
    assert client.resume("vision/digits", "1", "eu").version == "1"
    assert client.regions()[0].workers[0].live
    assert client.sweep_plan("eu").used_bytes == 9
    assert client.pause_sweeps("eu", reason="why").note == "why"
    assert client.sweep_schedule("eu").paused
    assert not client.resume_sweeps("eu").paused
    assert client.sweep("eu").done
    begun = client.start_ensure("vision/digits", "1", "eu")
    assert client.ensure_status("vision/digits", "1", "eu", begun.request_id).done


def test_names_cannot_change_the_path_of_a_request(plane: ControlPlane, client: Client) -> None:
    for bad in ("digits", "a/b/c", "../x", "a/..", "/x", "a/", "a/b@1"):
        with pytest.raises(forebay.ConfigurationError):
            client.dataset(bad)
    client.version("vision/digits", "a/../../x?y#z")
    assert plane.log[-1].path.endswith("/versions/a%2F..%2F..%2Fx%3Fy%23z")


def test_the_client_reads_the_token_for_each_request(
    plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "token"
    monkeypatch.setenv("FOREBAY_TOKEN_FILE", str(token))
    with Client() as client:
        for value in ("one", "two"):
            token.write_text(value + "\n")
            client.regions()
            assert plane.log[-1].headers["authorization"] == f"Bearer {value}"
        token.unlink()
        with pytest.raises(forebay.ConfigurationError, match="token"):
            client.regions()


def test_the_client_verifies_certificates_of_https_servers() -> None:
    assert _settings.http_options(httpx.URL("https://forebay.example/api/v1"), None)["verify"]
    assert _settings.http_options(httpx.URL("https://127.0.0.1:8443/api/v1"), None)["verify"]
    assert not _settings.http_options(httpx.URL("http://forebay.example/api/v1"), None)["verify"]


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a TLS server without regions, and a file with the authority of its certificate."""
    authority = trustme.CA()
    authorities = tmp_path / "ca.crt"
    authority.cert_pem.write_to_path(str(authorities))

    class Regions(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"items": [], "next": null}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with ThreadingHTTPServer(("127.0.0.1", 0), Regions) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}", authorities
        server.shutdown()
        thread.join()


def test_the_client_trusts_a_configured_certificate_authority(
    encrypted: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, authorities = encrypted
    monkeypatch.setenv("FOREBAY_SERVICE_CA", str(authorities))
    with Client(address) as client:
        assert list(client.regions()) == []
    monkeypatch.delenv("FOREBAY_SERVICE_CA")
    with Client(address, retry_seconds=0) as client, pytest.raises(forebay.ConnectionFailed, match="certificate"):
        client.regions()


def test_an_invalid_certificate_file_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for variable in ("FOREBAY_SERVICE_CA", "SSL_CERT_FILE"):
        for file in (empty, tmp_path / "nowhere"):
            monkeypatch.setenv(variable, str(file))
            with pytest.raises(forebay.ConfigurationError, match=f"^{variable}: {file}"):
                Client("https://forebay.example")
            Client("http://forebay.example").close()  # http needs no certificates
        monkeypatch.delenv(variable)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(forebay.ConfigurationError, match=f"^SSL_CERT_DIR: {tmp_path}/nowhere is not a directory"):
        Client("https://forebay.example")
    monkeypatch.delenv("SSL_CERT_DIR")
    monkeypatch.setenv("SSLKEYLOGFILE", f"{tmp_path}/nowhere/keys")
    for ca in ("", str(empty)):
        monkeypatch.setenv("FOREBAY_SERVICE_CA", ca)
        with pytest.raises(forebay.ConfigurationError, match=f"^SSLKEYLOGFILE: {tmp_path}/nowhere/keys cannot be"):
            Client("https://forebay.example")


def test_the_client_trusts_the_machines_authorities_unless_service_ca_is_set(
    encrypted: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, authorities = encrypted
    monkeypatch.setenv("SSL_CERT_FILE", str(authorities))
    with Client(address) as client:
        assert list(client.regions()) == []
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere"))
    monkeypatch.setenv("FOREBAY_SERVICE_CA", str(authorities))
    with Client(address) as client:
        assert list(client.regions()) == []


@pytest.mark.parametrize(
    ("address", "rule"),
    [
        ("127.0.0.1:8080", "write http://127.0.0.1:8080"),
        ("localhost:8080", "write http://localhost:8080"),
        ("[::1]:8080", "write http://[::1]:8080"),
        ("forebay.example", "write http://forebay.example"),
        ("ftp://x", "write http://host:port"),
        ("//x", "write http://host:port"),
        ("http://", "write http://host:port"),
        ("http://h:port", "it is not an address: Invalid port"),
        ("http://h:99999", "write http://host:port"),
        ("http://a b", "write http://host:port"),
        ("http://[::1", "it is not an address"),
        ("http://xn--a", "it is not an address"),
        ("http://h:1\n", "it is not an address"),
    ],
)
def test_an_invalid_address_is_an_error_that_names_its_source(
    address: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREBAY_API", address)
    for given, name in ((None, "FOREBAY_API"), (address, "api")):
        with pytest.raises(forebay.ConfigurationError) as refused:
            Client(given)
        assert str(refused.value).startswith(f"{name} is '{address}': ")
        assert rule in str(refused.value)


def test_a_missing_address_is_an_error_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREBAY_API", "")
    with pytest.raises(forebay.ConfigurationError, match="set FOREBAY_API to its address"):
        Client("")


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(forebay.ConfigurationError, match="FOREBAY_TOKEN_FILE") as refused:
        Client("http://me:hidden@forebay.example")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("token", ["", "two words\n", "a\nb", "\u00e9"])
def test_an_invalid_token_file_is_an_error_that_names_it(
    plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    file = tmp_path / "token"
    file.write_text(token, encoding="utf-8")
    monkeypatch.setenv("FOREBAY_TOKEN_FILE", str(file))
    with Client() as client, pytest.raises(forebay.ConfigurationError, match=f"^FOREBAY_TOKEN_FILE: .*{file}"):
        client.regions()
    assert not plane.log


def test_the_address_may_omit_the_path_of_the_api() -> None:
    for address in ("http://h:1", "http://h:1/", "http://h:1/api/v1", "http://h:1/api/v1/"):
        with Client(address) as client:
            assert client.api == "http://h:1/api/v1"


def test_the_asynchronous_client_ensures_lists_and_raises_errors(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 2
    plane.fail_next(hang_up)

    async def run() -> None:
        async with AsyncClient() as client:
            receipt = await client.ensure("vision/digits", "1", "eu", pin=PinSpec("p", "me", 60))
            assert receipt.pin is not None
            assert [each.dataset async for each in client.datasets()] == ["vision/digits"]
            with pytest.raises(forebay.Pinned):
                await client.evict("vision/digits", "1", "eu")

    asyncio.run(run())


def test_both_clients_have_the_same_methods_and_help() -> None:
    def face(kind: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(f).parameters) for name, f in methods if not name.startswith("_")}

    assert face(Client) == face(AsyncClient)
    assert {"ensure", "datasets", "close"} <= face(Client).keys()
    assert inspect.getdoc(AsyncClient.evict) == inspect.getdoc(Client.evict)
    assert str(inspect.signature(Client.evict)).endswith(" -> 'Version'")
    assert str(inspect.signature(AsyncClient.datasets)).endswith(" -> 'AsyncIterator[Dataset]'")
    assert inspect.iscoroutinefunction(AsyncClient.evict)
    assert inspect.isasyncgenfunction(AsyncClient.datasets)


if TYPE_CHECKING:
    from typing_extensions import assert_type

    async def both_clients_have_exact_types(client: Client, other: AsyncClient) -> None:
        assert_type(client.dataset("a/b"), forebay.Dataset)
        assert_type(await other.dataset("a/b"), forebay.Dataset)
        assert_type(client.ensure("a/b", "1", "eu", timeout="1m"), forebay.Receipt)
        assert_type(await other.ensure("a/b", "1", "eu", timeout="1m"), forebay.Receipt)
        assert_type(client.pins(), tuple[forebay.Pin, ...])
        assert_type(client.datasets(), Iterator[forebay.Dataset])
        assert_type(other.datasets(namespace="a"), AsyncIterator[forebay.Dataset])
        client.dataset()  # type: ignore[call-arg]
        await other.freeze("a/b", "1", on_answer="no function")  # type: ignore[arg-type]


def test_plan_returns_sources_and_costs(client: Client) -> None:
    plan = client.plan("vision/digits", "1", ["eu"])
    assert plan.currency == "USD"
    region = plan.regions[0]
    assert region.source is not None
    assert (region.source.kind, region.source.cost) == ("lake", 0.0015)
    assert region.sources[0].cost == 0.0
    assert region.needs is not None
    assert region.needs.lake_requests == 8
    assert region.space is not None
    assert region.space.admission == "admitted"
