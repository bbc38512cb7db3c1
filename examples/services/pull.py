# SPDX-License-Identifier: Apache-2.0
"""Orders are priced and shipped: comes to Weft for items.
usage: WEFT_SERVER=http://127.0.0.1:8090 WEFT_TOKEN=...
       PYTHONPATH=../../clients/python python3 pull.py"""
import weft


def work(item):
    if item.task == "Price":
        return {"total": 3 * item.data["amount"]}
    return {"parcel": "parcel with " + item.data["item"]}


if __name__ == "__main__":
    weft.Client().worker("urn:example:orders", work, concurrency=10).run()
