# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += weft
weft_SOURCES = \
	%D%/account.c \
	%D%/account.h \
	%D%/bench.c \
	%D%/bench_net.c \
	%D%/bench_net.h \
	%D%/check.c \
	%D%/check.h \
	%D%/commands.def \
	%D%/commands.h \
	%D%/cover.c \
	%D%/cover_net.c \
	%D%/cover_net.h \
	%D%/draw.c \
	%D%/draw.h \
	%D%/draw_cancel.c \
	%D%/draw_columns.c \
	%D%/draw_file_layout.c \
	%D%/draw_graphviz.c \
	%D%/draw_labels.c \
	%D%/draw_legend.c \
	%D%/draw_picture.c \
	%D%/draw_picture.h \
	%D%/draw_svg.c \
	%D%/draw_text.c \
	%D%/draw_text.h \
	%D%/drive.c \
	%D%/drive.h \
	%D%/expect.c \
	%D%/expect.h \
	%D%/json.c \
	%D%/json.h \
	%D%/main.c \
	%D%/new.c \
	%D%/notation.c \
	%D%/notation.h \
	%D%/notation_task.c \
	%D%/notation_write.c \
	%D%/query.c \
	%D%/reference.c \
	%D%/reference.h \
	%D%/run.c \
	%D%/scenario.c \
	%D%/scenario.h \
	%D%/script.c \
	%D%/script.h \
	%D%/session.c \
	%D%/session.h \
	%D%/test.c \
	%D%/trace.c \
	%D%/trace.h \
	%D%/words.c \
	%D%/words.h
weft_LDADD = $(LAYER_LIBS) $(GVC_LIBS)
