#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds functions and data that only their own file uses, in the objects.

Such a name becomes static, or is deleted; a test uses what the product uses.
Names of the installed headers (libweft.symbols) are for programs outside.

usage: unused.py BUILD
Ends with "N passed, N failed", counted in names.
"""
import fnmatch
import os
import sys

import circles

EXCEPTIONS = {
    "wf_access_token_read": "fuzzed without a server",
    "main": "of a program",
    "measured": "keeps the compiler from removing what bench/mapping measures",
    "wf_busy_case": "tests ask which case has a person or thing",
    "wf_document_request_read": "fuzzed without a server",
    "wf_eval_*": "rows of xquery/parse/expr_kinds.def",
    "wf_follower_round": "tests follow without a thread",
    "wf_index_fill_turn": "tests fill without a thread",
    "wf_issuer_read_discovery": "fuzzed without a provider",
    "wf_memory_fail_after": "faults, for tests",
    "wf_oidc_is_path": "fuzzed without a provider",
    "wf_or_join_compile_with": "tests compare the reductions",
    "wf_pull_handler": "tests make services of that kind",
    "wf_reduction_project": "the counterpart of wf_reduction_expand()",
    "wf_record_cache_waiting": "tests wait until threads wait",
    "wf_*_reads": "tests count the records that a change costs",
    "wf_zone_read": "fuzzed without a file",
    "wf_verify_net": "tests verify nets that no specification has",
}


def excepted(name):
    return any(fnmatch.fnmatch(name, pattern)
               for pattern in EXCEPTIONS)


def main():
    build = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(sys.argv[0]) or ".", ".."))
    with open(os.path.join(build, "libweft.symbols")) as symbols:
        used = set(symbols.read().split())
    places = {}
    found = circles.objects(build)
    for source, (defined, needed) in circles.symbols(found).items():
        places.update((name, source) for name in defined)
        used |= needed
    unused = [name for name in sorted(set(places) - used)
              if not excepted(name)]
    for name in unused:
        print("%s: only this file uses %s" % (places[name], name))
    print("%d passed, %d failed" % (len(places) - len(unused), len(unused)))
    return bool(unused) or not places


if __name__ == "__main__":
    sys.exit(main())
