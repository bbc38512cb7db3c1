# SPDX-License-Identifier: Apache-2.0
"""A server for tests of processes, whose clock the test moves.

    from weft.testing import Server

    with Server("offer.yawl") as server:
        case = server.client.start_case("Offer")["case"]
        server.clock.advance("P3D")
        assert server.client.show_case(case)["status"] == "completed"

It is `weft serve --test`, with the program that WEFT names, else `weft`.
"""
from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import tempfile
from typing import Optional, Sequence, Union

from . import values
from .client import Client
from .errors import Error
from .values import Duration, Time


# Runs a program, and kills it when its own standard input is closed: no server
# outlives a test that was killed.
KEEPER = """exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r _ <&3; kill -9 $program; } >/dev/null 2>&1 & reader=$!
exec 3<&-
wait $program; code=$?
kill $reader 2>/dev/null
exit $code"""


class Clock:
    """The clock of a server in test mode (docs/SCENARIOS.md)."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def now(self) -> datetime.datetime:
        return _datetime(self.client.show_test_clock()["now"])

    def advance(self, by: Duration, wait: Optional[Duration] = None) -> None:
        """Everything that becomes due meanwhile is done when this returns."""
        self._move(advance=values.duration(by), to=None, wait=wait)

    def to(self, time: Time, wait: Optional[Duration] = None) -> None:
        self._move(advance=None, to=values.time(time), wait=wait)

    def _move(self, advance: Optional[str], to: Optional[str],
              wait: Optional[Duration]) -> None:
        moved = self.client.move_test_clock(advance=advance, to=to, wait=wait)
        if not moved["settled"]:
            raise Error("what was due is not done, the clock shows %s" %
                        moved["now"])


class Server:
    """One server, in memory, on a free port. specifications: files to load.
    options: more of `weft serve`, such as "--people". Has the attributes
    client, url, token and clock while it runs; log() is what it has logged."""

    url: str
    token: str
    client: Client
    clock: Clock

    def __init__(self, *specifications: Union[str, os.PathLike[str]],
                 weft: Optional[str] = None,
                 options: Sequence[str] = ()) -> None:
        self.specifications = specifications
        self.weft = weft or os.environ.get("WEFT") or "weft"
        self.options = list(options)
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> Server:
        self.folder = tempfile.mkdtemp(prefix="weft-test-")
        try:
            self._begin()
        except BaseException:
            self._end()
            raise
        return self

    def _begin(self) -> None:
        token_file = os.path.join(self.folder, "weft.token")
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", KEEPER, "sh", self.weft, "serve", "--test",
                 "--config", os.devnull, "--db", "memory:",
                 "--listen", "127.0.0.1:0",
                 "--token-file", token_file,
                 "--allow-address", "127.0.0.1", *self.options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        found = re.search(r"https?://\S+$",
                          self.process.stdout.readline().decode().strip())
        if found is None:
            self.process.wait()
            raise Error("the server did not start: " + self.log())
        self.url = found.group()
        with open(token_file, encoding="utf-8") as file:
            self.token = file.readline().strip()
        self.client = Client(self.url, self.token)
        self.clock = Clock(self.client)
        self.client.load(*self.specifications)

    def log(self) -> str:
        with open(os.path.join(self.folder, "log"), "rb") as file:
            return file.read().decode(errors="replace")

    def stop(self) -> None:
        """Ends the server at once, since nothing of it is to be kept."""
        code = None if self.process is None else self.process.poll()
        log = "" if code is None else self.log()
        self._end()
        if code is not None:
            raise Error("the server had ended, with %d: %s" % (code, log))

    def _end(self) -> None:
        process, self.process = self.process, None
        if hasattr(self, "client"):
            self.client.close()
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            process.wait()
            process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client_of(self, user: str, password: str) -> Client:
        """A client of another account."""
        return Client(self.url, user=user, password=password)

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def _datetime(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(
        text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
