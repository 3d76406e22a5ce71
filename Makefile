# The short list of commands. Each does its own set-up, and reuses what is up to date.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell cat version.txt)
# Python has an environment for each Spark: `make test-wheel SPARK=4.0`.
SPARK ?= 4.2
VENV := .venv$(if $(filter 4.2,$(SPARK)),,-$(SPARK))
BIN := $(VENV)/bin
# The environment that makes the wheels, and their types of PySpark.
BUILD := .venv
# The build takes the jars of some Sparks out of their PySpark.
export TIDEGATE_PYTHON := $(abspath $(BUILD)/bin/python)
JAR := build/jars/.ready
OTHER_SPARKS := 4.0 4.1 4.3
OTHER_PROJECTS := $(foreach spark,$(OTHER_SPARKS),spark$(subst .,,$(spark)))
OTHER_JARS := build/jars/.others
# The environment of Spark 4.2 gets a wheel with the jar of Spark 4.2 alone: `make test` and the demos compile
# nothing else. The wheel in dist holds the jars of all Sparks.
WHEEL_NAME := tidegate-$(VERSION)-py3-none-any.whl
PACKAGE := dist/$(WHEEL_NAME)
WHEEL := $(if $(filter 4.2,$(SPARK)),build/wheel/$(WHEEL_NAME),$(PACKAGE))
STUBS := build/stubs/.ready
KAFKA_JARS := build/kafka
KAFKA := $(KAFKA_JARS)/.ready
DIRECT_FILES := build/direct-files/.ready
DIRECT_CLASS := jvm/spark/target/scala-2.13/test-classes/tidegate/DirectFiles.class
FLINK := build/flink/.ready
DBT := build/dbt/.ready
PYTEST_NEEDS := $(VENV)/.tools $(VENV)/.installed $(KAFKA) $(DIRECT_FILES)
BUILD_FILES := version.txt build.sbt $(wildcard project/*.scala project/*.sbt project/*.properties)
# Not the files about sources that the compiler writes: they have the same paths below target.
JVM_SOURCES := $(BUILD_FILES) $(shell find jvm -path '*/target' -prune -o -path '*/src/main/*' -type f -print)
PYTHON_SOURCES := $(shell find python/tidegate python/pytest_tidegate.py -type f \
  -not -path '*/jars/*' -not -path '*/__pycache__/*' -not -name _version.py)

RUFF_CONFIG := --config python/pyproject.toml
PYTHON := python tests docs/site examples
DEMO_ARGUMENTS ?=
BENCH_ARGUMENTS ?=
SPARK_SUITES_ARGUMENTS ?=
MINUTES ?= 60
KILL_EVERY ?= 5
SEED ?=

.PHONY: help
help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
	  awk -F ':.*## ' '{ printf "  make %-17s %s\n", $$1, $$2 }'

.PHONY: demo
demo: ## Count two million rows with Spark's watermark and with Tidegate's.
	@SBT_OPTS="$${SBT_OPTS:-} -Dtidegate.demo=true" $(MAKE) --no-print-directory -j 2 $(JAR) $(STUBS)
	@$(MAKE) --no-print-directory $(VENV)/.installed
	$(BIN)/python -m tidegate demo $(DEMO_ARGUMENTS)

.PHONY: demo-kafka
demo-kafka: $(VENV)/.installed $(KAFKA) ## Show the partitions of a topic live, on a broker of its own.
	@$(BIN)/python -m tidegate demo-kafka --jars $(KAFKA_JARS) $(DEMO_ARGUMENTS)

.PHONY: demo-adopt
demo-adopt: $(VENV)/.installed $(KAFKA) ## Kill an ordinary job, adopt its checkpoint, and check every window.
	@$(BIN)/python -m tidegate demo-adopt --jars $(KAFKA_JARS) $(DEMO_ARGUMENTS)

.PHONY: first-minute
first-minute: $(PACKAGE) ## Measure, in an empty environment, the time to the first result of README.
	@$(BIN)/python tests/first_minute.py $(PACKAGE)

.PHONY: test
test: ## Run all tests on Spark 4.2: JVM, Python without a JVM, docstrings, the wheel, Spark Connect, a cluster, Delta, Kafka, examples.
	@$(MAKE) --no-print-directory -j 2 compiled $(VENV)/.tools $(STUBS)
	@$(MAKE) --no-print-directory $(PYTEST_NEEDS)
	@$(MAKE) --no-print-directory -k -j 2 test-jvm test-python LANES=1

.PHONY: test-spark-4.0 test-spark-4.1
test-spark-4.0: ## Run the tests of the JVM on Spark 4.0.
	./sbt spark40/test
test-spark-4.1: ## Run the tests of the JVM on Spark 4.1.
	./sbt spark41/test

# Spark's launcher opens these on Java 17 and later.
OPENED := lang lang.invoke lang.reflect io net nio util util.concurrent util.concurrent.atomic
OPENED_OF_SUN := nio.ch nio.cs security.action util.calendar
OPENS := $(OPENED:%=--add-opens=java.base/java.%=ALL-UNNAMED) $(OPENED_OF_SUN:%=--add-opens=java.base/sun.%=ALL-UNNAMED)
REPOSITORY := $(HOME)/.m2/repository
DEVELOPER := A Tester <tester@example.org>
.PHONY: test-publish
test-publish: package $(VENV)/.tools ## Check the packages, publish the jars locally, run jobs of sbt, Maven and --packages.
	./sbt -Dtidegate.developer="$(DEVELOPER)" $(OF_SBT) $(OTHER_PROJECTS:%=%/mimaReportBinaryIssues) \
	  spark/mimaReportBinaryIssues spark/publishLocal spark/publishM2 $(OTHER_PROJECTS:%=%/publishM2)
	$(take-scaladoc)
	$(BIN)/python -m twine check --strict dist/*.whl dist/*.tar.gz
	rm -rf build/of-sdist
	$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w build/of-sdist dist/*.tar.gz
	$(BIN)/python tests/consumers/check_published.py $(VERSION) "$(DEVELOPER)" $(REPOSITORY) build/of-sdist
	cd tests/consumers/sbt && ../../../sbt -Dtidegate.version=$(VERSION) run | tee ../../../build/consumer.txt
	grep "windows: 1" build/consumer.txt
	MAVEN_OPTS="$(OPENS)" mvn -q -f tests/consumers/maven -Dtidegate.version=$(VERSION) \
	  compile exec:java -Dexec.mainClass=Consumer | tee build/consumer.txt
	grep "windows: 1" build/consumer.txt
	rm -rf build/ivy
	PYSPARK_PYTHON=$(abspath $(BIN)/python) $(BIN)/spark-submit --master "local[1]" \
	  --packages io.tidegate:tidegate-spark-4.2_2.13:$(VERSION) --conf spark.jars.ivy=$(abspath build/ivy) \
	  --conf spark.sql.extensions=tidegate.TidegateExtensions --conf spark.sql.shuffle.partitions=1 \
	  --conf spark.ui.enabled=false tests/consumers/packages/consumer.py | tee build/consumer.txt
	grep "windows: 1" build/consumer.txt

# What both use is made before. One start of sbt does all of its part.
GOLDEN := "spark/testOnly tidegate.golden.*"
.PHONY: test-others
test-others: $(PACKAGE) $(PYTEST_NEEDS) ## After `make test`: compile for the other Sparks, the tests for 4.0; then test-smoke, and beside it test-golden, test-publish and docs.
	@$(MAKE) --no-print-directory -k -j 2 -O test-smoke test-by-sbt

.PHONY: test-by-sbt
test-by-sbt:
	@$(MAKE) --no-print-directory test-publish OF_SBT='$(GOLDEN) spark40/Test/compile'
	@$(MAKE) --no-print-directory docs

.PHONY: test-mima
test-mima: ## Test that a change of the public API of Scala or Java that breaks jars is reported.
	tests/mima/check

# These need the jars of more than one Spark.
OTHER_SPARK_TESTS := tests/test_other_spark.py
# One query of each kind, and a restart.
SMOKE := tests/test_keyed_watermark.py tests/test_stream_join.py tests/test_order.py tests/test_sql_statements.py \
  tests/test_operators.py::test_sliding_window_when_a_substream_lags_then_counts_as_in_batch \
  tests/test_operators.py::test_drop_duplicates_by_the_start_of_a_window_when_it_is_closed_then_keys_leave \
  'tests/test_sql_functions.py::test_stream_table_and_spark_agree[hop]' tests/test_event_time_tab.py tests/test_testing.py
.PHONY: test-smoke
test-smoke: $(PACKAGE) $(PYTEST_NEEDS) ## Run a few end-to-end tests on every other Spark: watermarks, joins, sliding windows, order, SQL, restarts; and with a wrong jar.
	@echo "== pytest, the jars of other Sparks"; $(BIN)/python -m pytest -q $(OTHER_SPARK_TESTS)
	@for spark in $(OTHER_SPARKS); do $(MAKE) --no-print-directory smoke SPARK=$$spark; done

.PHONY: smoke
smoke: $(VENV)/.tools $(VENV)/.installed $(DIRECT_FILES)
	@echo "== pytest, smoke on Spark $(SPARK)"; $(BIN)/python -m pytest -q $(SMOKE)

.PHONY: test-wheel
test-wheel: test-python ## Run the Python tests on another Spark: make test-wheel SPARK=4.0 (or 4.1, 4.3).

# Each file is a process with the jars of one library, and a Spark has those that there are for it.
BESIDE_4.0 := delta iceberg lakes messages sedona
BESIDE_4.1 := delta iceberg lakes messages
BESIDE_4.2 := delta messages openlineage
BESIDE := build/beside/$(SPARK)/.ready
.PHONY: test-beside
test-beside: ## Run other libraries beside Tidegate, on the Sparks that they are for.
	@for spark in 4.0 4.1 4.2; do $(MAKE) --no-print-directory beside SPARK=$$spark; done

.PHONY: beside
beside: $(VENV)/.tools $(VENV)/.installed $(DIRECT_FILES) $(BESIDE)
	@for name in $(BESIDE_$(SPARK)); do \
	  echo "== pytest, $$name beside Tidegate on Spark $(SPARK)"; \
	  $(BIN)/python -m pytest -q tests/beside/test_beside_$$name.py; \
	done

.PHONY: test-quick
test-quick: $(VENV)/.tools ## Run the tests that start no stream: the core, the pure clock, units, SQL parsing.
	./sbt testQuickly
	@$(MAKE) --no-print-directory test-quick-python

FAULTS := tidegate.faults.* tidegate.golden.* *.KafkaKillSuite

.PHONY: test-golden
test-golden: ## Continue golden checkpoints.
	./sbt $(GOLDEN)

.PHONY: test-faults
test-faults: ## Kills at every moment, replays, golden checkpoints, hostile input.
	./sbt "spark/testOnly $(FAULTS)"

.PHONY: test-nightly
test-nightly: test-others test-random test-stores test-python-at-night test-spark-suites test-sparks test-beside test-docs test-mima ## All that takes hours: test-others, test-random, test-stores, test-python-at-night, test-spark-suites, test-sparks, test-beside, test-docs, test-mima.

.PHONY: test-random
test-random: ## As test-faults, with ten times as much, and 200,000 simulated queries.
	./sbt -Dtidegate.seeds=200000 -Dtidegate.kills=20 -Dtidegate.cases=50 \
	  "core/testOnly *.SimulatorSuite" \
	  "spark/testOnly $(FAULTS) *Properties *RestartSuite *ChainSuite *.ReplaceWatermarksSuite *.QuietBatchesSuite"

.PHONY: test-stores
test-stores: ## Run the tests of the JVM, many with every kind of files in which Spark keeps a state, and all of those on Spark's join.
	./sbt -Dtidegate.stores=all spark/test

.PHONY: test-sparks
test-sparks: test-spark-4.0 test-spark-4.1 ## Run all tests on every other Spark: those of the JVM, and of Python.
	@for spark in $(OTHER_SPARKS); do $(MAKE) --no-print-directory test-wheel SPARK=$$spark; done

.PHONY: test-spark-suites
test-spark-suites: ## Run Spark's own streaming suites with Tidegate (see jvm/spark-suites/README.md).
	./sbt sparkSuites/scalafmtCheckAll "sparkSuites/scalafixAll --check" sparkSuites/test \
	  "sparkSuites/run $(SPARK_SUITES_ARGUMENTS)"

.PHONY: lint
lint: $(VENV)/.tools $(VENV)/.docs $(STUBS) ## Check formats, lints and types; warnings are errors.
	./sbt scalafmtCheckAll "scalafixAll --check" compile Test/compile
	$(BIN)/ruff check $(RUFF_CONFIG) $(PYTHON)
	$(BIN)/ruff format --check $(RUFF_CONFIG) $(PYTHON)
	PYTHONPATH=build/stubs $(BIN)/mypy --config-file python/pyproject.toml
	$(BIN)/python tests/check_types.py

.PHONY: format
format: $(VENV)/.tools ## Format and fix all sources.
	./sbt scalafixAll scalafmtAll
	$(BIN)/ruff check --fix $(RUFF_CONFIG) $(PYTHON)
	$(BIN)/ruff format $(RUFF_CONFIG) $(PYTHON)

.PHONY: soak
soak: $(VENV)/.tools $(VENV)/.installed $(KAFKA) ## Kill queries on Kafka for MINUTES=60, verify each row, and draw what grows.
	@PYTHONPATH=tests $(BIN)/python -m soak --jars $(KAFKA_JARS) --output build/soak \
	  --minutes $(MINUTES) --kill-every $(KILL_EVERY) $(if $(SEED),--seed $(SEED))

.PHONY: bench bench-core bench-watermark bench-join bench-sql bench-hop bench-order bench-async bench-page bench-snapshot \
  bench-files bench-held bench-nexmark
bench: ## Run all benchmarks that need neither Flink nor Kafka (see jvm/bench/README.md).
	@$(MAKE) --no-print-directory bench-core bench-watermark bench-join bench-sql bench-hop bench-order bench-async \
	  bench-snapshot bench-files bench-held bench-page bench-nexmark
bench-core: ## Run the benchmarks of the pure core.
	./sbt "bench/Jmh/run CoalescerBenchmark"
bench-watermark: ## Run keyed watermarks against Spark's own.
	./sbt "bench/runMain tidegate.bench.watermark.WatermarkBenchmark"
bench-join: ## Run an interval join over keyed watermarks against Spark's own.
	./sbt "bench/runMain tidegate.bench.join.JoinBenchmark $(BENCH_ARGUMENTS)"
bench-sql: ## Analyze statements with and without the extension.
	./sbt "bench/runMain tidegate.bench.sql.AnalysisOverhead"
bench-hop: ## Run sliding windows over keyed watermarks against Spark's own.
	./sbt "bench/runMain tidegate.bench.hop.HopBenchmark $(BENCH_ARGUMENTS)"
bench-order: ## Run event-time order against foreachBatch with a buffer of one's own.
	./sbt "bench/runMain tidegate.bench.order.OrderBenchmark $(BENCH_ARGUMENTS)"
bench-async: $(PYTEST_NEEDS) ## Run asynchronous calls against mapInPandas with a thread pool.
	PYTHONPATH=tests PYSPARK_PYTHON=$(BIN)/python $(BIN)/python tests/bench/map_async.py $(BENCH_ARGUMENTS)

bench-nexmark: $(PYTEST_NEEDS) ## Run the queries of Nexmark, compare their rows with batch, and measure, beside Spark where it has them.
	PYTHONPATH=tests PYSPARK_PYTHON=$(BIN)/python $(BIN)/python -m nexmark $(BENCH_ARGUMENTS)

bench-snapshot: ## Run batches beside exports of snapshots, and alone.
	./sbt "bench/runMain tidegate.bench.snapshot.SnapshotBenchmark $(BENCH_ARGUMENTS)"
bench-files: ## Run small batches with checkpoint files of Hadoop's class, and of LocalFiles.
	./sbt "bench/runMain tidegate.bench.files.LocalFilesBenchmark"

bench-held: ## Run small batches over states that hold few keys, and many.
	./sbt "bench/runMain tidegate.bench.held.HeldBenchmark $(BENCH_ARGUMENTS)"

bench-page: ## Run batches while somebody looks at the page of the query, and while nobody does.
	./sbt "bench/runMain tidegate.bench.page.PageBenchmark"

.PHONY: bench-latency
bench-latency: $(PYTEST_NEEDS) $(FLINK) ## Run Spark, Tidegate and Flink on Kafka: from the row that closes a window to its result.
	PYTHONPATH=tests PYSPARK_PYTHON=$(BIN)/python $(BIN)/python tests/bench/latency.py $(BENCH_ARGUMENTS)

.PHONY: bench-async-flink
bench-async-flink: $(FLINK) ## Run them against Flink's too, which Maven brings.
	@$(MAKE) --no-print-directory bench-async BENCH_ARGUMENTS="--flink $(<D) $(BENCH_ARGUMENTS)"

.PHONY: bench-nexmark-flink
bench-nexmark-flink: $(FLINK) ## Run the queries of Nexmark against Flink's too.
	@$(MAKE) --no-print-directory bench-nexmark BENCH_ARGUMENTS="--side all --flink $(<D) $(BENCH_ARGUMENTS)"

.PHONY: bench-held-flink
bench-held-flink: $(FLINK) ## Run small batches over states against Flink's too.
	@$(MAKE) --no-print-directory bench-held BENCH_ARGUMENTS="--flink $(<D) $(BENCH_ARGUMENTS)"

.PHONY: bench-join-flink
bench-join-flink: $(FLINK) ## Run the interval join over equal lags against Flink's too.
	@$(MAKE) --no-print-directory bench-join BENCH_ARGUMENTS="equal --flink $(<D) $(BENCH_ARGUMENTS)"

# Not with --quiet: then MkDocs would count no warnings, and broken links would pass.
.PHONY: docs
docs: $(VENV)/.docs build/scaladoc/.ready ## Build the site of the documentation into build/site, and check its links.
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

.PHONY: test-docs
test-docs: docs $(PYTEST_NEEDS) ## Test the built site, and the tab in Spark's UI, also in a browser.
	$(BIN)/python -m pytest -q --confcutdir tests/docs tests/docs
	$(BIN)/python -m pytest -q --confcutdir tests/ui tests/ui

.PHONY: package
package: $(PACKAGE) ## Build the jars, one for each Spark, and the wheel that holds them, into dist/.
	cp $(call jars,*) dist/
	@ls -l dist

.PHONY: clean
clean: ## Remove everything that was built; the virtual environment and .tools stay.
	rm -rf dist build demo-output $(wildcard jvm/*/target) target project/target project/project
	rm -rf $(VENV)/.installed python/tidegate/jars python/LICENSE python/NOTICE python/tidegate/_version.py
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One start of sbt compiles and packs. Assembly leaves an equal jar alone, so its time is set here.
.PHONY: compiled
compiled: | $(BUILD)/.build
	./sbt "all core/Test/compile spark/Test/compile spark/assembly spark/sourceJars"
	@touch $(JAR) $(KAFKA)

.PHONY: test-jvm
test-jvm:
	./sbt "all core/test spark/test"

.PHONY: suite-seconds
suite-seconds: ## After tests of the JVM: note how long each suite took, so that `make test` divides them well.
	./sbt spark/suiteSeconds

# How many suites at a time, the longest first: `make test` runs them one by one beside the two JVMs of `test-jvm`,
# which keeps both processors busy. `make pytest-connect` runs one of them alone.
LANES ?= 2
# Beside other output, that of a suite comes as a whole.
SHOW := $(if $(filter 1,$(LANES)),$(BIN)/python -c 'import sys; print(sys.stdin.read())',cat)
SUITES := kafka installed-wheel sql examples connect cluster delta docstrings unit
ifneq ($(SPARK),4.2)
# The build brings the connector to Kafka, and Delta, for Spark 4.2.
SUITES := $(filter-out kafka delta,$(SUITES))
endif
SQL_TESTS := $(sort $(wildcard tests/test_sql_*.py tests/test_*refusals.py) tests/test_documents.py)
PYTEST_unit := python/unit
PYTEST_docstrings := --doctest-modules python/tidegate
PYTEST_sql := $(SQL_TESTS)
PYTEST_installed-wheel := $(filter-out $(SQL_TESTS) $(OTHER_SPARK_TESTS),$(wildcard tests/test_*.py)) tests/soak
$(foreach suite,connect cluster delta kafka examples tools,$(eval PYTEST_$(suite) := tests/$(suite)))

# Some tests take long, and another one takes the same way: `make test-python-at-night` runs those.
TESTS := not at_night
AT_NIGHT := kafka installed-wheel examples connect cluster delta tools

.PHONY: test-python-at-night
test-python-at-night: $(DBT) ## Run the tests of Python that `make test` leaves out, as they take long.
	@$(MAKE) --no-print-directory test-python TESTS=at_night SUITES="$(AT_NIGHT)"

.PHONY: test-python
test-python: $(PYTEST_NEEDS)
	@failed=0; rm -f build/pytest-*.txt; \
	$(MAKE) --no-print-directory -k -j $(LANES) -O $(SUITES:%=pytest-%) || failed=1; \
	echo; \
	for name in $(SUITES); do \
	  printf '%-16s %s\n' "$$name" "$$(tail -n 1 "build/pytest-$$name.txt")"; \
	done; \
	exit $$failed

.PHONY: $(SUITES:%=pytest-%)
$(SUITES:%=pytest-%): pytest-%: $(PYTEST_NEEDS)
	@mkdir -p build
	@echo "== pytest, $*"; $(BIN)/python -m pytest -q -m "$(TESTS)" --durations=15 --durations-min=2 $(PYTEST_$*) 2>&1 | tee build/pytest-$*.txt | $(SHOW)

.PHONY: test-quick-python
test-quick-python: $(VENV)/.tools python/tidegate/_version.py
	$(BIN)/python -m pytest -q python/unit

# What the targets above stand on.

$(JAR): $(JVM_SOURCES)
	./sbt spark/assembly
	@touch $@

$(OTHER_JARS): $(JVM_SOURCES) | $(BUILD)/.build
	./sbt "all $(OTHER_PROJECTS:%=%/assembly)"
	@touch $@

# A Kafka broker, Spark's connector to it, and Delta, for tests and demos; `spark/test` brings
# them too.
$(KAFKA): $(BUILD_FILES) | $(JAR)
	./sbt spark/sourceJars
	@touch $@

# Without what they depend on: it is in Spark, or in the jars themselves.
$(BESIDE): tests/beside/jars.txt
	rm -rf $(@D)
	grep '^$(SPARK) ' $< | while read -r _ library jar; do \
	  mvn -q -B dependency:copy -Dartifact=$$jar -DoutputDirectory=$(abspath $(@D))/$$library < /dev/null; \
	done
	@touch $@

# Local files that start no processes, for the sessions of the tests: classes of the JVM's tests.
$(DIRECT_FILES): $(shell find jvm/spark/src/test -name DirectFiles.scala) | $(JAR)
	[ $(DIRECT_CLASS) -nt $< ] || ./sbt spark/Test/compile
	mkdir -p $(@D)/tidegate
	cp $(dir $(DIRECT_CLASS))Direct*.class $(@D)/tidegate/
	@touch $@

$(DBT): tests/tools/requirements-dbt.txt
	python3 -m venv $(@D)
	$(@D)/bin/python -m pip install -q --disable-pip-version-check -r $<
	@touch $@

$(FLINK): $(shell find jvm/bench/flink -type f)
	mvn -q -f jvm/bench/flink compile dependency:copy-dependencies -DincludeScope=runtime
	@touch $@

# version.txt at the top is the one place that holds the version.
python/tidegate/_version.py: version.txt
	printf '"""The version of the wheel, written by the build from version.txt."""\n\n__version__ = "%s"\n' \
	  "$(VERSION)" > $@

python/LICENSE python/NOTICE: python/%: %
	cp $< $@

# PySpark's types with Tidegate's methods, for the wheel and for lint.
$(STUBS): python/stubs.py python/tidegate/dataframe.py python/requirements-build.txt python/tidegate/_version.py \
    | $(BUILD)/.build
	$(BUILD)/bin/python python/stubs.py build/stubs
	@touch $@

# The jar of one Spark, or with `*` those of all.
jars = build/jars/tidegate-spark-$(1)_2.13-$(VERSION).jar
build/wheel/$(WHEEL_NAME): $(JAR)
$(PACKAGE): $(JAR) $(OTHER_JARS)
build/wheel/$(WHEEL_NAME) $(PACKAGE): $(PYTHON_SOURCES) version.txt python/pyproject.toml python/README.md \
    python/tidegate/_version.py python/LICENSE python/NOTICE $(STUBS) | $(BUILD)/.build
	rm -rf $(@D) python/tidegate/jars python/pyspark-stubs
	mkdir -p $(@D) python/tidegate/jars
	cp $(call jars,$(if $(filter dist/%,$@),*,4.2)) python/tidegate/jars
	cp -r $(dir $(STUBS))pyspark-stubs python/
	cd python && ../$(BUILD)/bin/python -m hatchling build -t wheel $(if $(filter dist/%,$@),-t sdist) -d ../$(@D)
	@touch $@

# What makes a wheel, and what the demo needs.
$(sort $(BUILD)/.build $(VENV)/.build): python/requirements-build.txt
	[ -x $(@D)/bin/python ] || python3 -m venv $(@D)
	$(@D)/bin/python -m pip install -q --disable-pip-version-check -r $< \
	  "pyspark~=$(or $(patsubst .venv-%,%,$(filter .venv-%,$(@D))),4.2).0"
	@touch $@

$(VENV)/.tools: python/requirements-dev.txt $(VENV)/.build
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $< "pyspark[connect]~=$(SPARK).0"
	@touch $@

$(VENV)/.docs: docs/requirements.txt | $(VENV)/.tools
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $<
	@touch $@

define take-scaladoc
rm -rf build/scaladoc
mkdir -p build/scaladoc
cp -r jvm/spark/target/scala-2.13/api/. build/scaladoc
@touch build/scaladoc/.ready
endef
build/scaladoc/.ready: $(JVM_SOURCES)
	./sbt spark/doc
	$(take-scaladoc)

# What the wheel depends on is there; an older wheel of this version is replaced.
$(VENV)/.installed: $(WHEEL) | $(VENV)/.build
	$(BIN)/python -m pip install -q --disable-pip-version-check --force-reinstall --no-deps $(WHEEL)
	@touch $@
