# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libspec.la
%C%_libspec_la_SOURCES = \
	%D%/check_data.c \
	%D%/check_names.c \
	%D%/check_net.c \
	%D%/compile_costs.c \
	%D%/compile_people.c \
	%D%/compile_queries.c \
	%D%/compile_texts.c \
	%D%/compile_timers.c \
	%D%/compile_variables.c \
	%D%/content.c \
	%D%/content.def \
	%D%/content.h \
	%D%/content_text.c \
	%D%/content_text.h \
	%D%/document_limits.c \
	%D%/document_limits.h \
	%D%/loops.c \
	%D%/markup.c \
	%D%/markup.h \
	%D%/markup_parse.c \
	%D%/read.c \
	%D%/read_hand_over.c \
	%D%/read_net.c \
	%D%/read_specification.c \
	%D%/read_task.c \
	%D%/read_timing.c \
	%D%/read_variable.c \
	%D%/reader.c \
	%D%/reader.h \
	%D%/spec.c \
	%D%/spec.h \
	%D%/timing.h \
	%D%/write.c \
	%D%/write_net.c \
	%D%/writer.h
