# SPDX-License-Identifier: Apache-2.0
"""Tests in JavaScript, if there is a node of version 18 or later."""
import re
import shutil
import subprocess

from checks import check, skip


def has_node():
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE)
    return int(re.match(rb"v(\d+)", version.stdout).group(1)) >= 18


def run_tests(*files):
    """Each test of node:test in these files is a check."""
    if not has_node():
        skip("tests in JavaScript", "there is no node of version 18 or later")
        return
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", *files],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    counts = {name: int(count) for name, count in re.findall(
        r"^# (pass|fail|cancelled) (\d+)$", text, re.M)}
    for name in re.findall(r"^ *ok \d+ - (.*)$", text, re.M):
        check(name, True)
    check("the tests in JavaScript pass", done.returncode == 0
          and counts.get("pass", 0) > 0, text)
