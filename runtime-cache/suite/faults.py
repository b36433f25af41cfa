#!/usr/bin/env python3
"""Puts deliberate faults into a copy of the built tree, one at a time, and runs the tests that must catch them.

The faults are in faults.txt beside this file. A fault passes if one of its tests fails with it and all of them pass
without it. Only the class file of a changed Java source is compiled again; it replaces the old one below target and in
every jar, so the packaged programs have the fault, too. The results go to docs/test-faults.md.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import datetime
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

REPOSITORY = Path(__file__).resolve().parents[2]
FAULTS = Path(__file__).with_name("faults.txt")
TABLE = REPOSITORY / "docs/test-faults.md"
LOGS = REPOSITORY / "target/faults"
# The same as SUITE in the Makefile. The runner comes from the original tree, because it must not have the fault.
RUNNER_PATH = (
    "runtime-cache/suite/target/classes",
    "runtime-cache/devstack/target/classes",
    "runtime-cache/suite/target/lib/*",
)
JOBS = {"python": "test-package", "integrations": "test-integrations", "platform": "test-platform"}
# These classes need programs that start with AOT caches, and copies of the tree have none.
NOT_IN_COPIES = {"AotCacheIT"}
WHOLE = 3
LONGEST_RUN_SECONDS = 3600
ENDS_WITHIN_SECONDS = 60
NOT_RUN = "not yet"
WHOLE_TITLE = "## Against the whole suite\n"
# Matches a class that failed only because it took too long. Slots.DURATION is the name of that failure.
ONLY_SLOW = re.compile(r"duration\n    .*\n")
# The exit status of pytest if a test failed. With any other status, pytest could not run the tests.
PYTEST_FAILED = 1
POLL_SECONDS = 2
PIT_SAYS = {"killed", "alive", "beyond", "unknown"}


class Invalid(Exception):
    """Raised if the fault cannot be put into the current code."""


@dataclass(frozen=True)
class Fault:
    name: str
    says: str
    file: str
    tests: tuple[str, ...]
    pit: str
    old: str
    new: str

    def may_be_caught_by(self) -> set[str]:
        """Returns the classes and jobs of the whole suite that run the tests of this fault.

        A failure of any other class does not count as caught.
        """
        classes = {test.split("#")[0] for test in self.tests if not test.endswith(".py")}
        return classes | (set(JOBS) if len(classes) < len(self.tests) else set())


@dataclass(frozen=True)
class Outcome:
    """The result of one fault.

    Attributes:
        caught_by: the tests that failed, or why none did.
        seconds: how long the tests ran with the fault.
    """

    is_caught: bool
    caught_by: str
    seconds: float
    was_tried: bool = True


def read_faults(text: str) -> list[Fault]:
    faults = []
    for block in re.split(r"^\[", text, flags=re.MULTILINE)[1:]:
        name, body = block.split("]\n", 1)
        lines = [line for line in body.splitlines() if line and not line.startswith("#")]
        values = dict(line.split(": ", 1) for line in lines if line[:2] not in ("- ", "+ "))
        old = "\n".join(line[2:] for line in lines if line.startswith("- "))
        new = "\n".join(line[2:] for line in lines if line.startswith("+ "))
        if not old or values["pit"] not in PIT_SAYS:
            raise Invalid(f"{name}: it needs a text to replace, and pit: {' or '.join(sorted(PIT_SAYS))}")
        tests = tuple(re.split(r",\s*", values["tests"]))
        faults.append(Fault(name, values["says"], values["file"], tests, values["pit"], old, new))
    return faults


class Tree:
    """A copy of the built tree, which has at most one fault at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(
            REPOSITORY,
            root,
            symlinks=True,
            ignore=lambda directory, names: {name for name in names if not is_needed(Path(directory, name))},
        )
        for environment in REPOSITORY.glob("target/venv*"):
            (root / "target" / environment.name).symlink_to(environment)
        for file in root.glob("**/target/test.classpath"):
            file.write_text(file.read_text().replace(f"{REPOSITORY}/", f"{root}/"))
        self.jars = [path for path in root.glob("**/target/**/*.jar") if _has_forebay(path)]
        self.saved: dict[Path, bytes] = {}

    def apply(self, fault: Fault) -> None:
        source = self.root / fault.file
        text = source.read_text()
        if text.count(fault.old) != 1:
            raise Invalid(f"{fault.file} has the text to replace {text.count(fault.old)} times, not once")
        self._write(source, text.replace(fault.old, fault.new).encode())
        if source.suffix == ".java":
            self._compile(source)

    def restore(self) -> None:
        for path, content in self.saved.items():
            path.write_bytes(content)
        self.saved.clear()

    def _compile(self, source: Path) -> None:
        module = next(parent for parent in source.parents if (parent / "pom.xml").exists())
        classes = module / "target/classes"
        with tempfile.TemporaryDirectory() as compiled:
            path = os.pathsep.join([str(classes), (module / "target/test.classpath").read_text().strip()])
            command = [java("javac"), "-proc:none", "-parameters", "-nowarn", "-d", compiled, "-cp", path, str(source)]
            compiler = subprocess.run(command, check=False, capture_output=True, text=True)
            if compiler.returncode:
                raise Invalid(f"the fault does not compile: {compiler.stderr}")
            made = {str(file.relative_to(compiled)): file.read_bytes() for file in Path(compiled).glob("**/*.class")}
        for name, content in made.items():
            self._write(classes / name, content)
        for jar in self.jars:
            self._replace(jar, made)

    def _replace(self, jar: Path, made: dict[str, bytes]) -> None:
        with zipfile.ZipFile(jar) as before:
            names = made.keys() & set(before.namelist())
            if not names:
                return
            if jar.name == "transformed-bytecode.jar":
                raise Invalid(f"Quarkus has rewritten {sorted(names)}: choose another class")
            with tempfile.NamedTemporaryFile() as file:
                with zipfile.ZipFile(file, "w") as after:
                    # Some jars contain the same folder entry twice, and ZipFile would write both.
                    for entry in {each.filename: each for each in before.infolist()}.values():
                        after.writestr(entry, made.get(entry.filename, before.read(entry)))
                file.flush()
                self._write(jar, Path(file.name).read_bytes())

    def _write(self, path: Path, content: bytes) -> None:
        if path.exists():
            self.saved.setdefault(path, path.read_bytes())
        path.write_bytes(content)

    def run(self, tests: Iterable[str], log: Path) -> set[str]:
        """Runs tests and returns those that fail; raises Invalid if they cannot be run."""
        tests = list(tests)
        python = [test for test in tests if test.endswith(".py")]
        classes = [test for test in tests if test not in python]
        failed: set[str] = set()
        with log.open("w") as out:
            status = self._call(self._pytest(python), self.root / "sdk-python-shim", out) if python else 0
            if status == PYTEST_FAILED:
                failed |= set(re.findall(r"^(?:FAILED|ERROR) (\S+)", read(log), re.MULTILINE))
            elif status:
                raise Invalid(f"pytest could not run: see {log}")
            if classes and self._call(self._suite(["--tests", ",".join(classes)]), self.root, out):
                names = {test.split("#")[0] for test in classes}
                failed |= failed_classes(read(log)) & names
                if not re.search(r"^\d+ passed, \d+ failed", read(log), re.MULTILINE):
                    raise Invalid(f"the tests could not be run: see {log}")
        return failed

    def run_all(self, fault: Fault, log: Path) -> set[str]:
        """Runs the whole suite as 'make test' does, until it has caught a fault.

        It leaves out the format check and the tests of AOT caches.
        """
        jobs = [f"--job={name}=make --no-print-directory {target}" for name, target in JOBS.items()]

        def caught() -> set[str]:
            return (failed_classes(read(log)) - NOT_IN_COPIES) & fault.may_be_caught_by()

        with log.open("w") as out:
            self._call(self._suite(["--without-second-compiler", *jobs]), self.root, out, until=caught)
        return caught()

    def _suite(self, options: list[str]) -> list[str]:
        path = os.pathsep.join(str(REPOSITORY / each) for each in RUNNER_PATH)
        flags = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path]
        return [java("java"), *flags, "dev.forebay.suite.Main", *options]

    def _pytest(self, files: list[str]) -> list[str]:
        return [
            str(REPOSITORY / "target/venv/bin/python"),
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            *files,
        ]

    def _call(
        self, command: list[str], directory: Path, out: TextIO, until: Callable[[], object] = lambda: False
    ) -> int:
        """Runs a command until it ends or `until` returns true, and returns its exit status."""
        # An AOT cache fits only the jars that it was made from. Programs also start without one.
        environment = {**os.environ, "FOREBAY_AOT_MODE": "off", "PYTHONPATH": str(self.root / "sdk-python-shim/src")}
        process = subprocess.Popen(command, cwd=directory, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            begun = time.monotonic()
            while (status := process.poll()) is None and not until():
                if time.monotonic() - begun > LONGEST_RUN_SECONDS:
                    raise subprocess.TimeoutExpired(command, LONGEST_RUN_SECONDS)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_SECONDS)
            return status or 0
        finally:
            # On SIGTERM the runner unmounts and stops everything that its tests have started in the copy.
            process.terminate()
            try:
                process.wait(timeout=ENDS_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def is_needed(path: Path) -> bool:
    """Returns whether tests need a file or folder of the built tree. The root also holds the data of stacks."""
    if path.parent == REPOSITORY / "target":
        return path.is_file()
    return path.parent != REPOSITORY or not path.name.startswith(".") or path.name == ".mvn"


def _has_forebay(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as jar:
        return any(name.startswith("dev/forebay/") for name in jar.namelist())


def read(log: Path) -> str:
    """Returns the content of a log so far."""
    return log.read_text(errors="replace")


def failed_classes(log: str) -> set[str]:
    """Returns the simple names of classes and jobs that failed, without those that only took too long."""
    reports = re.findall(r"^\[ *[\d.]+ s\] FAILED .* CPU s  (\S+).*\n((?:.*\n)*?)    log: ", log, re.MULTILINE)
    return {name.rsplit(".", 1)[-1] for name, why in reports if not ONLY_SLOW.fullmatch(why)}


def java(program: str) -> str:
    return str(Path(os.environ["JAVA_HOME"], "bin", program))


def try_fault(tree: Tree, fault: Fault, whole: bool) -> Outcome:
    try:
        tree.apply(fault)
        begun = time.monotonic()
        log = LOGS / f"{fault.name}.log"
        failed = tree.run_all(fault, log) if whole else tree.run(fault.tests, log)
        seconds = time.monotonic() - begun
        return Outcome(bool(failed), ", ".join(sorted(failed)) or f"no test: see {os.path.relpath(log)}", seconds)
    except subprocess.TimeoutExpired:
        return Outcome(False, f"no test: its tests did not end within {LONGEST_RUN_SECONDS} s", LONGEST_RUN_SECONDS)
    except Invalid as error:
        return Outcome(False, f"invalid: {error}", 0, was_tried=False)
    finally:
        tree.restore()


def write_table(faults: list[Fault], outcomes: dict[str, Outcome], seed: str | None) -> None:
    """Writes the results, and keeps earlier results of faults that this run did not try."""
    before, _, whole = (TABLE.read_text() if TABLE.exists() else "").partition(WHOLE_TITLE)
    rows = dict(re.findall(r"^\| `([^`]+)` (\|.*)$", before, re.MULTILINE))
    today = datetime.date.today()

    def result(outcome: Outcome) -> tuple[str, ...]:
        return outcome.caught_by.splitlines()[0], f"{outcome.seconds:.0f}", str(today)

    for fault in faults:
        cells = (fault.says, fault.file.removesuffix(Path(fault.file).name).split("/src/")[0].rstrip("/"), fault.pit)
        outcome = None if seed else outcomes.get(fault.name)
        earlier = tuple(rows.get(fault.name, "").strip("| ").split(" | ")[3:])
        last = result(outcome) if outcome else earlier if len(earlier) == 3 else (NOT_RUN, "", "")
        rows[fault.name] = f"| {' | '.join((*cells, *last))} |"
    if seed:
        tried = [f"| `{name}` | {' | '.join(result(it))} |\n" for name, it in outcomes.items()]
        whole = (
            f"\nThe faults that `make test-faults SEED={seed}` drew. "
            "The suite ran as `make test` does, until it caught the fault.\n\n"
            "| Fault | Caught by | Seconds | Tried on |\n|---|---|---|---|\n" + "".join(tried)
        )
    count = collections.Counter(fault.pit for fault in faults)
    TABLE.write_text(
        "# Deliberate faults\n\n"
        "`make test-faults` puts each fault of `runtime-cache/suite/faults.txt` into a copy of the code, and runs\n"
        "the tests that must catch it. The table has the last result of each fault.\n\n"
        "The column *PIT* compares that with the library PIT, which makes small changes by itself.\n"
        "Each label says what unit tests notice of its changes in the lines of the fault:\n\n"
        f"- *alive* ({count['alive']} of {len(faults)} faults): at least one is noticed by no unit test.\n"
        f"- *killed* ({count['killed']}): a unit test notices each.\n"
        f"- *beyond* ({count['beyond']}): there are none: YAML, Python, or a call that PIT keeps.\n"
        f"- *unknown* ({count['unknown']}): PIT has not run since the fault was added.\n\n"
        "| Fault | What a user would suffer | Module | PIT | Caught by | Seconds | Tried on |\n"
        "|---|---|---|---|---|---|---|\n"
        + "".join(f"| `{fault.name}` {rows[fault.name]}\n" for fault in faults)
        + (f"\n{WHOLE_TITLE}{whole}" if whole else "")
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", default="", help="the names of the faults to try, with commas (default: all)")
    parser.add_argument(
        "--whole",
        metavar="SEED",
        help=f"run the whole suite against {WHOLE} faults drawn by SEED, each until it is caught",
    )
    parser.add_argument("--list", action="store_true", help="only check that each text to replace occurs once")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    faults = read_faults(FAULTS.read_text())
    wanted = set(filter(None, options.faults.split(",")))
    if unknown := wanted - {fault.name for fault in faults}:
        parser.error(f"no such faults: {', '.join(sorted(unknown))}")
    if options.list:
        moved = [it.name for it in faults if (REPOSITORY / it.file).read_text().count(it.old) != 1]
        print(f"{len(faults)} faults; the code of {', '.join(moved) or 'none'} has changed")
        return 1 if moved else 0
    chosen = [fault for fault in faults if not wanted or fault.name in wanted]
    if options.whole:
        chosen = random.Random(options.whole).sample(chosen, min(WHOLE, len(chosen)))
    LOGS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="faults-") as directory:
        tree = Tree(Path(directory, "tree"))
        if not options.whole:
            tests = sorted({test for fault in chosen for test in fault.tests})
            print(f"== Without a fault: {', '.join(tests)}", flush=True)
            try:
                failed = tree.run(tests, LOGS / f"none-{os.getpid()}.log")
            except Invalid as error:
                parser.error(str(error))
            if failed:
                print(f"{', '.join(sorted(failed))} failed without a fault: see {LOGS}")
                return 1
        outcomes = {}
        for fault in chosen:
            outcomes[fault.name] = outcome = try_fault(tree, fault, bool(options.whole))
            print(f"{'caught' if outcome.is_caught else 'MISSED'} {fault.name}: {outcome.caught_by}", flush=True)
            write_table(faults, {name: it for name, it in outcomes.items() if it.was_tried}, options.whole)
    missed = [name for name, outcome in outcomes.items() if not outcome.is_caught]
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} faults were caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
