# PieProf: build, check, demo. `make help` lists the targets.
SAN ?=
DEBUG ?=
BUILD ?= build$(if $(SAN),-$(SAN))$(if $(filter 1,$(DEBUG)),-debug)
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
ifeq ($(origin CC),default)
CC := gcc
endif
VENV := .venv

CSTD := -std=gnu11
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPT := $(if $(filter 1,$(DEBUG)),-O0 -g3,-O2 -g)
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer $(if $(filter undefined,$(SAN)),-fno-sanitize-recover=all) \
    $(if $(filter thread,$(SAN)),-Wno-tsan))
CPPFLAGS += -D_GNU_SOURCE -Iinclude
DEPFLAGS = -MMD -MP
# What is built is told in a line each; V=1 shows the commands.
V ?=
TELL = $(if $(filter 1,$(V)),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo "  $(@:$(BUILD)/%=%)";))
COMPILE = $(CC) $(CSTD) $(OPT) $(WARN) $(CPPFLAGS) $(DEPFLAGS)
SHIM_FLAGS := -Ipreload -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-omit-frame-pointer -ffunction-sections
# The library is optimized as a whole (preload/hot.h). Its objects can be linked without that, too, as the launcher and the tests do.
WHOLE := $(if $(filter 1,$(DEBUG)),,-flto=auto)
PARTS := $(if $(WHOLE),-flto -ffat-lto-objects)
ANALYZER_LIBS := -ldw -lelf -ljansson -lz -lm -lstdc++

LAUNCHER_SRC := $(wildcard preload/launcher/*.c)
SHIM_SRC := $(filter-out $(LAUNCHER_SRC),$(wildcard preload/*.c preload/*/*.c))
ANALYZER_SRC := $(wildcard analyzer/*.c analyzer/*/*.c)
SHIM_OBJ := $(SHIM_SRC:%.c=$(BUILD)/%.o)
# The launcher reads the variables as the shim does, by the same code.
LAUNCHER_OBJ := $(LAUNCHER_SRC:%.c=$(BUILD)/%.o) $(patsubst %,$(BUILD)/preload/%.o,config kernel run_name say)
ANALYZER_OBJ := $(ANALYZER_SRC:%.c=$(BUILD)/%.o)
PROBED := $(BUILD)/probed

all: $(BUILD)/libpieprof.so $(BUILD)/pieprof-report $(BUILD)/pieprof ## build the shim, the analyzer and the launcher

# The shim is a guest in other people's processes and runs in their signal handlers: it is never sanitized.
# Unit tests link its archive, which is.
$(BUILD)/preload/%.o: preload/%.c | $(PROBED)
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(SHIM_FLAGS) $(PARTS) -c $< -o $@

$(BUILD)/analyzer/%.o: analyzer/%.c | $(PROBED)
	@mkdir -p $(@D)
	$(TELL) $(COMPILE) $(SAN_FLAGS) -Ianalyzer -c $< -o $@

# The launcher is a program of its own, not a guest: built like the analyzer.
$(LAUNCHER_SRC:%.c=$(BUILD)/%.o): SHIM_FLAGS = $(SAN_FLAGS) -Ipreload
$(LAUNCHER_SRC:%.c=$(BUILD)/%.o): PARTS =

$(BUILD)/libpieprof.so: $(SHIM_OBJ)
	$(TELL) $(CC) $(OPT) $(WHOLE) -shared -Wl,-z,defs -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed -o $@ $^

$(BUILD)/pieprof-report: $(ANALYZER_OBJ)
	$(TELL) $(CC) $(SAN_FLAGS) -o $@ $^ $(ANALYZER_LIBS)

$(BUILD)/pieprof: $(LAUNCHER_OBJ)
	$(TELL) $(CC) $(SAN_FLAGS) -fno-lto -o $@ $^

$(PROBED):
	@tests/tools/probe $(CC) $@

include tests/tests.mk

packages:
	@tests/tools/install-packages

venv:
	@tests/tools/make-venv $(PYTHON) $(VENV)

deps: packages venv pythons ## install what the build, the tests and the demo need (Debian's apt-get, pip into .venv, newer CPythons into .pythons)

demo: packages ## profile a real PyTorch training run and show the report
	@$(MAKE) --no-print-directory all
	@PYTHON=$(PYTHON) BUILD=$(BUILD) tests/tools/demo

install: prefix = $(DESTDIR)$(PREFIX)
install: all ## install under PREFIX (default /usr/local); DESTDIR is honoured
	install -D -m 755 $(BUILD)/libpieprof.so "$(prefix)/lib/libpieprof.so"
	install -D -m 755 $(BUILD)/pieprof "$(prefix)/bin/pieprof"
	install -D -m 755 $(BUILD)/pieprof-report "$(prefix)/bin/pieprof-report"
	install -D -m 644 -t "$(prefix)/share/pieprof" python/pieprof_pytest.py
	install -D -m 644 -t "$(prefix)/share/pieprof/schema" tests/schema/*.json
	install -D -m 644 -t "$(prefix)/share/doc/pieprof" README.md LICENSE analyzer/REPORT.md analyzer/GATE.md preload/LIMITS.md include/pieprof/FORMAT.md
	install -D -m 644 -t "$(prefix)/include/pieprof" include/pieprof/db.h include/pieprof/db_drops.h include/pieprof/db_objects.h

clean: ## remove what was built (the virtual environment stays)
	rm -rf $(BUILD)

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{ printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "variables: SAN=address|undefined|thread  DEBUG=1  PREFIX=DIR  PYTHON=FILE  BUILD=DIR  TORCH_INDEX=URL"

-include $(SHIM_OBJ:.o=.d) $(ANALYZER_OBJ:.o=.d) $(LAUNCHER_OBJ:.o=.d)
.PHONY: all packages venv deps demo install clean help
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
