# clew: GNU make. `make` builds build/clew; `make check` runs every test; `make demo` shows it.
#
#   CONFIG=release|debug|asan|tsan   one build directory each; release is the default
#   WERROR=yes                       warnings stop the build, as they do in CI
#   V=1                              shows the commands
#   CLEW_DEPS=no                     never install packages, only name what is missing

CONFIG  ?= release
BUILD   ?= build/$(CONFIG)
CC      ?= cc
WERROR  ?= no
V       ?= 0

# In place of a command, a line says what is made.
ifeq ($(V),0)
say = @printf '  %-5s %s\n' $(1) $@;
endif

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wundef -Wpointer-arith -Wwrite-strings -Wformat=2
ifeq ($(WERROR),yes)
WARNINGS += -Werror
endif

CFLAGS_release := -O2 -g
CFLAGS_debug   := -O0 -g3
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread

# xxHash is one header: that of the system, or else the copy in third_party.
CLEW_CFLAGS  = -std=c11 -D_GNU_SOURCE -Isrc -Iinclude -idirafter third_party/xxhash -pthread -fPIC -fvisibility=hidden $(WARNINGS) $(CFLAGS_$(CONFIG)) $(CFLAGS)
CLEW_LDFLAGS = -pthread $(CFLAGS_$(CONFIG)) -rdynamic $(LDFLAGS)
CLEW_LIBS    = -ldl -lm -lexpat -lzstd

# `clew explore` loads libmicrohttpd, of which only the header is needed here; without it, clew is built all the same and says so there.
HAVE_MICROHTTPD := $(shell printf '\043include <microhttpd.h>\n' | $(CC) $(CFLAGS) -E -x c - >/dev/null 2>&1 && echo yes || echo no)

# Lines of `clew simulate` can be edited with libedit.
HAVE_LIBEDIT := $(shell printf '\043include <stdio.h>\n\043include <editline/readline.h>\n' | $(CC) $(CFLAGS) -E -x c - >/dev/null 2>&1 && echo yes || echo no)
ifeq ($(HAVE_LIBEDIT),yes)
CLEW_LIBS += -ledit
endif

SOURCES   := $(filter-out src/cluster/mpi/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
LIBRARY   := $(filter-out src/cli/main.c,$(SOURCES))
ASSETS    := $(addprefix src/web/,style.css common.js views.js report.js explore.js) $(sort $(wildcard docs/cards/*.txt))
OBJECTS   := $(LIBRARY:%.c=$(BUILD)/%.o) $(BUILD)/assets.o
UNIT      := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BINS := $(UNIT:tests/unit/%.c=$(BUILD)/unit/%)
THREAD_BINS := $(addprefix $(BUILD)/unit/,test_search test_search_fake test_search_zones test_store_conformance test_cluster)

.PHONY: all lib mpi check-mpi dist deb static check check-threads check-web screenshots random demo deps deps-test fuzz fuzz-murphi fuzz-dve fuzz-uppaal fuzz-pnml fuzz-cpn bench format man install install-program install-library uninstall clean build/clew
.DELETE_ON_ERROR:

all: build/clew

# The name users and scripts know: the configuration that was asked for last. The link is phony
# because its time says nothing about where it leads.
build/clew: $(BUILD)/clew
	@mkdir -p build
	@ln -sfn $(patsubst build/%,%,$(BUILD))/clew $@

deps:
	@scripts/deps build
deps-test: deps
	@scripts/deps test

$(BUILD)/clew: $(BUILD)/src/cli/main.o $(BUILD)/libclew.a
	$(call say,LINK)$(CC) $(CLEW_LDFLAGS) -o $@ $^ $(CLEW_LIBS)

# The same objects as a library for other programs: include/clew.h, and nothing else, is visible.
ABI := $(shell sed -n 's/^.define CLEW_ABI_VERSION //p' include/clew.h)
SHARED := $(BUILD)/libclew.so.$(ABI)
lib: $(SHARED) $(BUILD)/libclew.so
$(SHARED): $(OBJECTS) src/api/clew.map
	$(call say,LINK)$(CC) -shared -Wl,-soname,libclew.so.$(ABI) -Wl,--version-script,src/api/clew.map \
	  -Wl,-z,nodelete -Wl,--as-needed -pthread $(CFLAGS_$(CONFIG)) $(LDFLAGS) -o $@ $(OBJECTS) $(CLEW_LIBS)
$(BUILD)/libclew.so: $(SHARED)
	@ln -sfn $(notdir $<) $@

$(BUILD)/libclew.a: $(OBJECTS)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c | deps
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CLEW_CFLAGS) -MMD -MP -c -o $@ $<

# Made again when the library has come or gone.
$(BUILD)/src/explore/server.o $(BUILD)/src/explore/http.o: CLEW_CFLAGS += $(if $(filter yes,$(HAVE_MICROHTTPD)),-DCLEW_HAVE_MICROHTTPD)
$(BUILD)/src/explore/server.o $(BUILD)/src/explore/http.o: $(BUILD)/microhttpd-$(HAVE_MICROHTTPD)
$(BUILD)/microhttpd-%:
	@mkdir -p $(@D)
	@rm -f $(BUILD)/microhttpd-*
	@touch $@

$(BUILD)/src/cli/line.o: CLEW_CFLAGS += $(if $(filter yes,$(HAVE_LIBEDIT)),-DCLEW_HAVE_LIBEDIT)
$(BUILD)/src/cli/line.o: $(BUILD)/libedit-$(HAVE_LIBEDIT)
$(BUILD)/libedit-%:
	@mkdir -p $(@D)
	@rm -f $(BUILD)/libedit-*
	@touch $@

# Searches over several machines: a library of its own, loaded when mpirun starts clew.
MPICC ?= mpicc
mpi: $(BUILD)/clew-mpi.so build/clew
	@ln -sfn $(patsubst build/%,%,$(BUILD))/clew-mpi.so build/clew-mpi.so
$(BUILD)/clew-mpi.so: src/cluster/mpi/plugin.c src/cluster/transport.h
	@scripts/deps mpi
	@mkdir -p $(@D)
	$(call say,MPI)$(MPICC) $(CLEW_CFLAGS) -shared -o $@ $<
# Whole searches by mpirun against searches by one process.
check-mpi:
	@scripts/deps mpi
	@$(MAKE) --no-print-directory mpi
	@tests/mpi/run build/clew
	@tests/mpi/kill build/clew 3 tests/mpi/grid.m

# The style sheet and the scripts of pages, as C.
$(BUILD)/assets.c: scripts/embed $(ASSETS)
	@mkdir -p $(@D)
	$(call say,EMBED)scripts/embed $(ASSETS) >$@
$(BUILD)/assets.o: $(BUILD)/assets.c | deps
	$(call say,CC)$(CC) $(CLEW_CFLAGS) -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libclew.a | deps-test
	@mkdir -p $(@D)
	$(call say,TEST)$(CC) $(CLEW_CFLAGS) -Itests -MMD -MP -o $@ $< $(BUILD)/libclew.a $(CLEW_LDFLAGS) -lcmocka $(CLEW_LIBS)

check: $(BUILD)/clew build/clew lib $(UNIT_BINS)
	@tests/run-all $(BUILD)

# Where threads meet, in minutes: for CONFIG=tsan.
check-threads: $(BUILD)/clew $(THREAD_BINS)
	@tests/run-all $(BUILD) threads

# The pages in a real browser. axe-core, which looks for barriers, comes from npm for this alone.
check-web:
	@scripts/deps web
	@$(MAKE) --no-print-directory build/clew
	@tests/web/axe >build/axe.path
	@timeout 300 python3 tests/web/run.py build/clew "$$(cat build/axe.path)"
# The pictures of the manual.
screenshots:
	@scripts/deps web
	@$(MAKE) --no-print-directory build/clew
	@timeout 300 python3 tests/web/screenshots.py build/clew docs/images

demo: build/clew
	@scripts/demo build/clew

# A minute of random and mutated models for each language through its parser and the IR, under the
# sanitizers.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS   := -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SUFFIX_murphi := m
FUZZ_SUFFIX_dve    := dve
FUZZ_SUFFIX_uppaal := xta
FUZZ_SUFFIX_pnml   := pnml
FUZZ_SUFFIX_cpn    := cpn
fuzz: fuzz-murphi fuzz-dve fuzz-uppaal fuzz-pnml fuzz-cpn
fuzz-murphi fuzz-dve fuzz-uppaal fuzz-pnml fuzz-cpn: fuzz-%:
	@scripts/deps fuzz
	@mkdir -p build/fuzz/corpus-$*
	clang -std=c11 -D_GNU_SOURCE -Isrc -idirafter third_party/xxhash -pthread $(FUZZ_FLAGS) -o build/fuzz/$* \
	  tests/fuzz/fuzz_$*.c $(filter-out src/cli/% src/search/% src/checkpoint/% src/report/% src/web/% src/explore/% src/api/% src/lsp/%,$(LIBRARY)) $(CLEW_LIBS)
	@cp -n tests/models/$*/* examples/*.$(FUZZ_SUFFIX_$*) build/fuzz/corpus-$*/
	build/fuzz/$* -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
	  -dict=tests/fuzz/$*.dict -artifact_prefix=build/fuzz/ build/fuzz/corpus-$*

bench: build/clew
	@scripts/deps bench
	@bench/run build/clew

# Random models, searched in every way: bench/random.c says how it is used.
random: build/random
build/random: bench/random.c $(wildcard tests/unit/random_*.h) $(BUILD)/libclew.a
	$(call say,LINK)$(CC) $(CLEW_CFLAGS) -Itests -o $@ $< $(BUILD)/libclew.a $(CLEW_LDFLAGS) $(CLEW_LIBS)

# Operations on decision diagrams per second, and bytes per node.
build/dd: bench/dd.c $(BUILD)/libclew.a
	$(call say,LINK)$(CC) $(CLEW_CFLAGS) -o $@ $< $(BUILD)/libclew.a $(CLEW_LDFLAGS) $(CLEW_LIBS)

# Files that changed since the last time.
format:
	@mkdir -p build
	find src include tests bench examples -name '*.[ch]' $(if $(wildcard build/formatted),-newer build/formatted) -print0 | xargs -0r clang-format -i
	@touch build/formatted

# The man page is printed by clew itself, from the tables that parse the options.
man: build/clew
	build/clew help --man >docs/clew.1

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
install: install-program install-library
# For programs that use the library (include/clew.h) by C or Python.
install-library: lib
	install -D -m 644 include/clew.h $(DESTDIR)$(PREFIX)/include/clew.h
	install -D -m 644 $(SHARED) $(DESTDIR)$(LIBDIR)/libclew.so.$(ABI)
	ln -sfn libclew.so.$(ABI) $(DESTDIR)$(LIBDIR)/libclew.so
	install -D -m 644 bindings/python/clew.py $(DESTDIR)$(PREFIX)/share/clew/python/clew.py
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' packaging/clew.pc.in \
	  >$(DESTDIR)$(LIBDIR)/pkgconfig/clew.pc
install-program: build/clew
	install -D -m 755 build/clew $(DESTDIR)$(PREFIX)/bin/clew
	if [ -e $(BUILD)/clew-mpi.so ]; then install -D -m 644 $(BUILD)/clew-mpi.so $(DESTDIR)$(PREFIX)/lib/clew/clew-mpi.so; fi
	install -D -m 644 docs/clew.1 $(DESTDIR)$(PREFIX)/share/man/man1/clew.1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	build/clew completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/clew
	build/clew completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_clew
	build/clew completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/clew.fish
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/lib/clew/clew-mpi.so
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/clew $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_clew \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/clew.fish
	rm -f $(DESTDIR)$(PREFIX)/include/clew.h $(DESTDIR)$(LIBDIR)/libclew.so $(DESTDIR)$(LIBDIR)/libclew.so.$(ABI) \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/clew.pc $(DESTDIR)$(PREFIX)/share/clew/python/clew.py
	-rmdir $(DESTDIR)$(PREFIX)/share/clew/python $(DESTDIR)$(PREFIX)/share/clew
	rm -f $(DESTDIR)$(PREFIX)/bin/clew $(DESTDIR)$(PREFIX)/share/man/man1/clew.1

# The sources as they were committed, as an archive; a Debian package; one file that needs no library.
VERSION := $(shell sed -n 's/^.define CLEW_VERSION "\(.*\)"/\1/p' src/report/version.h)
dist:
	@mkdir -p build
	git archive --format=tar.gz --prefix=clew-$(VERSION)/ -o build/clew-$(VERSION).tar.gz HEAD
	@echo build/clew-$(VERSION).tar.gz
deb: build/clew
	@packaging/deb $(VERSION)
# Without native code, which is loaded at run time, a static clew interprets models.
static:
	@$(MAKE) --no-print-directory BUILD=build/static LDFLAGS="-static $(LDFLAGS)" HAVE_MICROHTTPD=no HAVE_LIBEDIT=no build/static/clew

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(BUILD)/src/cli/main.d $(UNIT_BINS:%=%.d)
