# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	%D%/specification-4.0.xsd
