# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libtracing.la
%C%_libtracing_la_SOURCES = \
	%D%/exporter.c \
	%D%/otlp.c \
	%D%/span.c \
	%D%/span.h \
	%D%/span_priv.h \
	%D%/trace_context.c \
	%D%/trace_context.h \
	%D%/tracer.c \
	%D%/tracer.h \
	%D%/tracer_priv.h
EXTRA_DIST += %D%/README.md
