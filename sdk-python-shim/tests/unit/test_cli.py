from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from control_plane import TOTAL_BYTES, ControlPlane, Problem, send

import forebay
from forebay._cli import main


@pytest.fixture
def run(plane: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


class Run:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        assert main(arguments) == code
        out, self.err = self._capsys.readouterr()
        return out


def test_datasets_registers_lists_and_shows_datasets(run: Run) -> None:
    run("datasets", "register", "team/a", "s3://lake/a/", "--ttl", "7d")
    table = run("datasets").splitlines()
    assert table[0].split() == ["DATASET", "SOURCE", "TTL"]
    assert table[1].split() == ["team/a", "s3://lake/a/", "7d00h"]
    assert run("datasets", "list", "--json") == run("datasets", "--json") == run("datasets", "--json", "list")
    assert "vision/digits@1" in run("datasets", "show", "vision/digits")
    assert json.loads(run("datasets", "show", "vision/digits", "--json"))["versions"][0]["version"] == "1"


def test_register_prints_a_note_about_a_possible_mistake(run: Run, plane: ControlPlane) -> None:
    run("datasets", "register", "team/a", "s3://lake/a/")
    assert run.err == ""
    plane.state.registration_note = "the source has no object yet"
    assert "s3://lake/b/" in run("datasets", "register", "team/b", "s3://lake/b/")
    assert run.err == "note: the source has no object yet\n"


def test_register_sends_and_shows_the_choice_of_keys(run: Run, plane: ControlPlane) -> None:
    words = ("--include", "train/**", "--include", "val/**", "--exclude", "**/*.tmp", "--keys", "s3://lake/l.txt")
    table = run("datasets", "register", "team/a", "s3://lake/a/", *words).splitlines()
    assert "s3://lake/a/ +train/** +val/** -**/*.tmp keys s3://lake/l.txt" in table[1]
    body = plane.seen("POST", "/datasets$")[-1].body
    assert (body["include"], body["exclude"]) == (["train/**", "val/**"], ["**/*.tmp"])


def test_tracking_is_turned_on_paused_checked_and_turned_off(run: Run, plane: ControlPlane) -> None:
    run("tracking", "pause", "vision/digits", code=4)
    assert run("tracking", "on", "vision/digits", "--every", "30m").startswith(
        "the source of vision/digits is checked every 30m00s; next check "
    )
    assert "; paused\n" in run("tracking", "pause", "vision/digits")
    assert json.loads(run("tracking", "show", "vision/digits", "--json"))["paused"]
    assert "created 2026-11-22T120000.000Z: 2 changed, 0 added, 0 removed" in run("tracking", "check", "vision/digits")
    plane.state.tracking["vision/digits"]["last_check"] = {
        "checked_at": "2026-11-22T12:00:00Z",
        "problem": {"code": "LAKE_DENIED", "message": "no such key"},
    }
    assert "failed: LAKE_DENIED: no such key" in run("tracking", "show", "vision/digits")
    assert run("tracking", "off", "vision/digits") == "vision/digits no longer follows its source; its versions stay\n"
    run("tracking", "show", "vision/digits", code=4)
    run("tracking", "vision/digits", code=2)


def test_status_shows_the_origin_of_a_version(run: Run) -> None:
    shown = run("status", "vision/digits@2")
    assert "  from s3://lake/digits/ +train/**\n" in shown
    assert "  since 1: 2 changed, 3 added, 1 removed, 1.00 MiB to fetch\n" in shown
    assert "since" not in run("status", "vision/digits@1")


def test_only_a_complete_version_shows_100_percent(run: Run, plane: ControlPlane) -> None:
    plane.state.warming = {"percent": 99, "bytes_cached": TOTAL_BYTES - 1}
    assert run("status", "vision/digits@1").splitlines()[-1].split()[:5] == ["eu", "WARMING", "64.0", "MiB", "99%"]
    plane.state.warming = None
    for coverage, said in ((0.426, "42.6% of "), (0.9996, "99.9% of "), (1, "")):
        plane.state.coverage = coverage
        run("ensure", "vision/digits@1", "--min-coverage", "0.4")
        assert run.err == f"vision/digits@1: {said}3 objects, 64.0 MiB in eu, verified\n"
    assert "100%" in run("status", "vision/digits@1")


def test_ensure_prints_only_the_path_on_stdout(run: Run, mount_root: Path) -> None:
    out = run("ensure", "vision/digits@1", "--pin-for", "1h")
    assert out == f"{mount_root}/vision/digits/1\n"
    assert "by pin" in run.err
    run("ensure", "vision/digits@1", "-q")
    assert run.err == ""
    assert json.loads(run("ensure", "vision/digits@1", "--json"))["bytes"] == 64 << 20


def test_prefetch_accepts_several_versions_and_waits_for_none(run: Run, plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1
    assert run("prefetch", "vision/digits@1", "vision/digits@2") == (
        "vision/digits@1 in eu: WARMING\nvision/digits@2 in eu: WARMING\n"
    )
    assert run("prefetch", "vision/digits@1") == "vision/digits@1 in eu: CACHED\n"
    assert [each["done"] for each in json.loads(run("prefetch", "vision/digits@1", "--json"))] == [True]
    run("prefetch", "vision/digits@1", "nonsense", code=2)
    run("prefetch", code=2)
    assert not plane.state.pins


def test_plan_estimates_a_fill_and_starts_none(run: Run, plane: ControlPlane) -> None:
    table = run("plan", "vision/digits@1").splitlines()
    assert table[0].split() == ["REGION", "STATE", "MISSING", "FILES", "REQUESTS", "FROM", "COST", "ETA", "ADMISSION"]
    assert table[1].split()[:9] == ["eu", "ABSENT", "64.0", "MiB", "3", "8", "lake", "0.0015", "USD"]
    assert table[1].split()[9:] == ["1m04s", "(32s-2m13s)", "admitted"]
    assert table[2] == "eu: us has it, too (0.0000 USD)"
    assert plane.log[-1].body == {}
    assert json.loads(run("plan", "vision/digits@1", "--region", "eu", "--json"))["regions"][0]["eta_seconds"] == 64
    assert plane.log[-1].body == {"regions": ["eu"]}
    assert plane.state.fills == 0
    assert run("plan", "vision/digits").splitlines()[0] == table[0]
    assert plane.seen("POST", "/versions/latest/plan$")


@pytest.mark.parametrize("command", ["plan", "where"])
def test_plan_and_where_warn_about_an_unknown_version(run: Run, plane: ControlPlane, command: str) -> None:
    run(command, "vision/digits@11")
    assert run.err == ""
    plane.state.unknown.add("11")
    assert "eu" in run(command, "vision/digits@11")
    assert run.err == "dataset vision/digits has no version '11'; similar names are 1\n"
    run(command, "vision/digits@11", "--json")
    assert run.err == ""


def test_plan_says_why_a_fill_would_wait(run: Run, plane: ControlPlane) -> None:
    victim = {"dataset": "team/a", "version": "v1", "space_bytes": 8 << 20, "uses": 0.5, "refetch_cost": None}
    plane.state.plan = {
        "sources": [],
        "eta_seconds": None,
        "space": {
            "admission": "after_eviction",
            "needed_bytes": 1,
            "taken_bytes": 2,
            "capacity_bytes": 2,
            "victims": [victim],
            "problem": {"code": "CAPACITY_EXCEEDED", "message": "it is full"},
            "not_before": None,
        },
    }
    out = run("plan", "vision/digits@1")
    assert "eu after eviction: CAPACITY_EXCEEDED: it is full" in out
    assert "eu: team/a@v1 would be evicted, 8.00 MiB" in out
    assert "unknown" in out
    plane.state.plan = {"needs": None, "space": None, "problem": {"code": "UNAVAILABLE", "message": "no agent"}}
    assert "eu cannot be planned for: UNAVAILABLE: no agent" in run("plan", "vision/digits@1")


def test_where_ranks_the_regions_and_says_why(run: Run, plane: ControlPlane) -> None:
    table = run("where", "vision/digits", "--gpus", "8").splitlines()
    assert plane.log[-1].query == {"dataset": "vision/digits", "version": "latest", "gpus": "8"}
    assert table[0].split() == ["#", "REGION", "VERDICT", "CACHED", "READY", "IN", "COST", "FREE"]
    assert table[1].split()[:7] == ["1", "eu", "can", "be", "filled", "42", "%"]
    assert table[1].split()[7:] == ["1m04s", "(32s-2m13s)", "0.0015", "USD", "1.00", "GiB"]
    assert table[2].split() == ["2", "us", "unknown", "unknown"]
    assert table[4:] == ["eu: a; b", "us: no agent"]
    assert json.loads(run("where", "vision/digits@1", "--json"))["items"][0]["coverage"] == 0.426
    assert plane.log[-1].query == {"dataset": "vision/digits", "version": "1"}
    run("where", "vision/nothing", code=4)
    run("where", "vision", code=2)
    run("where", "vision/digits", "--gpus", "0", code=2)


def test_quotas_are_set_shown_and_removed(run: Run, plane: ControlPlane) -> None:
    run("quota", "team", "1.5T")
    table = run("quota", "team", "10G", "--region", "eu").splitlines()
    assert table[1].split() == ["team", "(all", "others)", "1.50", "TiB"]
    assert table[2].split() == ["team", "eu", "10.0", "GiB"]
    assert plane.state.quotas == {("team", None): 3 << 39, ("team", "eu"): 10 << 30}
    assert json.loads(run("quota", "team", "none", "--json")) == [{"bytes": 10 << 30, "region": "eu"}]
    assert "10.0 GiB" in run("quota", "team")
    run("quota", "team", "much", code=2)


def test_restore_catalogue_restores_all_pages(run: Run, plane: ControlPlane) -> None:
    assert "2 versions were restored, 2 were not lost" in run("restore-catalogue")
    plane.state.not_restored = ["version team/c@v1 was frozen from elsewhere"]
    printed = run("restore-catalogue", "--json", code=1)
    assert json.loads(printed)["problems"] == plane.state.not_restored


def test_fsck_reads_all_pages_and_fails_while_findings_remain(run: Run, plane: ControlPlane) -> None:
    assert run("fsck") == "3 versions checked, 0 findings, 0 left\n"
    assert plane.log[-1].query == {"after": "versions:team/b@v1"}
    found = {"message": "it is gone", "remedy": "puts it back", "problem": None}
    plane.state.findings = [
        found | {"code": "MOUNT_MISSING", "version": "team/a@v1", "region": "eu", "state": "REPAIRABLE"},
        found | {"code": "REGION_SILENT", "version": None, "region": "us", "state": "BY_HAND"},
        found | {"code": "PIN_MISSING", "version": "team/a@v1", "region": "eu", "state": "FAILED", "problem": "no"},
    ]
    assert run("fsck", "team/a", "--deep", code=1).splitlines() == [
        "MOUNT_MISSING team/a@v1 in eu: it is gone",
        "  --repair: puts it back",
        "REGION_SILENT in us: it is gone",
        "  by hand: puts it back",
        "PIN_MISSING team/a@v1 in eu: it is gone",
        "  not repaired: no",
        "3 versions checked, 3 findings, 3 left",
    ]
    assert "3 of 3 findings are left" in run.err
    assert (plane.log[-1].method, plane.log[-1].query["of"], plane.log[-1].query["deep"]) == ("GET", "team/a", "true")


def test_fsck_of_an_unknown_dataset_fails(run: Run) -> None:
    assert run("fsck", "team/nothing", code=4) == "0 versions checked, 0 findings, 0 left\n"
    assert run.err.endswith("no store knows a version of team/nothing; nothing was checked\n")


def test_fsck_repair_succeeds_while_workflows_finish_the_repair(run: Run, plane: ControlPlane) -> None:
    found = {"code": "BYTES_MISSING", "message": "m", "remedy": "r", "version": "team/a@v1", "region": "eu"}
    plane.state.findings = [found | {"state": "UNDER_WAY"}, found | {"state": "REPAIRED"}]
    assert run("fsck", "--repair").splitlines()[1:] == [
        "  under way: r",
        "BYTES_MISSING team/a@v1 in eu: m",
        "  repaired: r",
        "3 versions checked, 2 findings, 0 left",
    ]
    assert (plane.log[-1].method, "deep" in plane.log[-1].query) == ("POST", False)
    assert [each["state"] for each in json.loads(run("fsck", "--repair", "--json"))["findings"]] == [
        "UNDER_WAY",
        "REPAIRED",
    ]


def test_queue_shows_the_waiting_versions_and_the_reasons(run: Run, plane: ControlPlane) -> None:
    waiting = {"dataset": "team/a", "version": "v1", "bytes": 8 << 20, "priority": "interactive"}
    plane.state.queue = [
        waiting | {"position": 1, "reason": "it is full", "since": "2026-11-20T12:00:00Z", "not_before": None},
        waiting | {"position": None, "reason": "the quota of team", "since": None, "not_before": None},
    ]
    table = run("queue").splitlines()
    assert table[0].split() == ["#", "VERSION", "NEEDS", "PRIORITY", "SINCE", "NOT", "BEFORE", "REASON"]
    assert table[1].split()[:4] == ["1", "team/a@v1", "8.00", "MiB"]
    assert table[1].endswith("it is full")
    assert table[2].split()[0] == "team/a@v1"
    assert [each["position"] for each in json.loads(run("queue", "--json"))] == [1, None]


def test_evict_refuses_pinned_and_absent_versions(run: Run, plane: ControlPlane) -> None:
    run("ensure", "vision/digits@1", "-q")
    run("pin", "vision/digits@1", "--for", "1h", "--id", "p1", "--holder", "me")
    assert "p1   eu      vision/digits@1  me" in run("pins")
    assert len(json.loads(run("pins", "--region", "eu", "--json"))) == 1
    assert run("evict", "vision/digits@1", code=3) == ""
    assert run.err == "forebay: PINNED: vision/digits@1 is held by somebody\n"
    run("unpin", "vision/digits@1", "p1")
    assert "was evicted from eu" in run("evict", "vision/digits@1", "--region", "eu", "--reason", "test")
    assert plane.log[-1].body == {"region": "eu", "reason": "test"}
    plane.state.cached.add(("us", "vision/digits@1"))
    asked = len(plane.seen("POST", "/evict$"))
    plane.state.other_regions = ["ap"]
    run("evict", "vision/digits@1", "--region", "ap", code=4)
    assert "vision/digits@1 is not in ap, so nothing was evicted; it is in eu (CACHED)" in run.err
    plane.state.cached.clear()
    run("evict", "vision/digits@1", "--json", code=4)
    assert json.loads(run.err)["code"] == "NOT_FOUND"
    assert "it is in no region" in json.loads(run.err)["message"]
    assert len(plane.seen("POST", "/evict$")) == asked


def test_sweep_shows_victims_and_reasons_before_and_after_it_evicts(run: Run, plane: ControlPlane) -> None:
    assert run("sweep", "--dry-run") == "a sweep would evict nothing from eu\n"
    assert run.err == "note: worker w2 is away\n"
    run("ensure", "vision/digits@1", "-q")
    table = run("sweep", "--dry-run").splitlines()
    assert table[0].split() == ["VERSION", "REASON", "FREES", "WHY"]
    assert table[1].split() == ["vision/digits@1", "EXPIRED", "7", "B", "old"]
    assert json.loads(run("sweep", "--dry-run", "--json"))["victims"][0]["reason"] == "EXPIRED"
    assert plane.state.cached
    plane.state.sweeps_slowly = True
    assert run("sweep", "--region", "eu") == "the sweep of eu still runs: eviction-sweep/eu/now\n"
    plane.state.sweeps_slowly = False
    assert run("sweep").splitlines()[1].split() == ["vision/digits@1", "evicted", "EXPIRED", "old"]
    assert run("sweep") == "the sweep evicted nothing from eu\n"
    run("sweep", "--dry-run", "--pause", code=2)


def test_sweep_pauses_and_resumes_the_schedule_of_a_region(run: Run, plane: ControlPlane) -> None:
    assert "is swept every 5m00s, next at" in run("sweep", "--schedule")
    assert run("sweep", "--pause", "--reason", "the lake is slow") == "eu has no automatic sweeps: the lake is slow\n"
    assert json.loads(run("sweep", "--schedule", "--json"))["paused"] is True
    assert "is swept every" in run("sweep", "--resume")
    assert plane.state.paused is None


def test_datasets_changes_the_ttl_and_deletes_a_dataset(run: Run, plane: ControlPlane) -> None:
    run("datasets", "register", "team/a", "s3://lake/a/", "--ttl-after", "read")
    assert plane.log[-1].body["ttl_after"] == "read"
    assert "2h" in run("datasets", "ttl", "team/a", "--ttl", "2h")
    assert plane.log[-1].body == {"ttl_seconds": 7200}
    assert json.loads(run("datasets", "ttl", "team/a", "--ttl-after", "pin", "--json"))["ttl_after"] == "pin"
    run("datasets", "ttl", "team/a", code=2)
    assert run("datasets", "delete", "team/a").startswith("team/a is deleted")
    run("datasets", "delete", "team/a", code=4)
    run("datasets", "register", "team/a", "s3://lake/a/", "--ttl-after", "write", code=2)


def test_leaked_pins_are_listed_with_the_reason(run: Run, plane: ControlPlane) -> None:
    run("ensure", "vision/digits@1", "-q")
    run("pin", "vision/digits@1", "--for", "1h", "--id", "p1", "--holder", "me", "--job", "uid-7")
    assert plane.state.pins["eu", "p1"]["job"] == "uid-7"
    run("pin", "vision/digits@1", "--for", "1h", "--id", "p2", "--holder", "gone")
    said = run("pins", "--leaked")
    assert "p2" in said
    assert "p1" not in said
    assert "pin p2 in eu seems leaked: NOT_RENEWED: not renewed for 9 s of its lease of 10 s" in said
    assert json.loads(run("pins", "--leaked", "--json"))[0]["leak"]["code"] == "NOT_RENEWED"


def test_unpin_of_an_unknown_pin_lists_the_existing_pins(run: Run, plane: ControlPlane) -> None:
    run("ensure", "vision/digits@1", "-q")
    assert run("unpin", "vision/digits@1", "typo", code=4) == ""
    assert run.err == (
        "forebay: NOT_FOUND: there is no pin typo on vision/digits@1 in eu; it has no pin in any region\n"
    )
    run("pin", "vision/digits@1", "--for", "1h", "--id", "p1", "--holder", "me")
    run("unpin", "vision/digits@1", "typo", code=4)
    assert run.err.endswith("in eu; its pins are p1 in eu (held by me)\n")
    run("unpin", "vision/digits@1", "p1", "--region", "us", code=4)
    run("unpin", "vision/digits@1", "typo", "--json", code=4)
    assert json.loads(run.err)["code"] == "NOT_FOUND"
    assert list(plane.state.pins) == [("eu", "p1")]
    assert plane.seen("DELETE", "/pins/") == []
    assert run("unpin", "vision/digits@1", "p1") == "released p1\n"
    assert not plane.state.pins


def test_unpin_releases_the_pin_of_a_run(run: Run, plane: ControlPlane) -> None:
    run("ensure", "vision/digits@1", "-q", "--pin-for", "1h", "--run-id", "train-7")
    nothing = "no pin of run {} was found on vision/digits@1 in eu: 'forebay pins' lists the holders\n"
    assert run("unpin", "vision/digits@1", "--run-id", "another") == nothing.format("another")
    assert len(plane.state.pins) == 1
    release = ("unpin", "vision/digits@1", "--run-id", "train-7")
    assert run(*release) == "released 1 pin of run train-7\n"
    assert not plane.state.pins
    assert run(*release) == nothing.format("train-7")
    run("ensure", "vision/digits@1", "-q", "--pin-for", "1h", "--run-id", "train-7", "--holder", "me")
    assert run(*release) == nothing.format("train-7")
    assert json.loads(run(*release, "--holder", "me", "--json")) == {"released": "train-7", "pins": 1}
    assert not plane.state.pins
    run("unpin", "vision/digits@1", "p1", "--holder", "me", code=2)
    run("unpin", "vision/digits@1", code=2)
    run("unpin", "vision/digits@1", "p1", "--run-id", "train-7", code=2)


def test_a_404_from_another_web_server_is_not_a_missing_dataset(run: Run, plane: ControlPlane) -> None:
    plane.fail_next(lambda handler: send(handler, 404, "<h1>Not found</h1>", content_type="text/html"))
    run("status", "vision/digits@1", code=5)
    assert "is FOREBAY_API the address of Forebay's control plane?" in run.err


def test_status_ttl_and_regions_print_their_results(run: Run) -> None:
    run("ensure", "vision/digits@1", "-q", "--pin-for", "1h")
    assert "CACHED" in run("status", "vision/digits@1")
    assert "eu CACHED" in run("status", "vision/digits")
    assert json.loads(run("status", "vision/digits@1", "--json"))["regions"][0]["state"] == "CACHED"
    assert "stays for 1h30m" in run("ttl", "vision/digits@1", "1h30m")
    assert "1/1" in run("regions")


def test_explain_prints_sentences_and_history(run: Run, plane: ControlPlane) -> None:
    lines = run("explain", "vision/digits").splitlines()
    assert lines[:2] == ["vision/digits is cold.", "It was evicted."]
    assert lines[-1].endswith("EVICTED  64.0 MiB        space for more")
    assert plane.log[-1].query == {"region": "eu", "version": "latest"}
    told = json.loads(run("explain", "vision/digits@1", "--json"))
    assert told["version"] == "1"
    assert told["last_check"]["made"] == "2"
    run("explain", "team/none", code=4)


def test_cancel_cancels_a_request(run: Run, plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000
    run("ensure", "vision/digits@1", "--timeout", "1", code=1)
    taken_back = run.err.split("'forebay ")[1].split("'")[0].split()
    assert taken_back[:2] == ["cancel", "vision/digits@1"]
    assert "is cancelled" in run(*taken_back)
    with forebay.Client() as client, pytest.raises(forebay.Cancelled):
        client.ensure_status("vision/digits", "1", "eu", taken_back[2])
    assert json.loads(run(*taken_back, "--json")) == {"cancelled": taken_back[2]}
    run("cancel", "vision/digits@1", "unheard-of", code=4)


def test_abandon_gives_up_a_blocked_version(run: Run, plane: ControlPlane) -> None:
    plane.state.blocked = {"code": "LAKE_DENIED", "message": "the lake refuses our key"}
    assert "BLOCKED" in run("status", "vision/digits@1")
    assert run("resume", "vision/digits@1") == "vision/digits@1 in eu: BLOCKED\n"
    assert run("abandon", "vision/digits@1", "--reason", "wrong bucket") == "vision/digits@1 in eu: ABSENT\n"
    assert plane.log[-1].body == {"region": "eu", "reason": "wrong bucket"}
    plane.state.blocked = {"code": "LAKE_DENIED", "message": "the lake refuses our key"}
    assert json.loads(run("abandon", "vision/digits@1", "--json"))["version"] == "1"


def test_costs_sends_filters_and_shows_a_total(run: Run, plane: ControlPlane) -> None:
    said = run("costs", "vision/digits@1", "--region", "eu", "--since", "2026-11-05", "--run-id", "train-7")
    lines = said.splitlines()
    assert lines[0] == "costs in EUR from 2026-11-05 to the day before 2026-12-01"
    assert lines[2].split()[0] == "DATASET"
    assert lines[3].split() == [
        "vision/digits",
        "1.00",
        "GiB",
        "12",
        "1.50",
        "GiB",
        "4.00",
        "GiB",
        "1.50",
        "1",
        "0.13",
        "0.40",
        "0.27",
    ]
    assert lines[4].startswith("(none)")
    assert lines[5].startswith("total")
    assert plane.log[-2].query == {
        "dataset": "vision/digits",
        "version": "1",
        "region": "eu",
        "run_id": "train-7",
        "since": "2026-11-05",
        "by": "dataset",
    }
    assert plane.log[-1].query["after"] == "vision/digits"
    run("costs", "vision", "--by", "day")
    assert plane.log[-1].query["namespace"] == "vision"
    assert len(json.loads(run("costs", "--json"))["items"]) == 2
    run("costs", "--by", "colour", code=2)
    assert run.err.count("\n") >= 1
    plane.state.priced = False
    run("costs")
    assert "no prices are configured: set forebay.prices" in run.err


def test_budgets_shows_the_spending_of_a_namespace(run: Run) -> None:
    assert run("budgets").splitlines()[1].split() == ["vision", "2026-11", "2.75", "2.50", "EUR", "wait"]
    assert json.loads(run("budgets", "--json"))[0]["paused"] is True


def test_status_and_regions_show_what_a_region_waits_for(run: Run, plane: ControlPlane) -> None:
    away = {"code": "UNAVAILABLE", "message": "etcd of region eu\ndoes not answer"}
    plane.state.waiting = away
    assert "eu waits: UNAVAILABLE: etcd of region eu does not answer\n" in run("status", "vision/digits@1")
    region = json.loads(run("status", "vision/digits@1", "--json"))["regions"][0]
    assert region["waiting"] == away

    assert run("regions").splitlines()[1].split()[:3] == ["eu", "yes", "yes"]
    plane.state.region = {"etcd_reachable": False, "problem": away}
    said = run("regions").splitlines()
    assert said[1].split()[:3] == ["eu", "yes", "no"]
    assert said[-1] == "eu accepts no fills: UNAVAILABLE: etcd of region eu does not answer"
    assert json.loads(run("regions", "--json"))[0]["problem"] == away


@pytest.mark.parametrize("quiet", ["-q", "--json"])
def test_quiet_ensure_reports_once_why_it_waits(run: Run, plane: ControlPlane, quiet: str) -> None:
    plane.state.waiting = {"code": "CAPACITY_EXCEEDED", "message": "first in the queue of eu\n(attempt 2 follows)"}
    plane.state.looks_until_cached = 3
    run("ensure", "vision/digits@1", quiet)
    if quiet == "--json":
        assert json.loads(run.err) == {"waiting": {"region": "eu", **plane.state.waiting}}
    else:
        reason = "CAPACITY_EXCEEDED: first in the queue of eu (attempt 2 follows)"
        assert run.err == f"vision/digits@1 in eu waits: {reason}\n"
    # Only progress displays ask every second.
    assert {each.query["wait_seconds"] for each in plane.seen("GET", "/requests/")} == {"30"}


def test_a_timeout_says_what_ensure_waited_for(run: Run, plane: ControlPlane) -> None:
    plane.state.waiting = {"code": "CAPACITY_EXCEEDED", "message": "first in the queue of eu"}
    plane.state.looks_until_cached = 1_000_000
    run("ensure", "vision/digits@1", "-q", "--timeout", "1", code=1)
    assert "waits: CAPACITY_EXCEEDED: first in the queue of eu)" in run.err
    assert "'forebay explain vision/digits@1 --region eu' shows what delays it" in run.err


def test_status_lists_all_blocked_versions_with_the_reason(run: Run, plane: ControlPlane) -> None:
    assert run("status").splitlines() == ["VERSION  REGION  CODE"]
    plane.state.blocked = {"code": "LAKE_DENIED", "message": "no right to s3:GetObject"}
    lines = run("status").splitlines()
    assert lines[1].split() == ["vision/digits@1", "eu", "LAKE_DENIED"]
    assert lines[-1] == "vision/digits@1 in eu is BLOCKED: LAKE_DENIED: no right to s3:GetObject"
    assert json.loads(run("status", "--json"))[0]["blocked"] == plane.state.blocked


@pytest.mark.parametrize("command", ["evict", "resume", "abandon", "unpin"])
def test_an_unknown_region_is_an_error_that_lists_the_regions(run: Run, plane: ControlPlane, command: str) -> None:
    plane.state.other_regions = ["us"]
    run(command, "vision/digits@1", *(["p1"] if command == "unpin" else []), "--region", "ue", code=4)
    assert run.err == "forebay: UNKNOWN_REGION: region 'ue' is not one of this installation: eu, us\n"


def test_commands_fail_if_there_is_nothing_to_act_on(run: Run, plane: ControlPlane) -> None:
    for command, instead in (("resume", "'forebay ensure"), ("abandon", "'forebay ensure")):
        run(command, "vision/digits@1", code=4)
        assert "vision/digits@1 is ABSENT in eu, not BLOCKED, so nothing was" in run.err
        assert f"{instead} vision/digits@1 --region eu' fills it" in run.err
    run("ensure", "vision/digits@1", "-q")
    run("abandon", "vision/digits@1", code=4)
    assert "'forebay evict vision/digits@1 --region eu' removes it" in run.err
    run("tracking", "off", "vision/digits", code=4)
    assert "does not follow its source" in run.err
    run("quota", "team", "1G", "--region", "eu")
    run("quota", "team", "none", code=4)
    assert run.err == "forebay: NOT_FOUND: namespace team has no quota of its own; it has one in eu\n"
    run("quota", "other", "none", "--region", "eu", code=4)
    assert run.err == "forebay: NOT_FOUND: namespace other has no quota of its own in eu; it has none\n"
    plane.state.datasets["vision/digits"]["deleted_at"] = "2026-11-22T12:00:00Z"
    run("datasets", "delete", "vision/digits", code=4)
    assert "vision/digits was deleted already, at 2026-11-22" in run.err
    assert not plane.seen("POST", "/(resume|abandon)$")
    assert not plane.seen("DELETE", "/(tracking|quota)$")


def test_each_kind_of_error_has_its_exit_code(run: Run, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    run("status", "team/none@1", code=4)
    assert run.err == "forebay: NOT_FOUND: there is no dataset team/none\n"
    run("status", "nonsense", code=2)
    run("datasets", "register", "team/a", "file:///x", code=2)
    assert run.err == "forebay: INVALID_ARGUMENT: S3_URI must begin with s3://\n"
    plane.state.fill_fails = Problem(502, "LAKE_DENIED", "the lake\nrefuses our key")
    run("ensure", "vision/digits@1", "-q", code=1)
    assert run.err == "forebay: LAKE_DENIED: the lake refuses our key\n"
    monkeypatch.delenv("FOREBAY_REGION")
    for command in (["evict", "vision/digits@1"], ["ensure", "vision/digits@1"], ["queue"]):
        run(*command, code=2)
        assert "write --region" in run.err
        assert "set FOREBAY_REGION; the regions are eu\n" in run.err
    monkeypatch.setattr("forebay._commands._output._RETRY_SECONDS", 0.2)
    plane.stop()
    run("regions", code=5)
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("field", "command", "option"),
    [("pin.lease_seconds", "ensure", "--pin-for"), ("lease_seconds", "pin", "--for")],
)
def test_an_error_names_the_option_instead_of_the_field(
    run: Run, plane: ControlPlane, field: str, command: str, option: str
) -> None:
    refused = "'1' must be a whole number from 5 to 604800"
    problem = Problem(400, "INVALID_ARGUMENT", f"{field} {refused}", field=field)
    plane.fail_next(lambda handler: send(handler, 400, problem.body))
    run(command, "vision/digits@1", option, "1s", code=2)
    assert run.err == f"forebay: INVALID_ARGUMENT: {option}, in seconds, {refused}\n"


def test_json_output_reports_an_error_as_one_object(
    run: Run, plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error(*arguments: str, code: int) -> dict[str, object]:
        assert run(*arguments, code=code) == ""
        problem: dict[str, object] = json.loads(run.err)
        assert set(problem) == {"code", "message", "field", "retryable"}
        return problem

    refused = error("datasets", "register", "team/a", "file:///x", "--json", code=2)
    assert refused["code"] == "INVALID_ARGUMENT"
    assert refused["field"] == "source"
    assert refused["message"] == "source must begin with s3://"
    assert refused["retryable"] is False
    assert error("datasets", "--json", "show", "team/none", code=4)["code"] == "NOT_FOUND"
    assert error("status", "--json", "nonsense@", code=2)["code"] == "USAGE"
    assert error("pin", "a/b@1", "--json", code=2)["message"] == "the following arguments are required: --for"
    plane.state.looks_until_cached = 1_000_000
    late = error("ensure", "vision/digits@1", "--timeout", "1", "--json", code=1)
    assert (late["code"], late["retryable"]) == ("ENSURE_TIMEOUT", True)
    monkeypatch.setattr("forebay._commands._output._RETRY_SECONDS", 0.2)
    plane.stop()
    assert error("regions", "--json", code=5)["code"] == "CONNECTION_FAILED"


def test_usage_errors_exit_with_2_and_help_documents_the_codes(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["nonsense"], ["tracking", "vision/digits"], ["pin", "a/b@1"]):
        run(*arguments, code=2)
        assert run.err.startswith("usage: forebay")
        assert "\nforebay: " in run.err
    run("pins", "--region", "\udcff", code=2)
    assert run.err == r"forebay: the argument '\udcff' is not text in this machine's encoding" + "\n"
    with pytest.raises(SystemExit) as helped:
        main(["--help"])
    assert helped.value.code == 0
    assert "exit codes:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["evcit", "vision/digits@1"], "there is no command 'evcit': did you mean evict?"),
        (["register", "a/b"], "there is no command 'register': did you mean datasets register?"),
        (["delete", "a/b"], "there is no command 'delete': did you mean datasets delete or alias delete?"),
        (["datasets", "lst"], "there is no command 'lst': did you mean list?"),
        (["ensure", "vision/digits@1", "--regoin", "eu"], "--regoin eu: did you mean --region"),
        (["datasets", "list", "--jsno"], "--jsno: did you mean --json"),
        (
            ["costs", "--by", "regoin"],
            "'regoin' is none of namespace, dataset, version, region, run, day: did you mean",
        ),
        (["xyzzy"], "there is no command 'xyzzy': forebay --help lists them"),
    ],
)
def test_a_misspelt_word_yields_a_suggestion(run: Run, words: list[str], meant: str) -> None:
    run(*words, code=2)
    assert meant in run.err
    assert "abandon" not in run.err


def test_a_command_without_its_action_shows_its_help(run: Run) -> None:
    assert run().startswith("usage: forebay [-h]")
    assert "exit codes:" in run()
    assert run("tracking").startswith("usage: forebay tracking")
    assert run.err == ""


def test_diff_compares_two_versions(run: Run, plane: ControlPlane) -> None:
    plane.state.differences = [
        {"change": "added", "path": "a", "bytes": 2048},
        {"change": "changed", "path": "b", "bytes_before": 1, "bytes": 2},
        {"change": "removed", "path": "c d", "bytes_before": 3},
    ]
    table = run("diff", "vision/digits@1", "2").splitlines()
    assert [line.split() for line in table] == [
        ["CHANGE", "BEFORE", "BYTES", "PATH"],
        ["added", "2.00", "KiB", "a"],
        ["changed", "1", "B", "2", "B", "b"],
        ["removed", "3", "B", "c", "d"],
    ]
    (first, _) = plane.seen("GET", "/versions/2/diff$")
    assert first.query["from"] == "1"
    cut = run("diff", "vision/digits@1", "vision/digits@2", "--limit", "2").splitlines()
    assert cut[-1] == "there are more: --after b shows the next ones, --limit N shows more at once"
    assert run("diff", "vision/digits@1", "2", "--after", "b").splitlines()[1].split() == table[3].split()
    told = json.loads(run("diff", "vision/digits@1", "2", "--limit", "1", "--json"))
    assert (told["items"][0]["path"], told["next"]) == ("a", "a")
    plane.state.differences = []
    assert run("diff", "vision/digits@1", "2") == "vision/digits: 1 and 2 have the same objects\n"
    run("diff", "vision/digits@1", "team/b@2", code=2)
    run("diff", "vision/digits@1", code=2)


def test_ls_lists_datasets_versions_and_objects(run: Run, plane: ControlPlane) -> None:
    assert run("ls") == run("datasets")
    plane.state.aliases = {"prod": "1"}
    table = [line.split() for line in run("ls", "vision/digits").splitlines()]
    assert table[0] == ["VERSION", "OBJECTS", "BYTES", "ALSO", "REGIONS"]
    assert table[1] == ["1", "3", "64.0", "MiB", "prod"]
    assert json.loads(run("ls", "vision/digits", "--json"))["items"][0]["names"] == ["prod"]
    first = run("ls", "vision/digits", "--limit", "1").splitlines()
    assert first[-1] == "there are more: --after 1 shows the next ones, --limit N shows more at once"
    assert run("ls", "vision/digits", "--after", "1").splitlines()[1].split()[0] == "2"
    plane.state.objects = [{"path": name, "key": f"k/{name}", "bytes": 5, "etag": "e"} for name in "abc"]
    assert [line.split()[-1] for line in run("ls", "vision/digits@1").splitlines()] == ["PATH", "a", "b", "c"]
    assert json.loads(run("ls", "vision/digits@1", "train", "--limit", "2", "--json"))["next"] == "b"
    assert plane.seen("GET", "/objects$")[-1].query["folder"] == "train"
    run("ls", "vision/digits", "train", code=2)


def test_alias_sets_moves_lists_and_deletes_an_alias(run: Run, plane: ControlPlane) -> None:
    assert run("alias", "set", "vision/digits@1", "prod") == "vision/digits@prod means 1\n"
    assert run("alias", "set", "vision/digits@2", "prod") == "vision/digits@prod means 2, and meant 1 before\n"
    assert run("alias", "list", "vision/digits").splitlines()[1].split()[:2] == ["prod", "2"]
    assert "has no alias 'prod' any more" in run("alias", "delete", "vision/digits", "prod")
    run("alias", "delete", "vision/digits", "prod", code=4)
    assert "has no alias 'prod'; it has none" in run.err
    assert run("alias").startswith("usage: forebay alias")


def test_commands_show_that_a_dataset_was_deleted_and_how_to_restore_it(run: Run, plane: ControlPlane) -> None:
    plane.state.datasets["vision/digits"]["deleted_at"] = "2026-11-22T12:00:00Z"
    shows = (["datasets", "show"], ["status"], ["ls"])
    for command in (*([*each, "vision/digits"] for each in shows), ["status", "vision/digits@1"]):
        assert "vision/digits was deleted at 2026-11-22" in run(*command)
    plane.state.datasets["vision/digits"] |= {"include": ["train/**"], "exclude": ["it's/*"], "keys": "s3://lake/l"}
    remedy = run("status", "vision/digits").split("To restore it: ")[1].strip()
    again = shlex.split(remedy)[1:]
    assert again[:3] == ["datasets", "register", "vision/digits"]
    assert again[4:] == ["--include", "train/**", "--exclude", "it's/*", "--keys", "s3://lake/l"]
    assert json.loads(run("datasets", "show", "vision/digits", "--json"))["deleted_at"] is not None


def test_only_the_create_option_creates_an_unknown_version(run: Run, plane: ControlPlane) -> None:
    plane.state.known = {"1"}
    for command in ("ensure", "prefetch"):
        run(command, "vision/digits@2", code=4)
        assert "vision/digits has no version '2'; similar names are 1" in run.err
    assert plane.state.fills == 0
    run("ensure", "vision/digits@2", "-q", "--create")
    run("prefetch", "vision/digits@3", "--create")
    assert plane.state.known == {"1", "2", "3"}
    run("ensure", "vision/digits@2", "-q")


def test_freeze_freezes_a_version_and_fills_no_region(run: Run, plane: ControlPlane) -> None:
    plane.state.listings_left = 2
    shown = run("freeze", "vision/digits@2").splitlines()
    assert shown[0] == "vision/digits@2 is frozen: 3 objects, 64.0 MiB"
    assert run.err == "vision/digits@2 waits: LAKE_UNAVAILABLE: the lake does not answer\n"
    assert shown[1] == "  from s3://lake/digits/ +train/**"
    assert len(plane.seen("POST", "/versions/2/freeze$")) == 3
    assert json.loads(run("freeze", "vision/digits@2", "--json"))["manifest"]["objects"] == 3
    assert not plane.state.cached
    run("freeze", "vision/digits", code=2)


def test_ensure_and_prefetch_without_a_version_use_the_latest(run: Run, plane: ControlPlane, mount_root: Path) -> None:
    plane.state.latest = "2"
    assert run("ensure", "vision/digits") == f"{mount_root}/vision/digits/2\n"
    assert run.err.startswith("vision/digits@2: 3 objects")
    run("prefetch", "vision/digits")
    assert plane.seen("POST", "/versions/latest/ensure$")
    run("evict", "vision/digits", code=2)


def test_output_escapes_control_characters(run: Run, plane: ControlPlane) -> None:
    evil = "\x1b]0;owned\x07\x9b31m\u202e\ud800"
    plane.state.datasets["vision/evil"] = {"namespace": "vision", "name": "evil", "source": f"s3://l/{evil}\n"}
    pin = {"id": "p", "region": "eu", "dataset": "vision/evil", "version": "1", "holder": f"me{evil}"}
    plane.state.pins["eu", "p"] = pin | {"reason": f"why\r{evil}"}
    plane.state.blocked = {"code": "LAKE_OBJECT_CHANGED", "message": f"{evil}\nwas overwritten"}
    plane.state.fill_fails = Problem(409, "LAKE_OBJECT_CHANGED", f"{evil} was overwritten")
    printed = [run("datasets"), run("pins"), run("status", "vision/evil@1"), run("status", "vision/evil")]
    run("ensure", "vision/evil@1", code=1)
    for text in [*printed, run.err]:
        assert text.replace("\n", "").isprintable()
    assert r"s3://l/\x1b]0;owned\x07\x9b31m\u202e\ud800\n" in printed[0]
    assert r"why\r\x1b" in printed[1]
    assert r"\ud800 was overwritten" in printed[2]
    assert json.loads(run("pins", "--json"))[0]["reason"] == f"why\r{evil}"


def test_a_closed_output_pipe_is_no_error(plane: ControlPlane) -> None:
    pipeline = f"{sys.executable} -m forebay datasets --json | true; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", pipeline], capture_output=True, text=True)
    assert ended.returncode == 0
    assert ended.stderr == ""
