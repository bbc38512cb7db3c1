# SPDX-License-Identifier: Apache-2.0
examplesdir = $(docdir)/examples
dist_examples_DATA =
