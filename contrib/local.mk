# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	%D%/container/Containerfile \
	%D%/container/Containerfile.dockerignore \
	%D%/container/compose.yaml \
	%D%/grafana/weft.json \
	%D%/prometheus/weft.rules.yaml \
	%D%/systemd/weft.service.in

prometheusdir = $(docdir)/contrib/prometheus
prometheus_DATA = %D%/prometheus/weft.rules.yaml
grafanadir = $(docdir)/contrib/grafana
grafana_DATA = %D%/grafana/weft.json

if SYSTEMD
systemdsystemunit_DATA = contrib/systemd/weft.service
endif

contrib/systemd/weft.service: %D%/systemd/weft.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed 's|@bindir[@]|$(bindir)|g' \
		$(srcdir)/$@.in >$@
CLEANFILES += contrib/systemd/weft.service
