# SPDX-License-Identifier: Apache-2.0
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/cancellation.yawl \
	%D%/choice.yawl \
	%D%/document-handling.yawl \
	%D%/embed/order.c \
	%D%/parallel.yawl \
	%D%/sequence.yawl \
	%D%/several-instances.yawl \
	%D%/subprocess.yawl
EXTRA_DIST += %D%/serve.sh
