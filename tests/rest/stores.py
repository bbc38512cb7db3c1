# SPDX-License-Identifier: Apache-2.0
"""Stores to test on."""
import os
import subprocess
import uuid

from checks import SANITIZED, SOAK, skip


class Schema:
    """A schema of its own in the PostgreSQL of the tests."""

    def __init__(self):
        self.server = os.environ["WEFT_TEST_POSTGRESQL"]
        self.name = "rest_" + uuid.uuid4().hex[:12]
        self.sql("CREATE SCHEMA " + self.name)
        self.url = "%s%soptions=-csearch_path%%3D%s" % (
            self.server, "&" if "?" in self.server else "?", self.name)

    def sql(self, text):
        return subprocess.run(
            ["psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", text,
             self.server], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout.decode()

    def close(self):
        self.sql("DROP SCHEMA %s CASCADE" % self.name)


def has_postgresql():
    return bool(os.environ.get("WEFT_TEST_POSTGRESQL"))


def sampled(tests):
    """Each test runs on one store, the next one on the other, and with
    sanitizers the other way round: the functions behind it are the same. The
    seed says where it begins. In soak all run on both."""
    if SOAK or not has_postgresql():
        return tests
    sampled.count += 1
    seed = int(os.environ.get("WEFT_SEED", "0"))
    return tests[(sampled.count + seed + SANITIZED) % 2:][:1]


sampled.count = 0


def on_each(test, what):
    """Functions that run test(NAME, URL) on SQLite, in the server's own file,
    and on PostgreSQL, where it is available."""
    def on_sqlite():
        test("SQLite", None)

    def on_postgresql():
        if not has_postgresql():
            skip(what + " on PostgreSQL", "there is no server to test on")
            return
        schema = Schema()
        try:
            test("PostgreSQL", schema.url)
        finally:
            schema.close()

    return sampled((on_sqlite, on_postgresql))
