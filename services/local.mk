# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libservices.la
%C%_libservices_la_SOURCES = \
	%D%/account.c \
	%D%/account.h \
	%D%/account_check.c \
	%D%/account_priv.h \
	%D%/client.c \
	%D%/client.h \
	%D%/http.c \
	%D%/http.h \
	%D%/pool.c \
	%D%/pool.h \
	%D%/rest.c \
	%D%/rest.h \
	%D%/rest_case.c \
	%D%/rest_command.c \
	%D%/rest_data.c \
	%D%/rest_data.h \
	%D%/rest_events.c \
	%D%/rest_incident.c \
	%D%/rest_item.c \
	%D%/rest_route.c \
	%D%/rest_specification.c \
	%D%/rest_steps.c \
	%D%/rest_steps.h \
	%D%/rest_system.c \
	%D%/routes.def \
	%D%/server.c \
	%D%/server.h \
	%D%/server_priv.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/stream_priv.h \
	%D%/stream_reader.c \
	%D%/target.c \
	%D%/target.h
