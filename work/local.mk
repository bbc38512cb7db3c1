# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libwork.la
%C%_libwork_la_SOURCES = \
	%D%/built_in.c \
	%D%/case_data.c \
	%D%/case_data.h \
	%D%/claims.c \
	%D%/claims.h \
	%D%/delivery.c \
	%D%/delivery.h \
	%D%/delivery_call.c \
	%D%/delivery_outcome.c \
	%D%/delivery_priv.h \
	%D%/item_data.c \
	%D%/item_data.h \
	%D%/message.c \
	%D%/message.h \
	%D%/push.c \
	%D%/reannounce.c \
	%D%/reannounce.h \
	%D%/service.c \
	%D%/service.h \
	%D%/task_policy.c \
	%D%/task_policy.h
