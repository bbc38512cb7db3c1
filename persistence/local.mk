# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	%D%/rows.h \
	%D%/store.h
