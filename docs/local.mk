# SPDX-License-Identifier: Apache-2.0
dist_doc_DATA =
dist_man1_MANS = %D%/weft.1
