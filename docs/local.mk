# SPDX-License-Identifier: Apache-2.0
dist_doc_DATA = \
	%D%/ARCHITECTURE.md \
	%D%/BENCHMARKS.md \
	%D%/CHECKING.md \
	%D%/DURABILITY.md \
	%D%/EMBEDDING.md \
	%D%/FIRST-PROCESS.md \
	%D%/OPERATION.md \
	%D%/SCENARIOS.md \
	%D%/SEMANTICS.md \
	%D%/XQUERY.md \
	%D%/first-process.svg
EXTRA_DIST += %D%/PROGRESS.md
dist_man1_MANS = %D%/weft.1
