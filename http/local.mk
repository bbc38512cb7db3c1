# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libhttp.la
%C%_libhttp_la_SOURCES = \
	%D%/address.c \
	%D%/address.h \
	%D%/admission.c \
	%D%/answer.c \
	%D%/body.c \
	%D%/body_parts.c \
	%D%/budget.c \
	%D%/budget.h \
	%D%/connection.c \
	%D%/cookie.c \
	%D%/cookie.h \
	%D%/event_loop.c \
	%D%/event_loop.h \
	%D%/exchange.c \
	%D%/fetch.c \
	%D%/fetch.h \
	%D%/forwarded.c \
	%D%/forwarded.h \
	%D%/framing.c \
	%D%/framing.h \
	%D%/gate.c \
	%D%/gate.h \
	%D%/http_client.c \
	%D%/http_client.h \
	%D%/http_server.c \
	%D%/http_server.h \
	%D%/http_server_priv.h \
	%D%/listening.c \
	%D%/listening.h \
	%D%/probe.c \
	%D%/probe.h \
	%D%/request_timeout.c \
	%D%/request_timeout.h \
	%D%/target.c \
	%D%/target.h \
	%D%/thread_pool.c \
	%D%/thread_pool.h \
	%D%/tls.c \
	%D%/tls.h
EXTRA_DIST += %D%/README.md
