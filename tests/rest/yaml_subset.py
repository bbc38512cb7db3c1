# SPDX-License-Identifier: Apache-2.0
"""Reads the part of YAML that schemas/openapi.yaml uses: mappings and lists by
indentation, flow style in one line, quoted and plain scalars, blocks after
"|", anchors and aliases. Anything else is an error."""
import re

PLAIN_KEY = re.compile(r'^("[^"]*"|\'[^\']*\'|[^\s#"\'{}\[\],&*|>-][^#]*?|-?[^\s#"\'{}\[\],&*|>][^#"\']*?)\s*:(?:\s+(.*))?$')
NUMBER = re.compile(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$")
WORDS = {"true": True, "false": False, "null": None, "": None, "~": None}


class Flow:
    """One line of flow style or a scalar."""

    def __init__(self, text, anchors):
        self.text = text
        self.at = 0
        self.anchors = anchors

    def space(self):
        while self.text[self.at:self.at + 1] == " ":
            self.at += 1

    def peek(self):
        self.space()
        return self.text[self.at:self.at + 1]

    def expect(self, c):
        if self.peek() != c:
            raise ValueError("expected %r at %r" % (c, self.text[self.at:]))
        self.at += 1

    def quoted(self):
        quote = self.text[self.at]
        end = self.at + 1
        out = ""
        while self.text[end] != quote:
            if quote == '"' and self.text[end] == "\\":
                end += 1
                out += {"n": "\n", "t": "\t"}.get(self.text[end],
                                                  self.text[end])
            else:
                out += self.text[end]
            end += 1
        self.at = end + 1
        return out

    def plain(self, ends):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self.at += 1
        return self.text[start:self.at].strip()

    def value(self, inside=False):
        c = self.peek()
        if c == "{":
            return self.mapping()
        if c == "[":
            return self.list()
        if c in ('"', "'") and c:
            return self.quoted()
        if c == "*":
            return self.anchors[self.plain(",}] ")[1:]]
        return scalar(self.plain(",}]" if inside else ""))

    def mapping(self):
        out = {}
        self.expect("{")
        while self.peek() != "}":
            key = self.quoted() if self.peek() in "\"'" else self.plain(":")
            self.expect(":")
            out[key] = self.value(True)
            if self.peek() == ",":
                self.at += 1
        self.expect("}")
        return out

    def list(self):
        out = []
        self.expect("[")
        while self.peek() != "]":
            out.append(self.value(True))
            if self.peek() == ",":
                self.at += 1
        self.expect("]")
        return out

    def whole(self):
        value = self.value()
        if self.peek():
            raise ValueError("not read: %r" % self.text[self.at:])
        return value


def scalar(text):
    if text in WORDS:
        return WORDS[text]
    if NUMBER.match(text):
        return float(text) if "." in text else int(text)
    if text[:1] in "&*!|>%@`":
        raise ValueError("not known: %r" % text)
    return text


class Reader:
    def __init__(self, text):
        self.lines = [line.rstrip() for line in text.split("\n")]
        self.at = 0
        self.anchors = {}

    def skip(self):
        while self.at < len(self.lines) and (
                not self.lines[self.at].strip()
                or self.lines[self.at].lstrip().startswith("#")):
            self.at += 1
        return self.at < len(self.lines)

    def indent(self):
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def node(self, least):
        """The lines that are indented by at least that much."""
        if not self.skip() or self.indent() < least:
            return None
        indent = self.indent()
        if self.lines[self.at][indent:].startswith(("- ", "-\n")):
            return self.list(indent)
        return self.mapping(indent)

    def list(self, indent):
        out = []
        while self.skip() and self.indent() == indent and \
                self.lines[self.at][indent:].startswith("- "):
            rest = self.lines[self.at][indent + 2:]
            if PLAIN_KEY.match(rest) and rest[0] not in "{[":
                # A mapping that begins in this line.
                self.lines[self.at] = " " * (indent + 2) + rest
                out.append(self.mapping(indent + 2))
            else:
                self.at += 1
                out.append(self.rest(rest, indent))
        return out

    def mapping(self, indent):
        out = {}
        while self.skip() and self.indent() == indent:
            found = PLAIN_KEY.match(self.lines[self.at][indent:])
            if not found:
                raise ValueError("line %d: %r" % (self.at + 1,
                                                  self.lines[self.at]))
            key = found.group(1).strip("\"'")
            if key in out:
                raise ValueError("line %d: %r again" % (self.at + 1, key))
            self.at += 1
            out[key] = self.rest(found.group(2) or "", indent)
        if self.skip() and self.indent() > indent:
            raise ValueError("line %d: %r" % (self.at + 1,
                                              self.lines[self.at]))
        return out

    def rest(self, text, indent):
        """The value after a key, or in the lines below it."""
        anchor = re.match(r"&(\w+)\s*(.*)$", text)
        if anchor:
            value = self.rest(anchor.group(2), indent)
            self.anchors[anchor.group(1)] = value
            return value
        if text == "|":
            return self.block(indent)
        if text == "":
            return self.node(indent + 1)
        return Flow(text, self.anchors).whole()

    def block(self, indent):
        lines = []
        while self.at < len(self.lines) and (
                not self.lines[self.at] or self.indent() > indent):
            lines.append(self.lines[self.at])
            self.at += 1
        while lines and not lines[-1]:
            lines.pop()
        depth = min(len(line) - len(line.lstrip(" "))
                    for line in lines if line)
        return "\n".join(line[depth:] for line in lines) + "\n"


def read(text):
    reader = Reader(text)
    value = reader.node(0)
    if reader.skip():
        raise ValueError("line %d is not read" % (reader.at + 1))
    return value
