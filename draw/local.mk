# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libdraw.la
%C%_libdraw_la_SOURCES = \
	%D%/draw.c \
	%D%/draw.h \
	%D%/draw_cancel.c \
	%D%/draw_columns.c \
	%D%/draw_faults.c \
	%D%/draw_file_layout.c \
	%D%/draw_graphviz.c \
	%D%/draw_labels.c \
	%D%/draw_layout.c \
	%D%/draw_legend.c \
	%D%/draw_nets.c \
	%D%/draw_picture.c \
	%D%/draw_picture.h \
	%D%/draw_state.c \
	%D%/draw_svg.c \
	%D%/draw_text.c \
	%D%/draw_text.h
