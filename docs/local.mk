# SPDX-License-Identifier: Apache-2.0
dist_doc_DATA = \
	%D%/ARCHITECTURE.md \
	%D%/BENCHMARKS.md \
	%D%/CHECKING.md \
	%D%/CONFIGURATION.md \
	%D%/DURABILITY.md \
	%D%/EMBEDDING.md \
	%D%/FIRST-PROCESS.md \
	%D%/MIGRATING-FROM-YAWL.md \
	%D%/OPERATION.md \
	%D%/REST.md \
	%D%/SCENARIOS.md \
	%D%/SEMANTICS.md \
	%D%/SERVICES.md \
	%D%/XQUERY.md \
	%D%/YAWL-COMPATIBILITY.md \
	%D%/first-process.svg
dist_man1_MANS = %D%/weft.1
