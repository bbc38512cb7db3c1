# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md %D%/announce.sh %D%/backlog.sh %D%/console.sh %D%/http.sh %D%/instructions.sh %D%/lists.sh %D%/mapping.sh %D%/migrate.sh %D%/orjoin.sh %D%/people.sh %D%/scaling.sh %D%/server.sh %D%/store.sh

noinst_PROGRAMS += %D%/bare
%C%_bare_SOURCES = %D%/bare.c
%C%_bare_LDADD = $(LAYER_LIBS)

noinst_PROGRAMS += %D%/mapping
%C%_mapping_SOURCES = %D%/mapping.c
%C%_mapping_LDADD = $(LAYER_LIBS)

noinst_PROGRAMS += %D%/query_costs
%C%_query_costs_SOURCES = %D%/query_costs.c %D%/query_costs.def
%C%_query_costs_LDADD = $(LAYER_LIBS)

noinst_PROGRAMS += %D%/sink
%C%_sink_SOURCES = %D%/sink.c
%C%_sink_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)

# What "weft bench" starts.
pkglibexec_PROGRAMS += %D%/weft-bench
%C%_weft_bench_SOURCES = \
	%D%/bench.c \
	%D%/bench.h \
	%D%/bench_clients.c \
	%D%/bench_clients.h \
	%D%/bench_http.c \
	%D%/bench_http.h \
	%D%/bench_latency.c \
	%D%/bench_latency.h \
	%D%/bench_net.c \
	%D%/bench_net.h \
	%D%/bench_or_join.c \
	%D%/bench_or_join.h \
	%D%/bench_people.c \
	%D%/bench_people.h \
	%D%/bench_store.c \
	%D%/bench_store.h \
	%D%/bench_tls.c \
	%D%/bench_tls.h \
	%D%/bench_wire.c \
	%D%/bench_wire.h \
	cli/commands.c \
	cli/options.c \
	cli/similar.c \
	cli/remote/connection.c
%C%_weft_bench_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
