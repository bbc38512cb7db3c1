# SPDX-License-Identifier: Apache-2.0
"""A program that imports this prints its stack when a time-out ends it."""
import faulthandler
import os
import signal
import sys


def print_stack(number, frame):
    # timeout(1) sends it twice: to its child, and to the process group.
    signal.signal(number, signal.SIG_IGN)
    sys.stdout.flush()
    faulthandler.dump_traceback()
    os._exit(1)


signal.signal(signal.SIGTERM, print_stack)
