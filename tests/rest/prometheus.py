# SPDX-License-Identifier: Apache-2.0
"""Reads the text format of Prometheus, strictly; anything else is an error."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(r"^(%s)(?:\{(.*)\})? (\S+)$" % NAME)
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
ENDS = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",),
        "gauge": ("",)}


class Family:
    def __init__(self, name, kind):
        self.name = name
        self.kind = kind
        self.samples = {}  # (end of the name, labels): value


def labels(text):
    found, at = [], 0
    while at < len(text or ""):
        one = LABEL.match(text, at)
        if one is None:
            raise ValueError("labels: %r" % text)
        found.append((one.group(1), re.sub(
            r"\\(.)", lambda e: {"n": "\n"}.get(e.group(1), e.group(1)),
            one.group(2))))
        at = one.end()
    if len({name for name, _ in found}) < len(found):
        raise ValueError("a label occurs twice: %r" % text)
    return tuple(sorted(found))


def check_histogram(family):
    """Buckets grow up to +Inf, which is the count."""
    groups = {}
    for (end, where), value in family.samples.items():
        if end == "_bucket":
            rest = tuple(one for one in where if one[0] != "le")
            groups.setdefault(rest, []).append(
                (float(dict(where)["le"]), value))
    for rest, buckets in groups.items():
        counts = [count for _, count in sorted(buckets)]
        if sorted(counts) != counts or \
                max(buckets)[0] != float("inf") or \
                family.samples["_count", rest] != counts[-1] or \
                ("_sum", rest) not in family.samples:
            raise ValueError("%s%r is no histogram" % (family.name, rest))


def parse(text):
    """The families by name."""
    families, current, help_of = {}, None, None
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text[:-1].split("\n"):
        words = line.split(" ", 3)
        if line.startswith("# HELP ") and len(words) == 4:
            help_of = words[2]
        elif line.startswith("# TYPE ") and len(words) == 4:
            if words[2] != help_of or words[2] in families:
                raise ValueError("TYPE without HELP, or twice: " + line)
            if (words[3] == "counter") != words[2].endswith("_total"):
                raise ValueError("a %s with this name: %s" % (
                    words[3], words[2]))
            current = families[words[2]] = Family(words[2], words[3])
        else:
            found = SAMPLE.match(line)
            if found is None or current is None or \
                    not found.group(1).startswith(current.name):
                raise ValueError("no sample of its family: " + line)
            key = (found.group(1)[len(current.name):], labels(found.group(2)))
            if key[0] not in ENDS[current.kind] or key in current.samples:
                raise ValueError("twice, or of another family: " + line)
            current.samples[key] = float(found.group(3))
    for family in families.values():
        if family.kind == "histogram":
            check_histogram(family)
    return families


def value(families, name, end="", **wanted):
    return families[name].samples.get(
        (end, tuple(sorted((k, v) for k, v in wanted.items()))))
