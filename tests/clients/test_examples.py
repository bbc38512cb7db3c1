# SPDX-License-Identifier: Apache-2.0
"""The tests in examples/testing/, as their users run them."""
import os
import re
import subprocess
import sys

from parts import PYTHON, ROOT
from checks import check, end, run
from node import run_tests

FOLDER = os.path.join(ROOT, "examples", "testing")


def python():
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(FOLDER, "test_offer.py")],
        env=dict(os.environ, PYTHONPATH=PYTHON), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    text = done.stdout.decode()
    check("the tests in Python pass", done.returncode == 0
          and re.search(r"^Ran [1-9]\d* tests", text, re.M), text)


def javascript():
    run_tests(os.path.join(FOLDER, "offer.test.mjs"))


run(python, javascript)
end()
