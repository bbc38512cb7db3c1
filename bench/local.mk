# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/announce.sh %D%/http.sh %D%/instructions.sh %D%/mapping.sh %D%/orjoin.sh %D%/server.sh %D%/store.sh

noinst_PROGRAMS += %D%/bare
%C%_bare_SOURCES = %D%/bare.c
%C%_bare_LDADD = $(LAYER_LIBS)

noinst_PROGRAMS += %D%/mapping
%C%_mapping_SOURCES = %D%/mapping.c
%C%_mapping_LDADD = $(LAYER_LIBS)

noinst_PROGRAMS += %D%/sink
%C%_sink_SOURCES = %D%/sink.c
%C%_sink_LDADD = $(SERVICES_LIBS) $(LAYER_LIBS)
