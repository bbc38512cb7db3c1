# SPDX-License-Identifier: Apache-2.0
"""Client of the workflow engine Weft.

    import weft

    client = weft.Client("http://127.0.0.1:8090", token="...")
    case = client.start_case("Order", {"item": "tea", "amount": 4})

    def price(item):
        return {"total": 3 * item.data["amount"]}

    client.worker("orders", price, concurrency=4).run()

weft.testing has a server for tests. Only the standard library is needed.
"""
from .client import Client
from .errors import ConnectionFailed, Error, Fail, Problem, Release
from .worker import Worker, WorkItem

__all__ = ["Client", "ConnectionFailed", "Error", "Fail", "Problem", "Release",
           "Worker", "WorkItem"]
__version__ = "0.1.0"
