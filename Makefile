# Forebay. 'make help' lists the targets. They stay thin: Maven builds, devstack runs, Python trains.

.DEFAULT_GOAL := help
.PHONY: help demo aot up prepared obtained down status test check test-times test-package test-remedies test-advisories test-platform test-integrations test-frameworks test-faults test-mutants test-kube images test-images test-long test-chaos soak bench bench-away bench-tls bench-worker bench-image bench-pod bench-restart bench-ingest bench-lifecycle bench-versions bench-start docs test-docs locks build format

# Every target except help needs JDK 25. The script prints how to get one if there is none.
ifneq ($(filter-out help,$(or $(MAKECMDGOALS),help)),)
  export JAVA_HOME := $(shell runtime-cache/devstack/bin/jdk25)
  ifeq ($(JAVA_HOME),)
    $(error no JDK 25, see above)
  endif
endif

MVN      := ./mvnw --batch-mode
DEVSTACK := runtime-cache/devstack/bin/devstack
DEMO     := target/demo/stack
VENV     := target/venv
PYTHON   := $(VENV)/bin/python
# The programs that the package integrates with have many dependencies, so they have an environment of their own.
INTEGRATIONS := target/venv-integrations
# The frameworks of the examples are large.
FRAMEWORKS := target/venv-frameworks
DOCS := target/venv-docs

# The sources of the built programs. A build that is newer than all of them is not repeated. A directory is newer after
# one of its files was deleted.
FILES_AND_FOLDERS := \( -type f -o -type d -path '*/src/*' \) -print
NO_TESTS := -type d \( -name target -o -name test \) -prune -o $(FILES_AND_FOLDERS)
PROGRAM_SOURCES := $(shell find runtime-cache/core runtime-cache/settings runtime-cache/csi-api runtime-cache/worker runtime-cache/fuse runtime-cache/devstack \
                     workflows activities $(NO_TESTS)) runtime-cache/pom.xml pom.xml
# The runner reads times.tsv, slow-classes.txt and faults.txt from the source tree, and builds do not need benchmark
# results.
SOURCES := $(filter-out runtime-cache/suite/times.tsv runtime-cache/suite/%.txt runtime-cache/benchmarks/results/%,\
             $(shell find runtime-cache workflows activities helm -name target -prune -o $(FILES_AND_FOLDERS))) pom.xml

help: ## Shows this
	@echo "Forebay: datasets where the GPUs are. Targets:"
	@sed -n 's/^\([a-z][a-z-]*\):.*## /  \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'
	@echo "Needs Linux, JDK 25, Python 3.11, Go for what the first start obtains, and root or fusermount3 for the mounts."

demo: prepared ## Runs the main job from beginning to end and shows the figures; KEEP=1 leaves it running
	@$(PYTHON) sdk-python-shim/examples/demo.py

# Makes everything that a stack needs and lacks in parallel: programs, Python environment, servers. Each item has its
# usual duration in seconds. The program runs from its source, because nothing is built yet.
prepared:
	@$(JAVA_HOME)/bin/java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dterminal=$$([ ! -t 2 ] || echo true) \
	  runtime-cache/devstack/src/main/java/dev/forebay/devstack/tool/Prepare.java $(MAKE) \
	  "Forebay's programs=60=target/programs" "Python environment=25=$(VENV)/ready"

up: prepared target/aot ## Starts all of Forebay on this machine, and leaves it running
	@$(DEVSTACK) up

down: ## Stops what 'up' started, and what 'demo' left running
	@$(DEVSTACK) down
	@if [ -z "$$FOREBAY_DATA" ] && [ -d $(DEMO) ]; then $(DEVSTACK) down --data $(DEMO); fi

status: ## Shows all processes and their addresses
	@$(DEVSTACK) status

# Runs single test classes of a built tree, several in parallel.
SUITE := $(JAVA_HOME)/bin/java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
           -cp 'runtime-cache/suite/target/classes:runtime-cache/devstack/target/classes:runtime-cache/suite/target/lib/*' dev.forebay.suite.Main
QUICK_JOBS := --job 'format=$(MVN) -q com.diffplug.spotless:spotless-maven-plugin:check' \
              --job 'advisories=$(MAKE) --no-print-directory test-advisories' \
              --job 'faults=python3 runtime-cache/suite/faults.py --list' \
              --job 'prose=python3 runtime-cache/suite/prose.py' \
              --job 'prose-tests=python3 -B runtime-cache/suite/test_prose.py'
# TESTS= selects classes and leaves out all jobs.
JOBS := $(QUICK_JOBS) \
        --job 'python=$(MAKE) --no-print-directory test-package' \
        --job 'integrations=$(MAKE) --no-print-directory test-integrations' \
        --job 'docs=$(MAKE) --no-print-directory test-docs' \
        --job 'platform=$(MAKE) --no-print-directory test-platform'

test: target/built obtained target/aot $(VENV)/ready $(INTEGRATIONS)/ready $(DOCS)/ready ## Runs the whole suite on real servers; TESTS='ChunkStoreTest,WorkerIT#reads.*' for some of it (25 minutes on two cores)
	@FOREBAY_AOT_MODE=on $(SUITE) --without-second-compiler $(if $(STRICT),--strict) $(if $(TESTS),--tests '$(TESTS)',$(JOBS))

# A test that waited for a Go build would take too long and would slow down other tests.
obtained: target/programs
	@$(DEVSTACK) obtain --tests > target/obtained.txt

test-times: ## Records the times of the last whole run of 'make test' for the next developer
	@cp target/suite/times.tsv runtime-cache/suite/times.tsv

check: target/built $(VENV)/ready ## Checks format, style, types, and the unit tests of what changed since they passed (4 minutes at most)
	@$(SUITE) --without-second-compiler --parts unit --changed --slots 4 $(QUICK_JOBS) \
	  --job 'python=$(MAKE) --no-print-directory target/python-checked test-remedies'

# Reads the bills of materials that the build of the programs writes.
test-advisories:
	@$(JAVA_HOME)/bin/java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
	  -cp "helm/images/target/classes:$$(cat helm/images/target/test.classpath)" dev.forebay.images.AdvisoryCheck .

# Like modules, Python tests that passed run again only after a change.
PYTHON_FILES := $(shell find sdk-python-shim \( -name '.*' -o -name __pycache__ \) -prune -o -print)
target/python-checked: $(PYTHON_FILES) $(VENV)/ready
	@$(MAKE) --no-print-directory test-package
	@touch $@

# The only tests of the package that read other files: the commands in messages of the Java code must exist.
test-remedies: $(VENV)/ready
	@cd sdk-python-shim && ../$(PYTHON) -m pytest -q tests/unit/test_remedies.py

test-package: $(VENV)/ready
	@echo "== Python: format, style, types, unit tests"
	cd sdk-python-shim && ../$(PYTHON) -m ruff format --check . && ../$(PYTHON) -m ruff check . && \
	  ../$(PYTHON) -m mypy && ../$(PYTHON) -m pytest -q tests/unit

# Runs on a stack of its own with the built programs.
test-platform: $(VENV)/ready
	@echo "== Python: the package against a running platform"
	FOREBAY_PLATFORM_REQUIRED=1 $(DEVSTACK) run --region us-east-1 -- \
	  $(PYTHON) -m pytest -q sdk-python-shim/tests/platform

test-integrations: $(INTEGRATIONS)/ready ## Runs the Python package inside Airflow, Kubeflow Pipelines and a notebook (1 minute)
	@echo "== Python: steps of pipelines, in the packages that they plug into"
	cd sdk-python-shim && ../$(INTEGRATIONS)/bin/python -m pytest -q tests/integrations -o filterwarnings=default

# Runs on a stack of its own with the built programs, like test-platform.
test-frameworks: target/built $(FRAMEWORKS)/ready ## Trains with JAX, and with PyTorch if it is in target/venv-frameworks, on a version that a platform mounts (needs root; 2 minutes)
	@echo "== Python: the examples for frameworks against a running platform"
	FOREBAY_PLATFORM_REQUIRED=1 $(DEVSTACK) run --region us-east-1 -- \
	  $(FRAMEWORKS)/bin/python -m pytest -q -p no:cacheprovider sdk-python-shim/tests/frameworks

test-faults: target/built $(VENV)/ready ## Puts deliberate faults into a copy of the code and runs the tests that must catch them; FAULTS=name,... for some, SEED=n runs the whole suite against three (less than an hour; with SEED up to 80 minutes)
	@python3 runtime-cache/suite/faults.py --faults '$(FAULTS)' $(if $(SEED),--whole $(SEED))

# pom.xml lists the packages. The goal runs in all modules, and finds nothing to do in most.
test-mutants: ## Changes the code of pure packages with PIT and fails if unit tests notice less than 80 % of that in a module (30 minutes)
	$(NOT_BESIDE_TESTS)
	$(MVN) -q -pl runtime-cache/core,runtime-cache/fuse,workflows,activities -am test-compile \
	  org.pitest:pitest-maven:mutationCoverage
	@python3 runtime-cache/suite/mutants.py

test-kube: target/built target/aot ## Runs all tests on a real Kubernetes API server, with Jobs, Kueue and Datasets, while the server is killed (20 minutes; the first time it builds Kubernetes and Kueue: 15 more)
	@$(SUITE) --parts kube --slots 1 --limit 900

# Packaging writes new jars, so the AOT caches beside them become invalid.
images: ## Makes the chart's images, without a container engine, and lists their contents (3 minutes; needs apt with Debian 12)
	$(NOT_BESIDE_TESTS)
	@echo "== Building the programs, and listing their libraries"
	@rm -rf target/aot $(FUSE_LIBRARIES) helm/images/target/lib
	@$(MVN) -q -pl activities,runtime-cache/worker,runtime-cache/fuse,helm/images -am package -DskipTests
	@echo "== Making images below target/images"
	@$(JAVA_HOME)/bin/java -Xmx512m -cp 'helm/images/target/*:helm/images/target/lib/*' \
	  dev.forebay.images.Images . target/images

test-images: target/built images ## Unpacks and starts the images, and makes them once more to compare (needs root; 5 minutes)
	@$(SUITE) --parts container --slots 1 --limit 900

test-long: target/built target/aot ## Kills pods 200 times, compares ten million reads under faults of all kinds, flips 10,000 bits (needs root; more than an hour, with the machine to itself)
	@$(SUITE) --parts unit,lincheck,integration --slots 1 --limit 7200 \
	  --tests '*ScrubberTest,StrictReadsTest,*KillTest,*LincheckTest,ManifestWriterTest,ErofsMountIT,*TakeoverFuseIT,SuccessionFuseIT,ViewChangesFuseIT' \
	  -Dforebay.kills=200 -Dforebay.changes=300 -Dforebay.flips=10000 -Dforebay.lincheck.scenarios=100 \
	  -Dforebay.reader.pause=0 -Dforebay.manifest.versions=600 -Dforebay.folder.files=1000000
	@$(SUITE) --parts integration --slots 1 --limit 7200 --tests 'ReferenceModel*IT' \
	  -Dforebay.model.reads=2500000 -Dforebay.model.events=60 -Dforebay.model.pause=0

test-chaos: target/built target/aot ## Kills the processes of a running platform for ROUNDS=20, also during fills and with wrong clocks, and fails if anything is lost; KINDS=6 of process, SEED=n repeats a run (needs root)
	@$(SUITE) --parts integration,long --slots 1 --limit 7200 \
	  --tests CrashRoundIT,RegionCrashIT,ControlPlaneCrashIT,ClocksBehindIT,LongRunIT \
	  -Dforebay.chaos.rounds=$(or $(ROUNDS),20) -Dforebay.chaos.kinds=$(or $(KINDS),6) $(if $(SEED),-Dforebay.seed=$(SEED))

soak: target/built target/aot ## Reads two mounts for MINUTES=30 and fails if memory, descriptors or threads of any process grow (needs root)
	@$(SUITE) --parts integration --slots 1 --limit 7200 --tests SoakIT -Dforebay.soak.minutes=$(or $(MINUTES),30)

bench: target/benchmarks ## Compares reads with other systems on the same files; CASES=warm_seq,cold for some (needs root; less than an hour, 65 GB)
	@$(JAVA_HOME)/bin/java -Xmx1g --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.Benchmarks "$(CASES)" $(if $(QUICK),quick)

bench-away: target/benchmarks ## Compares cold reads from a distant lake, with RTT=30 milliseconds and MBPS=60 MB/s for each connection (needs root; some 10 minutes, 40 GB)
	@$(JAVA_HOME)/bin/java -Xmx1g --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.AwayBenchmark $(or $(RTT),30) $(or $(MBPS),60) "$(CASES)"

bench-tls: target/benchmarks ## Compares a worker that speaks TLS with one that does not (about 2 minutes)
	@$(JAVA_HOME)/bin/java -Xmx512m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.TlsBenchmark runtime-cache/worker/target/quarkus-app/quarkus-run.jar

# Prints the lines that BenchOutput marks. The classes share the machine, so they run one after the other. They are
# tests, which fail if a figure is far from all earlier ones.
BENCH_WORKER := SlowWorkersIT ColdReadIT CrowdIT ReadCostIT CoverageCostIT
comma := ,
space := $(subst ,, )
bench-worker: target/built target/aot ## Measures reads from slow workers, cold reads, many readers, CPU time, and coverage (some minutes)
	@mkdir -p target/bench
	@echo "[bench] $$(date -u +%F), $$(nproc) cores, load average before $$(cut -d" " -f1-3 /proc/loadavg)" > target/bench/worker.log
	@$(SUITE) --parts integration --slots 1 --limit 7200 --tests $(subst $(space),$(comma),$(BENCH_WORKER)) \
	  -Dforebay.read-cost.rounds=3 -Dforebay.coverage-cost.objects=1000000 \
	  -Dforebay.first-bytes.attempts=3 -Dforebay.crowd.readers=1000
	@cat $(BENCH_WORKER:%=target/suite/logs/dev.forebay.worker.%.log) >> target/bench/worker.log
	@sed -n "s/^\[bench\] //p" target/bench/worker.log | tee target/bench/worker.txt

# Keeps all compiler threads, because the time of ended threads is not counted.
bench-start: target/benchmarks target/aot ## Measures starts of all programs and a worker's first GB without and with AOT caches (needs root; 5 minutes)
	@for mode in off on; do FOREBAY_AOT_MODE=$$mode JAVA_TOOL_OPTIONS=-XX:-UseDynamicNumberOfCompilerThreads \
	  $(JAVA_HOME)/bin/java -Xmx512m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.StartBenchmark || exit 1; done

bench-image: target/benchmarks ## Measures images of OBJECTS=1000000 files, IN_A_FOLDER=1000 (needs root)
	@$(JAVA_HOME)/bin/java -Xmx64m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.ImageBenchmark $(or $(OBJECTS),1000000) $(or $(IN_A_FOLDER),1000)

bench-pod: target/benchmarks ## Measures a pod that shows OBJECTS=1000000 files, IN_A_FOLDER=1000 (needs root)
	@$(JAVA_HOME)/bin/java -Xmx256m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.PodScaleBenchmark $(or $(OBJECTS),1000000) $(or $(IN_A_FOLDER),1000)

bench-restart: target/benchmarks ## Measures the start of a worker's store of CHUNKS=5000000 files (needs root)
	@$(JAVA_HOME)/bin/java -Xmx512m -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.RestartBenchmark $(or $(CHUNKS),5000000)

bench-ingest: target/benchmarks ## Lists OBJECTS=1000000 on an S3 server, and COMPUTED=10000000 of a stub, into manifests (some GB of disk)
	@$(JAVA_HOME)/bin/java -Xmx192m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.IngestBenchmark $(or $(OBJECTS),1000000) $(or $(COMPUTED),10000000)

bench-lifecycle: target/benchmarks ## Measures the time of 'ensure', compared with Temporal and s5cmd (needs root; QUICK=1 for one small round)
	@$(JAVA_HOME)/bin/java -Xmx1g --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.LifecycleBenchmark $(if $(QUICK),quick)

bench-versions: target/benchmarks ## Measures the memory and disk that each of VERSIONS=2000 takes in the control plane (needs root)
	@$(JAVA_HOME)/bin/java -Xmx512m --enable-native-access=ALL-UNNAMED \
	  -cp 'runtime-cache/benchmarks/target/*:runtime-cache/benchmarks/target/lib/*' \
	  dev.forebay.benchmarks.VersionsBenchmark $(or $(VERSIONS),2000)

# The REST reference comes from the OpenAPI document that the build of the control plane writes.
docs: target/programs test-docs ## Builds the documentation as a site in target/site, and fails on a broken link (some seconds)

# The generator tells on each run of a later one that is not ready yet.
test-docs: $(DOCS)/ready
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build -f docs/site/mkdocs.yml

locks: ## Writes the hashes of the Python packages that sdk-python-shim/requirements-*.txt pin; needs uv
	@cd sdk-python-shim && for list in requirements-*.txt; do \
	  uv pip compile -q --upgrade --no-deps --generate-hashes --no-annotate --no-header --universal -o $${list%txt}lock $$list || exit 1; done

build: target/built ## Builds everything, and runs no tests

format: ## Formats the Java and Python sources
	$(MVN) -q com.diffplug.spotless:spotless-maven-plugin:apply
	@if [ -x $(VENV)/bin/ruff ]; then cd sdk-python-shim && ../$(VENV)/bin/ruff format . ; fi

# The part of Maven's output to show: the current module, compiler warnings, and everything from the first error on.
MAVEN_NEWS := -e '/^\[WARNING\] .*[.]java:/,/^\[INFO\]/p' -e '/^\[ERROR\]/,$$p' -e 's/^\[INFO\] Building \(Forebay[^0-9]*\) [0-9].*\(\[[0-9/]*\]\)$$/   \2 \1/p'

# The build copies libraries there, and those of an earlier build would stay.
FUSE_LIBRARIES := runtime-cache/fuse/target/forebay-fuse/lib

# Runs before anything that replaces programs or classes. Stops if tests run in this clone.
NOT_BESIDE_TESTS = @$(JAVA_HOME)/bin/java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
                     runtime-cache/suite/src/main/java/dev/forebay/suite/CloneLock.java

# The programs of a stack, without tests, so that a demo need not wait for those.
target/programs: $(PROGRAM_SOURCES)
	$(NOT_BESIDE_TESTS)
	@echo "== Building the programs; the first time Maven fetches libraries"
	@mkdir -p target && rm -rf $@ $(FUSE_LIBRARIES) runtime-cache/devstack/target/lib
	@{ $(MVN) -T 2 package -Dmaven.test.skip=true -pl runtime-cache/worker,runtime-cache/fuse,runtime-cache/devstack,activities -am \
	  && touch $@; } | sed -un $(MAVEN_NEWS); test -f $@

# Classes and tests of all modules. It does not package: an AOT cache is valid only for the jars of its training.
target/built: target/programs $(SOURCES)
	$(NOT_BESIDE_TESTS)
	@echo "== Building all modules and their tests; the first time Maven fetches libraries"
	@rm -rf $@ runtime-cache/suite/target/lib
	@{ $(MVN) -T 2 process-test-classes && touch $@; } | sed -un $(MAVEN_NEWS); test -f $@

aot: target/aot ## Trains the programs' AOT caches, if the programs have changed (1 minute)

target/aot: target/programs
	$(NOT_BESIDE_TESTS)
	@echo "== Training the programs' AOT caches, which halve what a start computes (about a minute)"
	@$(DEVSTACK) train && touch $@

target/benchmarks: target/built
	$(NOT_BESIDE_TESTS)
	@$(MVN) -q -pl runtime-cache/benchmarks -am package -DskipTests && touch $@

BUILD_LOCK := sdk-python-shim/requirements-build.lock
PACKAGE := $(BUILD_LOCK) sdk-python-shim/pyproject.toml

$(VENV)/ready: sdk-python-shim/requirements-dev.lock $(PACKAGE)
	$(call make-environment,$(VENV),$<)

$(INTEGRATIONS)/ready: sdk-python-shim/requirements-integrations.lock $(PACKAGE)
	$(call make-environment,$(INTEGRATIONS),$<)

$(DOCS)/ready: sdk-python-shim/requirements-docs.lock $(PACKAGE)
	$(call make-environment,$(DOCS),$<)

$(FRAMEWORKS)/ready: sdk-python-shim/requirements-frameworks.lock $(PACKAGE)
	$(call make-environment,$(FRAMEWORKS),$<)

# $(1): the directory; $(2): the list of packages with hashes. Build tools come first, because pip would otherwise
# download them again without hashes.
define make-environment
@echo "== Making the Python environment $(1)"
@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "Python 3.11 or later is needed as python3 (Debian: apt-get install python3)" >&2; exit 1; }
@rm -rf $(1)
@python3 -m venv $(1) || \
  { echo "python3 cannot make environments (Debian: apt-get install python3-venv)" >&2; exit 1; }
@$(1)/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r $(BUILD_LOCK)
@$(1)/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes --no-build-isolation -r $(2)
@$(1)/bin/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e sdk-python-shim
@touch $(1)/ready
endef
