# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libidentity.la
%C%_libidentity_la_SOURCES = \
	%D%/account.c \
	%D%/account.h \
	%D%/account_check.c \
	%D%/account_priv.h \
	%D%/account_record.c \
	%D%/accounts.c \
	%D%/audit.c \
	%D%/audit.h \
	%D%/fair_queue.c \
	%D%/fair_queue.h \
	%D%/federation/browser.c \
	%D%/federation/directory.c \
	%D%/federation/external.c \
	%D%/federation/federation.c \
	%D%/federation/federation.h \
	%D%/federation/federation_priv.h \
	%D%/federation/group_map.c \
	%D%/federation/group_map.h \
	%D%/federation/machines.c \
	%D%/kept.c \
	%D%/kept.h \
	%D%/provider/base64url.h \
	%D%/provider/issuer.c \
	%D%/provider/issuer.h \
	%D%/provider/jwk.c \
	%D%/provider/jwk.h \
	%D%/provider/jwt.c \
	%D%/provider/jwt.h \
	%D%/provider/ldap.c \
	%D%/provider/ldap.h \
	%D%/provider/ldap_filter.c \
	%D%/provider/ldap_filter.h \
	%D%/provider/oidc.c \
	%D%/provider/oidc.h \
	%D%/provider/oidc_state.c \
	%D%/provider/oidc_state.h \
	%D%/provider/person.h \
	%D%/rights.c \
	%D%/rights.def \
	%D%/rights.h \
	%D%/secret.c \
	%D%/session.c \
	%D%/session.h \
	%D%/session_priv.h \
	%D%/session_table.c \
	%D%/sha1.c \
	%D%/sha1.h \
	%D%/sign_in.c \
	%D%/sign_in.h \
	%D%/ticket.c \
	%D%/ticket.h
EXTRA_DIST += %D%/README.md
