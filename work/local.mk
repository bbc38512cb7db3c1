# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libwork.la
%C%_libwork_la_SOURCES = \
	%D%/access_tokens.c \
	%D%/access_tokens.h \
	%D%/breaker.c \
	%D%/breaker.h \
	%D%/built_in.c \
	%D%/built_in.h \
	%D%/case_data.c \
	%D%/case_data.h \
	%D%/claim_start.c \
	%D%/claims.c \
	%D%/claims.h \
	%D%/claims_priv.h \
	%D%/delivery.c \
	%D%/delivery_call.c \
	%D%/delivery_outcome.c \
	%D%/delivery_priv.h \
	%D%/destination.c \
	%D%/destination.h \
	%D%/follower.c \
	%D%/follower.h \
	%D%/handler.c \
	%D%/handler.h \
	%D%/item_data.c \
	%D%/item_data.h \
	%D%/lease.c \
	%D%/lease.h \
	%D%/mail/digest.c \
	%D%/mail/digest_time.c \
	%D%/mail/digest_time.h \
	%D%/mail/mail_format.c \
	%D%/mail/mail_format.h \
	%D%/mail/mail_text.c \
	%D%/mail/mail_text.h \
	%D%/mail/mail_words.def \
	%D%/mail/mailer.c \
	%D%/mail/mailer.h \
	%D%/mail/mailer_priv.h \
	%D%/mail/recipients.c \
	%D%/mail/recipients.h \
	%D%/mail/smtp.c \
	%D%/mail/smtp.h \
	%D%/mail/wording.c \
	%D%/mail/wording.h \
	%D%/message.c \
	%D%/message.h \
	%D%/push.c \
	%D%/reannounce.c \
	%D%/reannounce.h \
	%D%/rendering.c \
	%D%/sender.c \
	%D%/sender.h \
	%D%/service.c \
	%D%/service.h \
	%D%/service_kind.c \
	%D%/service_priv.h \
	%D%/service_set.c \
	%D%/settlement.c \
	%D%/task_policy.c \
	%D%/task_policy.h

EXTRA_DIST += %D%/README.md
