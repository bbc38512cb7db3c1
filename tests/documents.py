#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what documents say with the tables of the program.

Sizes and words in schemas/openapi.yaml come from base/limits.h and from the
tables of words; commands, options, variables of the environment and files that
documents name exist, as do the tests of docs/PEOPLE.md; docs/CONFIGURATION.md
has each event of the log. Other tests compare
docs/CONFIGURATION.md with the settings, the routes and codes with openapi.yaml,
and the table of metrics.

usage: documents.py BUILD
Ends with "N passed, N failed".
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "rest"))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import yaml_subset  # noqa: E402
import events  # noqa: E402

# The name of base/limits.h for each size of openapi.yaml: last words of its
# place.
SIZES = {
    "Key.schema.maxLength": "WF_REST_KEY_BYTES",
    "Limit.schema.maximum": "WF_REST_PAGE_ROWS",
    "/v1/operations.get.parameters.1.schema.maximum": "WF_REST_PAGE_ROWS",
    "Service.schema.maxLength": "WF_SERVICE_NAME_BYTES",
    "Subscription.schema.maxLength": "WF_SERVICE_NAME_BYTES",
    "Start.properties.observer.maxLength": "WF_SERVICE_URI_BYTES",
    "SubscriptionFields.properties.url.maxLength": "WF_SERVICE_URI_BYTES",
    "SubscriptionFields.properties.service.maxLength": "WF_SERVICE_URI_BYTES",
    "SubscriptionFields.properties.mail.maxLength": "WF_SERVICE_URI_BYTES",
    "SubscriptionFields.properties.participant.maxLength":
        "WF_SERVICE_URI_BYTES",
    "SubscriptionFields.properties.specification.maxLength":
        "WF_SERVICE_URI_BYTES",
    "reason.maxLength": "WF_REST_TEXT_BYTES",
    "delete.parameters.0.schema.maxLength": "WF_REST_TEXT_BYTES",
    "OperationRequest.properties.rate.maximum": "WF_OPERATION_RATE",
    "Choice.properties.limit.maximum": "WF_INCIDENTS_CLOSED",
    "Reason.schema.maxLength": "WF_REST_TEXT_BYTES",
    "title.maxLength": "WF_REST_TEXT_BYTES",
    "States.schema.maximum": "WF_SOUNDNESS_STATES_MOST",
    "Claim.properties.count.maximum": "WF_CLAIM_ITEMS",
    "ServiceFields.properties.uri.maxLength": "WF_SERVICE_URI_BYTES",
    "ServiceFields.properties.attempts.maximum": "WF_POLICY_ATTEMPTS",
    "ServiceFields.properties.backoff.maximum": "WF_POLICY_FACTOR",
    "ServiceFields.properties.concurrency.maximum": "WF_POLICY_CALLS",
}
# Where the words of a list in openapi.yaml stand: a file, and a pattern for
# one word. None: tests/rest/test_contract.py compares the list, or the
# contract of answers does.
WORDS = {
    "CaseStatus": ("server/case_filter.c rest/rest_command.c",
                   r'\[WF_CASE_\w+\] = "(\w+)"|\? "(scheduled)"'),
    "Item.properties.status": ("kernel/statuses.def",
                               r'WF_STATUS\((\w+), "\w+", true\)'),
    "EventKind": ("runtime/observing/observed.def",
                  r'WF_OBSERVED\(\d+, \w+, "(\w+)"'),
    "ServiceFields.properties.kind": (
        "work/*.c yawl/*.c",
        r'\n\t\.name = "([\w-]+)"'),
}
# Sizes in sentences: a name of base/limits.h or of kernel/limits.def in
# braces; K and M count in 1024.
SENTENCES = {
    "docs/CONFIGURATION.md": ["up to {WF_ADDRESS_RANGES} addresses"],
    "docs/REST.md": [
        "up to {WF_REST_KEY_BYTES} bytes, new for each command",
        "size of a page, from 1 to {WF_REST_PAGE_ROWS};"],
    "docs/XQUERY.md": [
        "share {query_steps:,} steps (`query_steps`)",
        "may use {query_bytes:M} MiB of memory (`query_bytes`)"],
    "docs/YAWL-COMPATIBILITY.md": [
        "checkin, up to {WF_REQUEST_LOG_BYTES:K} KiB,"],
}
# Variables that no setting has.
VARIABLES = {"WEFT_CA", "WEFT_CONFIG", "WEFT_DB", "WEFT_SERVER", "WEFT_TOKEN"}
# Those of the tests.
VARIABLES |= {"WEFT_BUILD", "WEFT_CORPUS", "WEFT_PICTURES", "WEFT_SEED",
              "WEFT_SOAK", "WEFT_TEST_POSTGRESQL"}
counts = {"passed": 0, "failed": 0}


def check(what, fine, detail=""):
    counts["passed" if fine else "failed"] += 1
    if not fine:
        print("FAILED: %s %s" % (what, detail))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def documents():
    """Each document and its text."""
    for path in ["README.md", "CONTRIBUTING.md"] + sorted(
            glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        yield os.path.relpath(os.path.join(ROOT, path), ROOT), read(path)


class Size(int):
    def __format__(self, unit):
        divisor = {"K": 1 << 10, "M": 1 << 20}.get(unit)
        return "%d" % (self // divisor) if divisor else \
            int.__format__(self, unit)


def limits():
    """The values of base/limits.h by name."""
    found = {}
    for name, text in re.findall(r"^#define (WF_\w+)[ \t]+(\S.*)$",
                                 read("base/limits.h"), re.M):
        text = re.sub(r"/\*.*|\(size_t\)|U?INT64_C", "", text)
        text = re.sub(r"\b(\d+)U\b", r"\1", text)
        text = re.sub(r"WF_\w+", lambda m: str(found[m.group()]), text)
        found[name] = Size(eval(text, {"__builtins__": {}}))
    for name, text in re.findall(r"^WF_LIMIT_ROW\((\w+), (\d+)",
                                 read("kernel/limits.def"), re.M):
        found[name] = Size(text)
    return found


def nodes(node, path=()):
    """Every mapping of a description, with the keys that lead to it."""
    if isinstance(node, dict):
        yield ".".join(path), node
        for key, value in node.items():
            yield from nodes(value, path + (str(key),))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from nodes(value, path + (str(number),))


def sizes(openapi):
    known = limits()
    for path, node in nodes(openapi):
        for word in ("maxLength", "maximum"):
            if not isinstance(node.get(word), int):
                continue
            place = "%s.%s" % (path, word)
            names = {SIZES[end] for end in SIZES if place.endswith(end)}
            name = names.pop() if len(names) == 1 else None
            check("openapi.yaml %s: SIZES names its limit" % place, name)
            check("openapi.yaml %s is %s" % (place, name),
                  node[word] == known.get(name, node[word]),
                  known.get(name))


def sentences():
    known = limits()
    for path, wanted in SENTENCES.items():
        text = " ".join(read(path).split())
        for sentence in wanted:
            sentence = sentence.format(**known)
            check("%s says: %s" % (path, sentence), sentence in text)


def words(openapi):
    for path, (files, pattern) in WORDS.items():
        described = [node["enum"] for place, node in nodes(openapi)
                     if place.endswith(path) and "enum" in node]
        text = "".join(read(file) for wanted in files.split()
                       for file in glob.glob(os.path.join(ROOT, wanted)))
        found = {next(filter(None, match.groups())).lower()
                 for match in re.finditer(pattern, text)}
        check("openapi.yaml has a list of words at %s" % path, described)
        for one in described:
            check("openapi.yaml %s has the words of %s" % (path, files),
                  set(one) == found, set(one) ^ found)


def commands(weft):
    """Options by command, or command and verb, as the completion has them."""
    script = subprocess.run([weft, "completion", "bash"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return {first.strip(): set(found.split()) for first, found in re.findall(
        r'^\t"( ?[^"]*)"(?: \| "[^"]*"\*)?\) words="([^"]*)"', script, re.M)}


def usages(weft):
    known = commands(weft)
    check("the completion has commands", len(known) > 40, len(known))
    for path, text in documents():
        for line in re.findall(r"(?:^|`|\./| )weft ([a-z][^`\n]*--[^`\n]*)",
                               text, re.M):
            line = re.split(r"[|;#]| && ", line)[0]
            place = re.findall(r"^[a-z-]+(?: [a-z]+)?", line)[0]
            if place not in known:
                place = place.split()[0]
            # "weft item … --fence N" is an option of some of its verbs.
            options = set().union(*(
                found for name, found in known.items()
                if (name + " ").startswith(place + " ")))
            for option in re.findall(r"(?:^| )(--[a-z][\w-]*)", line):
                check("%s: weft %s has %s" % (path, place, option),
                      option in options | {"--help"})


def environment(weft):
    settings = {"WEFT_" + option[2:].upper().replace("-", "_")
                for option in commands(weft)["serve"]}
    for path, text in list(documents()) + [
            (name, read(name)) for name in ("docs/weft.1.in", "setup")]:
        for name in sorted(set(re.findall(r"\bWEFT_[A-Z_]+\b", text))):
            check("%s: %s exists" % (path, name),
                  name in settings | VARIABLES)
    program = "".join(read(file) for file in glob.glob(
        os.path.join(ROOT, "cli", "**", "*.c"), recursive=True))
    for name in sorted(set(re.findall(r'getenv\("(WEFT_\w+)"\)', program))):
        said = [path for path, text in documents() if name in text]
        check("a document names %s" % name, said)


def files():
    for path, text in documents():
        for name in sorted(set(re.findall(
                r"`((?:docs|examples|schemas|tests|bench)/[\w./-]+)`",
                text))):
            check("%s: %s exists" % (path, name),
                  os.path.exists(os.path.join(ROOT, name)))
        for name in sorted(set(re.findall(r"\]\(([\w./-]+)\)", text))):
            check("%s: %s exists" % (path, name), os.path.exists(
                os.path.join(ROOT, os.path.dirname(path), name)))


def events_document():
    check("docs/EVENTS.md is what tests/events.py writes",
          read("docs/EVENTS.md") == events.document())
    used = set(re.findall(r'\.origin = "([\w-]+)"', "".join(
        read(file) for folder in ("rest", "runtime", "work", "yawl", "bench")
        for file in glob.glob(os.path.join(ROOT, folder, "*.c")))))
    # Made by a repetition, which is no step.
    check("docs/EVENTS.md has the origins that are used",
          used - {"retry"} <= set(events.ORIGINS), used)


# Where the source has the name of an event of the log: the arguments of a call,
# up to its end, and rows of tables.
LOGGED = [r"wf_(?:log_begin|server_log_event)\(([^;{]*?\))[\s;]",
          r"{ WF_LOG_\w+,([^}]*)}", r"wf_federation_notice\){([^}]*)}"]


def logged():
    """The events of the log."""
    names = set()
    for file in glob.glob(os.path.join(ROOT, "*", "**", "*.c"), recursive=True):
        folder = os.path.relpath(file, ROOT).split(os.sep)[0]
        if folder in ("build", "tests", "bench"):
            continue
        text = read(file)
        for pattern in LOGGED:
            for found in re.findall(pattern, text):
                names |= set(re.findall(r'"([a-z]+(?:_[a-z]+)*)"', found))
    return names


def log_events():
    section = re.search(r"^## The log$.*?(?=^## |\Z)",
                        read("docs/CONFIGURATION.md"), re.M | re.S).group()
    rows = set()
    for cell in re.findall(r"^\| (`[^|]*`) \|", section, re.M):
        rows |= set(re.findall(r"`(\w+)`", cell))
    found = logged()
    check("the log has events", len(found) > 30, found)
    check("docs/CONFIGURATION.md has the events of the log", found == rows,
          found ^ rows)


def is_test(part, where):
    """Whether tests/check.sh runs that test: docs/PEOPLE.md, "test"."""
    file, _, name = where.partition(": ")
    if part == "unit":
        path = "tests/unit/test_%s.c" % file
        return "WF_SUITE(%s)" % file in read("tests/unit/suites.def") and (
            '{ "%s",' % name in read(path))
    if part == "recorded-resources":
        stories = re.search(r'resource_stories="([^"]*)"',
                            read("tests/check.sh")).group(1).split()
        return where in stories + ["distribution", "allocation", "privileges"]
    path = os.path.join("tests", part, file.strip("`"))
    if not os.path.exists(os.path.join(ROOT, path)):
        return False
    wanted = ('scenario "%s"\n' if part == "scenarios" else
              "\ndef %s(") % name
    return not name or wanted in read(path)


def tests_of_people():
    """The tests that docs/PEOPLE.md names exist."""
    cells = re.findall(r"^\|.*\|([^|\n]*)\|$", read("docs/PEOPLE.md"), re.M)
    count = 0
    for cell in cells:
        for part, where in re.findall(
                r"`(unit|rest|yawl|scenarios|recorded-resources)` \(([^)]*)\)",
                cell):
            count += 1
            check("docs/PEOPLE.md: %s %s exists" % (part, where),
                  is_test(part, where))
    check("docs/PEOPLE.md names tests", count > 100, count)


def main():
    weft = os.path.join(os.path.abspath(sys.argv[1]), "weft")
    openapi = yaml_subset.read(read("schemas/openapi.yaml"))
    sizes(openapi)
    sentences()
    words(openapi)
    usages(weft)
    environment(weft)
    files()
    events_document()
    log_events()
    tests_of_people()
    print("%(passed)d passed, %(failed)d failed" % counts)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
