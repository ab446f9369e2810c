# PieProf: build, check, demo. `make help` lists the targets.
BUILD ?= build
CC ?= gcc
CSTD := -std=gnu11
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPT := -O2 -g
CPPFLAGS += -D_GNU_SOURCE -Iinclude
SHIM_SRC := $(wildcard preload/*.c preload/*/*.c)
ANALYZER_SRC := $(wildcard analyzer/*.c analyzer/*/*.c)
SHIM_OBJ := $(SHIM_SRC:%.c=$(BUILD)/%.o)
ANALYZER_OBJ := $(ANALYZER_SRC:%.c=$(BUILD)/%.o)
DEPFLAGS = -MMD -MP

all: $(BUILD)/libpieprof.so $(BUILD)/pieprof-report

$(BUILD)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(OPT) $(WARN) $(CPPFLAGS) -Ipreload -fPIC -fvisibility=hidden -fno-omit-frame-pointer $(DEPFLAGS) -c $< -o $@

$(BUILD)/analyzer/%.o: analyzer/%.c
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(OPT) $(WARN) $(CPPFLAGS) -Ianalyzer $(DEPFLAGS) -c $< -o $@

$(BUILD)/libpieprof.so: $(SHIM_OBJ)
	$(CC) -shared -Wl,-z,defs -Wl,-z,now -Wl,--as-needed -o $@ $^

$(BUILD)/pieprof-report: $(ANALYZER_OBJ)
	$(CC) -o $@ $^ -ldw -lelf -ljansson -lz -lm -lstdc++

clean:
	rm -rf $(BUILD)

-include $(SHIM_OBJ:.o=.d) $(ANALYZER_OBJ:.o=.d)
.PHONY: all clean
