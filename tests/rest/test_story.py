# SPDX-License-Identifier: Apache-2.0
"""What docs/OPERATION.md says of a wrong version happens: each command of the
section is run, and prints what stands there ("..." is for any lines)."""
import os
import re
import subprocess

from checks import check, end, run
from server import ROOT, WEFT, Server
from stores import on_each

SECTION = "## A wrong version"


def commands():
    """Each command, with the lines that it prints."""
    with open(os.path.join(ROOT, "docs", "OPERATION.md")) as file:
        section = file.read().split("\n" + SECTION + "\n")[1]
    section = section.split("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def plain(text):
    """Without numbers of cases, which get theirs side by side."""
    text = re.sub(r"(?m)(\bnet |\blike |\bof |^  |^1  +)\d+", r"\1N", text)
    return re.sub(" +", " ", text)


def fits(output, expected):
    pattern = "".join(
        ".*" if line == "...\n" else re.escape(line)
        for line in plain(expected).splitlines(keepends=True))
    return re.fullmatch(pattern, plain(output), re.S) is not None


def story(name, db):
    server = Server(db=db)
    os.symlink(os.path.join(ROOT, "examples"), server.folder + "/examples")
    os.symlink(os.path.realpath(WEFT), server.folder + "/weft")
    environment = dict(
        os.environ, WEFT_TOKEN=server.token, LC_ALL="C",
        WEFT_SERVER="http://127.0.0.1:%d" % server.port,
        PATH=server.folder + ":" + os.environ["PATH"])
    count = 0
    for command, expected in commands():
        done = subprocess.run(
            ["sh", "-c", command], cwd=server.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        output = done.stdout.decode()
        check("%s: %s" % (name, command), fits(output, expected), output)
        count += 1
    check("%s: there were commands" % name, count > 20, count)
    server.close()


run(*on_each(story, "the story of a wrong version"))
end()
