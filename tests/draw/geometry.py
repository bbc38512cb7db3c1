# SPDX-License-Identifier: Apache-2.0
"""Measures pictures of weft draw: what runs through or covers what.

usage: geometry.py [--verbose] FILE.svg...; ends with "N passed, N failed"

A flow may touch a figure only at its ends.  It runs through no figure, no mark
of a join or split, no name, note or label; none of these covers another one.
"""
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
SLACK = 2.0  # pixels: strokes touch
SIZES = {"wf-name": 13, "wf-empty-name": 13, "wf-label": 11, "wf-note": 11,
         "wf-predicate": 11}


def letter(c):
    """As draw/draw_text.c estimates it."""
    if ord(c) >= 0x2000:
        return 700 if ord(c) < 0x3000 else 1000
    if ord(c) >= 0x80:
        return 600
    for letters, width in (("iljI.,:;'|!", 260), ("ft()[]{}/\\ r-\"", 330),
                           ("mMW%@", 860), ("_", 556), ("w+<>=~", 650)):
        if c in letters:
            return width
    return 690 if c.isupper() else 556


class Page:
    """Lists of (what, box), and of flows as lists of points."""

    def __init__(self, path):
        self.nodes, self.marks, self.texts, self.flows = [], [], [], []
        self.walk(ET.parse(path).getroot(), 0, 0)

    def walk(self, at, x, y):
        shift = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)",
                         at.get("transform", ""))
        if shift:
            x, y = x + float(shift.group(1)), y + float(shift.group(2))
        kind = at.get("class", "")
        if at.tag == SVG + "path" and kind == "wf-flow" and "C" in at.get("d"):
            self.flows.append(curve(at.get("d"), x, y))
        elif at.tag == SVG + "text" and kind in SIZES:
            self.text(at, SIZES[kind], x, y)
        elif at.tag == SVG + "g" and kind in ("wf-place", "wf-input",
                                              "wf-output"):
            circle = at.find(SVG + "circle")
            cx, cy, r = (float(circle.get(k)) for k in ("cx", "cy", "r"))
            self.nodes.append((title(at), (x + cx - r, y + cy - r,
                                           2 * r, 2 * r)))
            return
        elif at.tag == SVG + "g" and kind in ("wf-task", "wf-composite",
                                              "wf-empty", "wf-and", "wf-xor",
                                              "wf-or"):
            # Neither in the legend, which has no titles.
            if at.find(SVG + "title") is not None:
                self.boxes(at, self.marks if kind in (
                    "wf-and", "wf-xor", "wf-or") else self.nodes, x, y)
            return
        for child in at:
            self.walk(child, x, y)

    def boxes(self, at, into, x, y):
        """One around all of its rectangles."""
        boxes = [tuple(float(r.get(k)) for k in ("x", "y", "width", "height"))
                 for r in at.findall(SVG + "rect")]
        left, top = min(b[0] for b in boxes), min(b[1] for b in boxes)
        right = max(b[0] + b[2] for b in boxes)
        bottom = max(b[1] + b[3] for b in boxes)
        into.append((title(at), (x + left, y + top, right - left,
                                 bottom - top)))

    def text(self, at, size, x, y):
        for part in at.findall(SVG + "tspan") or [at]:
            text = "".join(part.itertext())
            if part.get("x") is None:
                continue  # no text
            width = sum(letter(c) for c in text) * size / 1000
            self.texts.append((text, (
                x + float(part.get("x")) - width / 2,
                y + float(part.get("y")) - size * 0.75, width, size * 0.9)))


def title(at):
    return at.find(SVG + "title").text.split("\n")[0]


def curve(d, x, y):
    """Points on the Bezier curves."""
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", d)]
    p = [(x + numbers[i], y + numbers[i + 1])
         for i in range(0, len(numbers), 2)]
    points = [p[0]]
    for i in range(0, len(p) - 3, 3):
        for step in range(1, 17):
            t = step / 16
            s = 1 - t
            c = (s ** 3, 3 * s * s * t, 3 * s * t * t, t ** 3)
            points.append(tuple(sum(c[k] * p[i + k][a] for k in range(4))
                                for a in (0, 1)))
    return points


def crosses(a, b, box):
    """Whether a segment has a point inside the box, less some slack."""
    x, y, w, h = box[0] + SLACK, box[1] + SLACK, box[2] - 2 * SLACK, \
        box[3] - 2 * SLACK
    low, high = 0.0, 1.0
    if w <= 0 or h <= 0:
        return False
    for start, delta, least, most in ((a[0], b[0] - a[0], x, x + w),
                                      (a[1], b[1] - a[1], y, y + h)):
        if abs(delta) < 1e-9:
            if not least < start < most:
                return False
            continue
        near, far = sorted(((least - start) / delta, (most - start) / delta))
        low, high = max(low, near), min(high, far)
    return low < high


def cuts(a, b, box):
    """Whether a segment has a point inside the circle in the box."""
    cx, cy = box[0] + box[2] / 2, box[1] + box[3] / 2
    dx, dy = b[0] - a[0], b[1] - a[1]
    t = ((cx - a[0]) * dx + (cy - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    t = min(1, max(0, t))
    return ((a[0] + t * dx - cx) ** 2 + (a[1] + t * dy - cy) ** 2) ** 0.5 < \
        box[2] / 2 - SLACK


def covers(a, b):
    return all(min(a[k] + a[k + 2], b[k] + b[k + 2]) - max(a[k], b[k]) >
               2 * SLACK for k in (0, 1))


def inside(text, node):
    """A task's own name is in its box."""
    return all(node[k] - 8 <= text[k] and text[k] + text[k + 2] <=
               node[k] + node[k + 2] + 8 for k in (0, 1))


def faults(page):
    for points in page.flows:
        pieces = list(zip(points, points[1:]))
        left = min(p[0] for p in points)
        right = max(p[0] for p in points)
        for name, box in page.nodes + page.marks + page.texts:
            if box[0] > right or box[0] + box[2] < left:
                continue
            cut = cuts if name.split(" ")[0] in (
                "Condition", "Input", "Output") else crosses
            if any(cut(a, b, box) for a, b in pieces):
                yield "a flow runs through", name
    solid = page.nodes + page.marks
    for i, (name, box) in enumerate(solid):
        for other, there in solid[i + 1:]:
            if covers(box, there):
                yield "%s covers" % name, other
    for i, (name, box) in enumerate(page.texts):
        for other, there in solid:
            if covers(box, there) and not inside(box, there):
                yield "text %s covers" % name, other
        for other, there in page.texts[i + 1:]:
            if covers(box, there):
                yield "text %s covers text" % name, other


def main():
    verbose = sys.argv[1:2] == ["--verbose"]
    passed = failed = 0
    for path in sys.argv[1 + verbose:]:
        found = list(faults(Page(path)))
        if not found:
            passed += 1
            continue
        failed += 1
        print("%s: %d faults" % (path, len(found)))
        for what, name in found if verbose else found[:5]:
            print("    %s %s" % (what, name))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
