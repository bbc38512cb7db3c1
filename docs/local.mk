# SPDX-License-Identifier: Apache-2.0
dist_doc_DATA = \
	%D%/ARCHITECTURE.md \
	%D%/BENCHMARKS.md \
	%D%/CHECKING.md \
	%D%/CONFIGURATION.md \
	%D%/CONSOLE.md \
	%D%/DURABILITY.md \
	%D%/EMBEDDING.md \
	%D%/EVENTS.md \
	%D%/FIRST-PROCESS.md \
	%D%/GLOSSARY.md \
	%D%/MIGRATING-FROM-YAWL.md \
	%D%/OPERATION.md \
	%D%/PEOPLE.md \
	%D%/REST.md \
	%D%/SCALING.md \
	%D%/SCENARIOS.md \
	%D%/SEMANTICS.md \
	%D%/SERVICES.md \
	%D%/XQUERY.md \
	%D%/YAWL-COMPATIBILITY.md \
	%D%/first-process.svg
consoledocdir = $(docdir)/console
dist_consoledoc_DATA = \
	%D%/console/tour-incident.png \
	%D%/console/tour-load.png \
	%D%/console/tour-overview.png \
	%D%/console/tour-repair.png \
	%D%/console/tour-time.png \
	%D%/console/tour-why.png \
	%D%/console/tour-work.png
# Made of the template and the table of the command line.
EXTRA_DIST += %D%/PROGRESS.md %D%/weft.1.in
man1_MANS = docs/weft.1
CLEANFILES += docs/weft.1
docs/weft.1: %D%/weft.1.in cli/manual$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) docs && \
		cli/manual$(EXEEXT) <$(srcdir)/%D%/weft.1.in >$@.tmp && \
		mv $@.tmp $@
