#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds circles of calls between source files, from the compiled objects.

A file needs another when its object has an undefined symbol that the other
defines; files that need each other, directly or through others, are a circle.
No circle may reach over two folders, and none may have more than 8 files.

usage: circles.py BUILD [FOLDER]; FOLDER shows its circles, also allowed ones.
Ends with "N passed, N failed", counted in files.
"""
import collections
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NO_PRODUCT = ("contrib", "docs", "examples", "schemas", "tests")
FOLDERS = sorted(
    name for name in os.listdir(ROOT) if name not in NO_PRODUCT
    and os.path.exists(os.path.join(ROOT, name, "local.mk")))
MOST = 8


def objects(build):
    """The objects of the product: source name -> path."""
    found = {}
    for folder in FOLDERS:
        for root, _, files in os.walk(os.path.join(build, folder)):
            for name in files:
                if not name.endswith(".o"):
                    continue
                place = os.path.relpath(root, build)
                # Automake may put the program's name before it.
                source = os.path.join(place, name.split("-")[-1][:-2] + ".c")
                if os.path.exists(source):
                    found[source] = os.path.join(root, name)
    return found


def symbols(found):
    """source -> the names that it defines, and those that it needs. One nm
    reads all objects: starting one for each takes a hundred times as long."""
    sources = {path: source for source, path in found.items()}
    names = {source: (set(), set()) for source in found}
    said = subprocess.run(
        ["nm", "-A", *sources], check=True, capture_output=True,
        text=True).stdout
    for line in said.splitlines():
        path, _, symbol = line.partition(":")
        words = symbol.split()
        if words[-2] == "U":
            names[sources[path]][1].add(words[-1])
        elif words[-2] in "TDBRVCG":
            names[sources[path]][0].add(words[-1])
    return names


def edges_of(found):
    """source -> source that it needs -> the symbols."""
    defines, needs = {}, {}
    for source, (defined, needed) in symbols(found).items():
        needs[source] = needed
        for name in defined:
            defines[name] = source
    edges = {source: collections.defaultdict(set) for source in found}
    for source, names in needs.items():
        for name in names:
            other = defines.get(name, source)
            if other != source:
                edges[source][other].add(name)
    return edges


def circles_of(edges):
    """Strongly connected parts of more than one file (Tarjan 1972)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        for other in edges[node]:
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
                on_stack.discard(part[-1])
            if len(part) > 1:
                found.append(sorted(part))

    for node in edges:
        if node not in number:
            visit(node)
    return found


def show(circle, edges):
    for source in circle:
        for other in circle:
            names = sorted(edges[source].get(other, ()))
            if names:
                more = " .." if len(names) > 4 else ""
                print("    %s -> %s: %s%s" % (
                    source, other, " ".join(names[:4]), more))


def verdict(circle):
    """None if the circle is allowed, else what is wrong with it."""
    folders = sorted({source.split("/")[0] for source in circle})
    if len(folders) > 1:
        return "reaches over " + ", ".join(folders)
    return "has more than %d files" % MOST if len(circle) > MOST else None


def main():
    sys.setrecursionlimit(10000)
    build = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(sys.argv[0]) or ".", ".."))
    edges = edges_of(objects(build))
    bad = 0
    for circle in sorted(circles_of(edges), key=len):
        wrong = verdict(circle)
        wanted = len(sys.argv) > 2 and any(
            source.startswith(sys.argv[2]) for source in circle)
        if wrong or wanted:
            print("a circle of %d files%s:" % (
                len(circle), " " + wrong if wrong else ""))
            show(circle, edges)
        if wrong:
            bad += len(circle)
    print("%d passed, %d failed" % (len(edges) - bad, bad))
    return bad > 0 or not edges


if __name__ == "__main__":
    sys.exit(main())
