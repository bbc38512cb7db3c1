# SPDX-License-Identifier: Apache-2.0
"""Where things are."""
import os
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PYTHON = os.path.join(ROOT, "clients", "python")
JAVASCRIPT = os.path.join(ROOT, "clients", "javascript")
ORDER = os.path.join(ROOT, "examples", "services", "order.yawl")
OFFER = os.path.join(ROOT, "examples", "timer.yawl")

sys.path[:0] = [os.path.join(ROOT, "tests", "rest"), PYTHON]
