# SPDX-License-Identifier: Apache-2.0
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/cancellation.yawl \
	%D%/choice.yawl \
	%D%/document-handling.yawl \
	%D%/embed/order.c \
	%D%/operations/order-1.0.yawl \
	%D%/operations/order-1.1.yawl \
	%D%/parallel.yawl \
	%D%/people/organisation.json \
	%D%/people/purchase.yawl \
	%D%/sequence.yawl \
	%D%/services/interface-b.sh \
	%D%/services/order.yawl \
	%D%/services/pull.c \
	%D%/services/pull.mjs \
	%D%/services/pull.py \
	%D%/services/pull.sh \
	%D%/services/push.py \
	%D%/several-instances.yawl \
	%D%/subprocess.yawl \
	%D%/testing/offer.test.mjs \
	%D%/testing/test_offer.py \
	%D%/timer.yawl
EXTRA_DIST += %D%/serve.sh
