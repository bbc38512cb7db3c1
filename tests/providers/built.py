# SPDX-License-Identifier: Apache-2.0
"""What the program was built with."""
import subprocess

from checks import skip
from server import WEFT


def has(*libraries):
    """Whether it was built with them; if not, a check is skipped."""
    said = subprocess.run([WEFT, "--version"], stdout=subprocess.PIPE,
                          check=True).stdout.decode().splitlines()
    missing = [name for name in libraries if name + ": yes" not in said]
    if missing:
        skip("a provider", "Weft was built without " + ", ".join(missing))
    return not missing
