# SPDX-License-Identifier: Apache-2.0
"""A port for a server that must find it free again after a restart; run as a
program, prints it."""
import random
import socket

given = set()


def free_port():
    """A port that the system gives to no program that asks for any port, and
    that this process was not given before."""
    while True:
        try:
            port = random.randrange(20000, 32000)
            socket.create_server(("127.0.0.1", port)).close()
            if port not in given:
                given.add(port)
                return port
        except OSError:
            pass


if __name__ == "__main__":
    print(free_port())
