# Tests, benchmark, fuzzer, format and lint; included by the Makefile.
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/unit/%)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_SECONDS ?= 60
# cmocka 2 deprecates names of which cmocka 1 has no others.
TEST_FLAGS := -Wno-missing-prototypes -Wno-deprecated-declarations -Ipreload -Ianalyzer -Itests
SAN_SHIM_OBJ := $(if $(SAN),$(SHIM_SRC:%.c=$(BUILD)/sanitized/%.o),$(SHIM_OBJ))

$(BUILD)/sanitized/preload/%.o: preload/%.c | $(PROBED)
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(SAN_FLAGS) $(SHIM_FLAGS) -c $< -o $@

$(BUILD)/shim.a: $(SAN_SHIM_OBJ)
	@rm -f $@
	$(TELL) ar rcs $@ $^

$(BUILD)/plain.a: $(SHIM_OBJ)
	@rm -f $@
	$(TELL) ar rcs $@ $^

$(BUILD)/analyzer.a: $(ANALYZER_OBJ)
	@rm -f $@
	$(TELL) ar rcs $@ $^

# A test's first line may say what it is linked with: /* link: shim -lunwind */ or /* link: analyzer */. Archives
# come after libc, so that the functions the shim interposes stay the program's own unless the test asks for them.
# Not sanitized: under address and thread a test that holds the whole shim, for the runtime starts by looking up symbols,
# the loader then calls the shim's malloc, and the shadow memory that sanitized code reads is not there yet; under thread
# also the tests of signal handlers that interrupt the runtime itself, which crashes when its code is entered again there.
HANDLER_TESTS := test_native test_watch test_watch_life
holds_shim = $(findstring --whole-archive,$(call link_words,$(1)))
is_plain = $(or $(if $(filter address thread,$(SAN)),$(holds_shim)),$(if $(filter thread,$(SAN)),$(filter $(HANDLER_TESTS),$(basename $(notdir $(1))))))
link_words = $(shell sed -n '1s,^/\* link:\(.*\)\*/.*,\1,p' $(1))
link_flags = $(patsubst shim,$(if $(call is_plain,$(1)),$(BUILD)/plain.a,$(BUILD)/shim.a),$(patsubst analyzer,$(BUILD)/analyzer.a,$(call link_words,$(1))))

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/shim.a $(BUILD)/plain.a $(BUILD)/analyzer.a
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(if $(call is_plain,$<),,$(SAN_FLAGS)) $(TEST_FLAGS) -fno-lto -MF $@.d $< -o $@ -lcmocka -lc -Wl,--as-needed \
	    -Wl,--start-group $(or $(call link_flags,$<),$(BUILD)/shim.a $(BUILD)/analyzer.a) -Wl,--end-group \
	    $(ANALYZER_LIBS) -ldl -lpthread

# Debian's interpreter again, with its evaluation loop in libpython3.so.
$(BUILD)/python-shared: tests/tools/python_shared.c
	@mkdir -p $(@D)
	$(TELL) $(CC) $$($(PYTHON)-config --embed --cflags) $< -o $@ $$($(PYTHON)-config --embed --ldflags)

# Kernels of known redundancy, as they are and with every access announced to the counter (gcc/sanitizer.def has the calls).
TRUTH_FLAGS := -fPIC -fno-builtin -fno-tree-vectorize -fno-tree-loop-distribute-patterns -Itests/truth
TRUTH_SRC := $(wildcard tests/truth/kernels_*.c)
TRUTH_ANNOUNCED := $(filter-out %_object.c %_vector.c %_system.c,$(TRUTH_SRC))

$(BUILD)/truth/plain/%.o: tests/truth/%.c
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(TEST_FLAGS) $(TRUTH_FLAGS) -c $< -o $@

$(BUILD)/truth/counted/%.o: tests/truth/%.c
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(TEST_FLAGS) $(TRUTH_FLAGS) -DCOUNTED $(if $(filter $<,$(TRUTH_ANNOUNCED)),-fsanitize=thread) -c $< -o $@

$(BUILD)/truth/libplain.so: $(TRUTH_SRC:tests/truth/%.c=$(BUILD)/truth/plain/%.o)
	$(TELL) $(CC) -shared -Wl,-z,defs -o $@ $^

$(BUILD)/truth/libcounted.so: $(TRUTH_SRC:tests/truth/%.c=$(BUILD)/truth/counted/%.o) $(BUILD)/truth/counted/counter.o
	$(TELL) $(CC) -shared -Wl,-z,defs -o $@ $^

# The same, stepped through: for NumPy's and PyTorch's code, which nobody rebuilds here.
$(BUILD)/truth/stepped/%.o: tests/truth/%.c
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(TEST_FLAGS) $(TRUTH_FLAGS) -DCOUNTED -c $< -o $@

$(BUILD)/truth/libstepped.so: $(TRUTH_SRC:tests/truth/%.c=$(BUILD)/truth/stepped/%.o) $(BUILD)/truth/stepped/counter.o $(BUILD)/truth/stepped/stepper.o
	$(TELL) $(CC) -shared -Wl,-z,defs -o $@ $^ -lZydis

truth-built: $(BUILD)/truth/libplain.so $(BUILD)/truth/libcounted.so $(BUILD)/truth/libstepped.so

unit: $(UNIT_BIN)

standalone: $(FUZZ_SRC:tests/fuzz/fuzz_%.c=$(BUILD)/fuzz/standalone-%)

tests-built: all unit truth-built $(BUILD)/python-shared standalone

# CPythons that are newer than Debian's own.
PYTHONS := .pythons

pythons: venv
	@tests/tools/make-pythons $(VENV)/bin/python $(PYTHONS)

# Public packages, layered over .venv: those that `make check` tries, and the others of `make found`.
FOUND_VENV := .venv-found
FOUND_FEW := examples/found/check-requirements.txt
FOUND_OTHERS := examples/found/requirements.txt

found-few:
	@tests/tools/make-found-venv $(VENV) $(FOUND_VENV) $(FOUND_FEW)

found-all: found-few
	@tests/tools/make-found-venv $(VENV) $(FOUND_VENV) $(FOUND_OTHERS)

check: packages ## build and run every test; ends with "N passed, N failed, N skipped"
	@$(MAKE) --no-print-directory pythons || true
	@$(MAKE) --no-print-directory found-few || true
	@$(MAKE) --no-print-directory tests-built
	@PIEPROF_BUILD=$(abspath $(BUILD)) PIEPROF_PYTHON=$(PYTHON) PIEPROF_SAN=$(SAN) $(PYTHON) tests/run.py $(TESTS)

bench: packages ## time every example with and without the shim; writes tests/bench/README.md
	@$(MAKE) --no-print-directory all
	@$(PYTHON) tests/bench/bench.py --build $(BUILD) --python $(PYTHON) --write tests/bench/README.md $(BENCH)

study: packages ## compare the cost with other profilers' (STUDY=--quick: minutes); writes tests/bench/STUDY.md
	@$(MAKE) --no-print-directory all
	@tests/tools/make-study-venv $(PYTHON) $(BUILD)/study-venv || true
	@$(PYTHON) tests/bench/study.py --build $(BUILD) --python $(PYTHON) --write tests/bench/STUDY.md $(STUDY)

truth: packages ## measure kernels of known redundancy; writes tests/truth/README.md (TRUTH=--full: at full size, FULL.md)
	@$(MAKE) --no-print-directory all truth-built
	@$(PYTHON) tests/truth/truth.py --build $(BUILD) --python $(PYTHON) --write tests/truth/$(if $(filter --full,$(TRUTH)),FULL,README).md $(TRUTH)

coverage: packages ## how often the intervals cover the truth, in repeated runs; writes tests/truth/COVERAGE.md
	@$(MAKE) --no-print-directory all truth-built
	@rm -rf $(BUILD)/coverage
	@$(PYTHON) tests/truth/coverage.py --build $(BUILD) --python $(PYTHON) --directory $(BUILD)/coverage --write tests/truth/COVERAGE.md $(COVERAGE)

found: packages ## compare what is found in public packages with examples/found/expected.txt (FOUND=--recorded: in the last runs)
	@$(MAKE) --no-print-directory all venv
	@$(MAKE) --no-print-directory found-all
	@$(PYTHON) examples/found/found.py --build $(BUILD) --python $(FOUND_VENV)/bin/python $(FOUND)

zoo: packages ## profile and time the wasteful and fixed programs of examples/zoo; prints a table
	@$(MAKE) --no-print-directory all
	@$(PYTHON) tests/bench/zoo.py --build $(BUILD) --python $(PYTHON) $(ZOO)

gate: packages ## false alarms and misses of the gate, on recorded runs (GATE="--part pairs": a part); writes tests/bench/gate.md
	@$(MAKE) --no-print-directory all
	@$(PYTHON) tests/bench/gate.py --build $(BUILD) --python $(PYTHON) --write tests/bench/gate.md $(GATE)

# pointer-overflow: an empty text is NULL and 0 bytes, and NULL + 0 is NULL (C2y, N3322), which clang before 20 calls an error.
$(BUILD)/fuzz/%: tests/fuzz/%.c $(ANALYZER_SRC)
	@mkdir -p $(@D)
	clang $(CSTD) -O1 -g $(CPPFLAGS) $(TEST_FLAGS) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    -fno-sanitize=pointer-overflow \
	    $(filter-out analyzer/main.c,$(filter %.c,$^)) -o $@ $(ANALYZER_LIBS)

# The same entries without libFuzzer: they change the seeds at random. `make check` runs them for some seconds.
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_OBJ := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(filter-out analyzer/main.c,$(ANALYZER_SRC)) tests/fuzz/standalone.c)

$(BUILD)/fuzz/%.o: %.c | $(PROBED)
	@mkdir -p $(@D)
	$(TELL) $(CC) $(CSTD) $(CPPFLAGS) -MMD -MP -Ianalyzer $(FUZZ_FLAGS) -c $< -o $@

$(BUILD)/fuzz/standalone-%: $(BUILD)/fuzz/tests/fuzz/fuzz_%.o $(FUZZ_OBJ)
	$(TELL) $(CC) $(FUZZ_FLAGS) $^ -o $@ $(ANALYZER_LIBS)

-include $(FUZZ_OBJ:.o=.d)

fuzz: $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%) ## fuzz the reader, and what reads sources, for FUZZ_SECONDS each (default 60)
	@for target in $^; do \
	    mkdir -p $(BUILD)/fuzz/corpus-$$(basename $$target) && \
	    $$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 -artifact_prefix=$(BUILD)/fuzz/ \
	        $(BUILD)/fuzz/corpus-$$(basename $$target) $$(test $$(basename $$target) = fuzz_source && echo examples/zoo/*/ || echo tests/fuzz/corpus) || exit 1; \
	done

C_FILES = $(shell git ls-files -co --exclude-standard '*.c' '*.h')

format: ## lay out the C files by .clang-format
	@clang-format -i $(C_FILES)

# How far clang's analyzer goes through a function's paths: a third of its own limit, in a third of the time.
LINT_NODES ?= 75000
TIDY = xargs -n 4 -P $$(nproc) sh -c 'clang-tidy --quiet "$$@" -- $(CSTD) $(CPPFLAGS) $(1) -Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES)' tidy

lint: ## clang-format, clang-tidy and cppcheck; changes nothing
	@mkdir -p $(BUILD)
	@clang-format --dry-run $(C_FILES) 2>&1 | sed -n 's/^\([^:]*\):.*code should be.*/\1/p' | sort -u >$(BUILD)/unformatted
	@[ ! -s $(BUILD)/unformatted ] || { echo "not as .clang-format says (make format):" $$(cat $(BUILD)/unformatted); exit 1; }
	@echo $(filter preload/%.c,$(C_FILES)) | $(call TIDY,-Ipreload)
	@echo $(filter analyzer/%.c,$(C_FILES)) | $(call TIDY,-Ianalyzer)
	@cppcheck -q -j $$(nproc) --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability \
	    --suppress=missingIncludeSystem --suppress=shiftTooManyBitsSigned -D_GNU_SOURCE -D__x86_64__ \
	    -Iinclude -Ipreload -Ianalyzer $(filter preload/%.c analyzer/%.c,$(C_FILES))

-include $(UNIT_BIN:=.d) $(SAN_SHIM_OBJ:.o=.d) $(wildcard $(BUILD)/truth/*/*.d)
.PHONY: unit standalone truth-built tests-built check bench study truth coverage found found-few found-all zoo gate fuzz format lint
