# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libdata.la
%C%_libdata_la_SOURCES = \
	%D%/calendar/calendar.c \
	%D%/calendar/calendar.h \
	%D%/calendar/calendar_priv.h \
	%D%/calendar/calendar_read.c \
	%D%/calendar/civil.h \
	%D%/calendar/when.c \
	%D%/calendar/when.h \
	%D%/calendar/zone.c \
	%D%/calendar/zone.h \
	%D%/calendar/zone_priv.h \
	%D%/calendar/zone_read.c \
	%D%/calendar/zone_rule.c \
	%D%/canonical.c \
	%D%/canonical.h \
	%D%/content_model.c \
	%D%/content_model.h \
	%D%/content_model_check.c \
	%D%/content_model_pattern.c \
	%D%/content_model_priv.h \
	%D%/deadline.c \
	%D%/deadline.h \
	%D%/enumeration.c \
	%D%/enumeration.h \
	%D%/internal_types.c \
	%D%/json.c \
	%D%/json.h \
	%D%/json_dump.c \
	%D%/json_fields.c \
	%D%/json_fields.h \
	%D%/outline/document_walk.c \
	%D%/outline/document_walk.h \
	%D%/outline/facets.c \
	%D%/outline/facets.h \
	%D%/outline/outline.c \
	%D%/outline/outline.h \
	%D%/outline/outline_priv.h \
	%D%/pattern.c \
	%D%/pattern.h \
	%D%/pattern_priv.h \
	%D%/pattern_schema.c \
	%D%/query.c \
	%D%/query.h \
	%D%/schema.c \
	%D%/schema.h \
	%D%/schema_cost.c \
	%D%/shape.c \
	%D%/shape.h \
	%D%/shortcut.c \
	%D%/shortcut.h \
	%D%/tree.c \
	%D%/tree.h \
	%D%/type.c \
	%D%/type.h \
	%D%/type_error.c \
	%D%/type_error.h \
	%D%/value.c \
	%D%/value.h \
	%D%/value_parse.c \
	%D%/xml_writer.c \
	%D%/xml_writer.h

PUBLIC += \
	%D%/calendar/calendar.h

EXTRA_DIST += %D%/README.md
