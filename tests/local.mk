# SPDX-License-Identifier: Apache-2.0

# --- unit tests: one suite per file, named in suites.def

if CUNIT
check_PROGRAMS += %D%/unit/unit
endif
%C%_unit_unit_SOURCES = \
	%D%/unit/main.c \
	%D%/unit/suites.def \
	%D%/unit/test_base.c \
	%D%/unit/test_value.c
%C%_unit_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
%C%_unit_unit_LDADD = $(LAYER_LIBS) $(CUNIT_LIBS)

# --- fuzz targets: replay-NAME runs fuzz_NAME.c over the files of corpus-NAME

check_PROGRAMS += \
	%D%/fuzz/replay-value
%C%_fuzz_replay_value_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_value.c
%C%_fuzz_replay_value_LDADD = $(LAYER_LIBS)

if FUZZING
noinst_PROGRAMS += \
	%D%/fuzz/fuzz-value
endif
%C%_fuzz_fuzz_value_SOURCES = %D%/fuzz/fuzz_value.c
%C%_fuzz_fuzz_value_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_value_LDADD = $(LAYER_LIBS)

EXTRA_DIST += \
	%D%/fuzz/corpus-value

# --- what runs them

EXTRA_DIST += \
	%D%/check.sh \
	%D%/check-cli.sh \
	%D%/format.sh \
	%D%/layers.sh \
	%D%/lsan.supp \
	%D%/scenarios \
	%D%/sources.sh

check-programs: all $(check_PROGRAMS)
.PHONY: check-programs

check-local:
	$(SHELL) $(srcdir)/%D%/check.sh .
