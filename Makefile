# clew: GNU make. `make` builds build/clew; `make check` runs every test; `make demo` shows it.
#
#   CONFIG=release|debug|asan|tsan   one build directory each; release is the default
#   WERROR=no                        warnings do not stop the build
#   CLEW_DEPS=no                     never install packages, only name what is missing

CONFIG  ?= release
BUILD   ?= build/$(CONFIG)
CC      ?= cc
WERROR  ?= yes

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wundef -Wpointer-arith -Wwrite-strings -Wformat=2
ifeq ($(WERROR),yes)
WARNINGS += -Werror
endif

CFLAGS_release := -O2 -g
CFLAGS_debug   := -O0 -g3 -DCLEW_DEBUG
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread

# -isystem for xxHash: its inline code is not ours to warn about.
CLEW_CFLAGS  = -std=c11 -D_GNU_SOURCE -Isrc -pthread $(WARNINGS) $(CFLAGS_$(CONFIG)) $(CFLAGS)
CLEW_LDFLAGS = -pthread $(CFLAGS_$(CONFIG)) -rdynamic $(LDFLAGS)
CLEW_LIBS    = -ldl -lm

SOURCES   := $(sort $(wildcard src/*/*.c src/*/*/*.c))
LIBRARY   := $(filter-out src/cli/main.c,$(SOURCES))
OBJECTS   := $(LIBRARY:%.c=$(BUILD)/%.o)
UNIT      := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BINS := $(UNIT:tests/unit/%.c=$(BUILD)/unit/%)

.PHONY: all check check-unit check-layers check-format check-models check-cli corpus demo deps \
        fuzz bench format man install clean
.DELETE_ON_ERROR:
.SECONDARY:

all: deps build/clew

ifeq ($(CONFIG),release)
build/clew: $(BUILD)/clew
	@ln -sf $(CONFIG)/clew $@
else
build/clew: $(BUILD)/clew
endif

deps:
	@scripts/deps build

$(BUILD)/clew: $(BUILD)/src/cli/main.o $(BUILD)/libclew.a
	$(CC) $(CLEW_LDFLAGS) -o $@ $^ $(CLEW_LIBS)

$(BUILD)/libclew.a: $(OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CLEW_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libclew.a
	@mkdir -p $(@D)
	$(CC) $(CLEW_CFLAGS) -Itests -MMD -MP -o $@ $< $(BUILD)/libclew.a $(CLEW_LDFLAGS) -lcmocka $(CLEW_LIBS)

check: deps
	@scripts/deps test
	+@tests/run-all $(BUILD)

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(BUILD)/src/cli/main.d $(UNIT_BINS:%=%.d)
