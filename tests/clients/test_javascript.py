# SPDX-License-Identifier: Apache-2.0
"""The JavaScript client against a server."""
import os

import parts  # noqa: F401
from checks import end, run
from node import run_tests


def javascript():
    run_tests(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "behaviour.test.mjs"))


run(javascript)
end()
