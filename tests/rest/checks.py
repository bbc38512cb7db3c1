# SPDX-License-Identifier: Apache-2.0
"""Counts the checks that hold and prints those that fail."""
import os
import sys
import time
import traceback

import whereabouts  # noqa: F401

passed = 0
failed = 0
skipped = 0
seen = set()  # operations that were done well
SOAK = os.environ.get("WEFT_SOAK", "0") != "0"
LIMIT = 300  # seconds; what has not come by then never will
SANITIZED = os.environ.get("WEFT_SANITIZED", "0") != "0"


def check(what, holds, *details):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("does not hold: %s" % what)
        for detail in details:
            print("    %s" % str(detail)[:2000])
        sys.stdout.flush()
    return bool(holds)


def until(holds, seconds=LIMIT):
    """Waits until holds() is true; returns its last result.

    The limit is for something that never happens: no test measures how long it
    waits."""
    limit = time.monotonic() + seconds
    while True:
        found = holds()
        if found or time.monotonic() > limit:
            return found
        time.sleep(0.02)


def skip(what, why):
    global skipped
    skipped += 1
    print("%s: skipped, %s" % (what, why))


def run(*tests):
    """Runs functions; an exception of one counts as a failure."""
    for test in tests:
        try:
            test()
        except Exception:
            check("%s runs to its end" % test.__name__, False,
                  traceback.format_exc())


def end():
    line = "%d passed, %d failed" % (passed, failed)
    print(line + (", %d skipped" % skipped if skipped else ""))
    sys.exit(1 if failed else 0)
