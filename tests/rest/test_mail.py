# SPDX-License-Identifier: Apache-2.0
"""Mail to people: who gets one and when, its bytes, and what happens when the
server of mail refuses or is away."""
import base64
import email
import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import time

from checks import LIMIT, check, end, run, until
from people import add_people, process, resourcing
from ports import free_port
from server import WEFT, Server
from smtp import Smtp, make_certificates, subject_of, text_of
from stores import on_each

FROM = ["--people", "--mail-from", "weft@example.org"]


def mail(name, db):
    smtp = Smtp(free_port())  # it comes back at the same port
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "reminder.txt"), "w") as file:
        file.write("Subject: Erinnerung \u2013 {task}\n\nan {user}: {item}\n")
    server = Server(db=db, arguments=[
        "--people", "--mail-server", "smtp://127.0.0.1:%d" % smtp.port,
        "--mail-from", "weft@example.org", "--mail-templates", folder,
        "--public-url", "https://weft.example.org/"])
    client = server.client()
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    client.call("PUT", "/v1/roles/RO-boss", {"name": "Boss"})
    people = add_people(server, {
        "anna": {"roles": ["Clerk"], "email": "anna@example.org",
                 "mailOnOffer": True, "mailOnAllocation": True,
                 "lastName": "B\u00e4r"},
        "ben": {"roles": ["Clerk"], "email": "ben@example.org"},
        "cara": {"roles": ["Clerk"], "mailOnOffer": True,
                 "email": "cara@example.org\r\nBcc: all@example.org"},
        "dora": {"roles": ["Clerk"], "mailOnOffer": True,
                 "email": "dora@example.org"},
        "eve": {"roles": ["Boss"], "email": "eve@example.org"}})
    smtp.refuse["dora@example.org"] = ["550 nobody of that name"]
    clerks = resourcing(roles=["RO-clerk"], more="<privileges><privilege><name>"
                        "canDelegate</name><allowall>true</allowall>"
                        "</privilege></privileges>")
    key = client.load(process("plain", [("A", clerks)]))
    client.post("/v1/cases", {"specification": key, "case": "p"})
    mails = smtp.wait_for(1)
    check("%s: an offer goes to who wants it and has an address" % name,
          [to for to, _ in mails] == ["anna@example.org"], mails)
    message = email.message_from_bytes(mails[0][1])
    check("%s: its headers" % name, message["From"] == "<weft@example.org>"
          and message["To"] == "<anna@example.org>" and message["Date"]
          and subject_of(message) == "A is offered to you", mails[0][1])
    check("%s: its text names the person and the item" % name,
          "Anna B\u00e4r" in text_of(message) and "p:A" in text_of(message)
          and "https://weft.example.org/v1/items/p%3AA" in text_of(message),
          text_of(message))
    ben = people["ben"]
    ben.post("/v1/items/p:A/accept")
    ben.post("/v1/items/p:A/delegate", {"to": "anna"})
    mails = smtp.wait_for(2)
    message = email.message_from_bytes(mails[-1][1])
    check("%s: what is delegated is allocated" % name, len(mails) == 2
          and mails[-1][0] == "anna@example.org"
          and subject_of(message) == "A is allocated to you", mails)

    smtp.refuse["anna@example.org"] = ["451 not now"]
    key = client.load(process("late", [("Late", clerks, (
        'p:remind="enabled" p:escalate="enabled notify Boss"'))]))
    client.post("/v1/cases", {"specification": key, "case": "l"})
    mails = smtp.wait_for(7)
    found = sorted((to, subject_of(email.message_from_bytes(text)))
                   for to, text in mails[2:])
    check("%s: reminders and escalation; what is refused for now comes again"
          % name, found == [
              ("anna@example.org", "Erinnerung \u2013 Late"),
              ("anna@example.org", "Late is offered to you"),
              ("dora@example.org", "Erinnerung \u2013 Late"),
              ("dora@example.org", "Late is offered to you"),
              ("eve@example.org", "Late is late")], found)
    check("%s: a refused address is tried once for each mail" % name,
          smtp.tries.count("anna@example.org") == 5, smtp.tries)
    check("%s: nobody else, and no address with a line in it" % name,
          "ben@example.org"
          not in smtp.tries and not any("cara" in to for to in smtp.tries),
          smtp.tries)

    # The server of mail is away, and the server ends meanwhile.
    port = smtp.port
    smtp.close()
    key = client.load(process("more", [("M", clerks)]))
    client.post("/v1/cases", {"specification": key, "case": "m"})
    server.stop()
    later = Smtp(port)
    server.start()
    mails = later.wait_for(2)
    check("%s: what waits is sent when both are there again" % name,
          {to for to, _ in mails} == {"anna@example.org", "dora@example.org"}
          and all(b"m:M" in base64.b64decode(
              email.message_from_bytes(text).get_payload())
              for _, text in mails), mails)
    check("%s: and nothing again" % name, len(later.mails) == 2, later.mails)
    until(lambda: sent(server) >= 2)
    check("%s: mails are counted" % name, sent(server) == 2, sent(server))
    server.close()
    later.close()


def add_many(server, count, **more):
    """Participants with addresses and the role RO-clerk; nobody signs in."""
    client = server.client()
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    people = [dict({"id": "PA-%03d" % i, "user": "p%03d" % i,
                    "email": "p%03d@example.org" % i, "roles": ["RO-clerk"],
                    "mailOnOffer": True}, **more) for i in range(count)]
    answer = client.post("/v1/organisation", {"participants": people},
                         type="application/json")
    assert answer.status == 200, answer
    return ["p%03d@example.org" % i for i in range(count)]


def offer(server, name):
    client = server.client()
    key = client.load(process(name, [(
        name.title(), resourcing(roles=["RO-clerk"]))]))
    answer = client.post("/v1/cases", {"specification": key, "case": name})
    assert answer.status == 201, answer


def counted(server, result):
    """How many mails ended so, as the server counts since it started."""
    found = re.search(r'weft_mails_total{result="%s"} (\d+)' % result,
                      server.client().get("/metrics").body.decode())
    return int(found.group(1)) if found else 0


def sent(server):
    return counted(server, "sent")


def addresses(smtp):
    return [to for to, _ in smtp.mails]


def restart(server, *arguments, number=signal.SIGTERM):
    server.stop(number)
    server.arguments = list(arguments)
    server.start()


def digests(name, db):
    """What waits comes in one mail, also when servers come and go meanwhile."""
    smtp = Smtp()
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "offer.txt"), "w") as file:
        file.write("Subject: {process}, {label}\n\n{first}|{last}|{version}|"
                   "{enabled}|{count}{items}|\n")
    how = FROM + ["--mail-server", "smtp://127.0.0.1:%d" % smtp.port,
                  "--mail-templates", folder,
                  "--public-url", "https://weft.example.org"]
    late = how + ["--mail-digest", "31d"]
    soon = how + ["--mail-digest", "1s"]
    server = Server(db=db, arguments=late)
    client = server.client()
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    people = add_people(server, {
        "anna": {"roles": ["Clerk"], "email": "anna@example.org",
                 "mailOnOffer": True, "mailOnAllocation": True,
                 "mailDigest": True},
        "ben": {"roles": ["Clerk"], "email": "ben@example.org",
                "lastName": "Bern", "mailOnOffer": True}})
    clerks = resourcing(roles=["RO-clerk"], more="<privileges><privilege><name>"
                        "canDelegate</name><allowall>true</allowall>"
                        "</privilege></privileges>")
    key = client.load(process("plain", [("A", clerks)]))
    for case in ("d1", "d3"):
        client.post("/v1/cases", {"specification": key, "case": case})
    smtp.wait_for(2)
    people["ben"].post("/v1/items/d1:A/accept")
    people["ben"].post("/v1/items/d3:A/accept")
    people["ben"].post("/v1/items/d3:A/delegate", {"to": "anna"})
    # When its mail was sent, the mailer has passed all that was before.
    client.post("/v1/cases", {"specification": key, "case": "d2"})
    mails = smtp.wait_for(3)
    until(lambda: sent(server) >= 3)
    check("%s: who wants no digest has a mail about each offer" % name,
          addresses(smtp) == ["ben@example.org"] * 3, mails)
    message = email.message_from_bytes(mails[0][1])
    fields = text_of(message).strip().split("|")
    check("%s: what a template may name" % name,
          subject_of(message) == "Plain, A" and fields[:3] == [
              "Ben", "Bern", "0.1"] and fields[3].endswith("Z")
          and fields[4:] == ["", ""], subject_of(message), fields)
    restart(server, *soon)
    mails = smtp.wait_for(4)
    message = email.message_from_bytes(mails[-1][1])
    text = text_of(message)
    check("%s: a digest names what waits, in one mail" % name,
          mails[-1][0] == "anna@example.org"
          and subject_of(message) == "Work that waits for you: 2"
          and "- A (d2:A), Plain: offered, priority 50, due -" in text
          and "- A (d3:A), Plain: allocated" in text and "d1" not in text
          and "https://weft.example.org/v1/items/d2%3AA" in text
          and "https://weft.example.org/v1/worklist" in text,
          subject_of(message), text)

    # Two digests later there is nothing new; digests go before other mail.
    start = int(time.time())
    until(lambda: time.time() > start + 3)
    client = server.client()
    client.call("PATCH", "/v1/people/anna", {"mailOnOffer": False})
    client.post("/v1/cases", {"specification": key, "case": "d4"})
    smtp.wait_for(5)
    check("%s: without news there is no digest" % name,
          addresses(smtp)[4:] == ["ben@example.org"], addresses(smtp))
    people["ben"].port = server.port
    people["ben"].close()
    people["ben"].post("/v1/items/d4:A/accept")
    people["ben"].post("/v1/items/d4:A/delegate", {"to": "anna"})
    mails = smtp.wait_for(6)
    text = text_of(email.message_from_bytes(mails[-1][1]))
    check("%s: what is no longer wanted is not listed" % name,
          mails[-1][0] == "anna@example.org" and "d2" not in text
          and "d3:A" in text and "d4:A" in text, text)

    # Stopped in the middle of the digests: each comes once.
    until(lambda: sent(server) >= 3)
    restart(server, *late)
    everybody = add_many(server, 30, mailDigest=True)
    offer(server, "many")
    smtp.wait(lambda: addresses(smtp).count("ben@example.org") == 5)
    until(lambda: sent(server) >= 1)
    before = len(smtp.mails)
    smtp.tries.clear()
    smtp.hold_at = 10
    restart(server, *soon)
    smtp.held.wait(LIMIT)
    server.stop()
    smtp.release()
    first = addresses(smtp)[before:]
    server.start()
    smtp.wait(lambda: len(smtp.mails) >= before + 30)
    check("%s: digests go on where they were stopped" % name,
          first == everybody[:10]
          and addresses(smtp)[before:] == everybody,
          first, addresses(smtp)[before:])
    server.close()
    smtp.close()


def resume(name, db):
    """A server that ends in the middle of an offer to many goes on there."""
    smtp = Smtp(hold_at=70)
    how = FROM + ["--mail-server", "smtp://127.0.0.1:%d" % smtp.port]
    server = Server(db=db, arguments=how)
    everybody = add_many(server, 150)
    offer(server, "first")
    smtp.held.wait(LIMIT)
    server.stop()
    smtp.release()
    check("%s: it was stopped in the middle" % name,
          addresses(smtp) == everybody[:70], addresses(smtp))
    server.start()
    smtp.wait_for(150)
    check("%s: after a stop everybody has one mail" % name,
          addresses(smtp) == everybody, addresses(smtp))
    server.close()
    smtp.close()


def crash():
    """The same after a crash: what was sent since the record was written,
    within a second, is repeated, and nothing else."""
    smtp = Smtp(hold_at=150, pause=0.02)
    how = FROM + ["--mail-server", "smtp://127.0.0.1:%d" % smtp.port]
    server = Server(arguments=how)
    everybody = add_many(server, 200)
    offer(server, "first")
    smtp.held.wait(LIMIT)
    server.stop(signal.SIGKILL)
    smtp.release()
    check("it was killed in the middle", addresses(smtp) == everybody[:150],
          addresses(smtp))
    # Nobody waits for the claim of the dead server to end.
    store = sqlite3.connect(server.db.split(":", 1)[1])
    with store:
        rows = store.execute(
            "SELECT value FROM record WHERE kind = 'mail'").fetchall()
        check("there is one record of mail", len(rows) == 1, rows)
        store.execute("UPDATE record SET value = ? WHERE kind = 'mail'",
                      (json.dumps(dict(json.loads(rows[0][0]),
                                       until=0)).encode(),))
    store.close()
    server.start()
    smtp.wait(lambda: everybody[-1] in addresses(smtp))
    again = addresses(smtp)[150:]
    repeated = len(again) - 50
    # A second has at most 50 pauses, and the mail at its end.
    check("everybody has a mail, the last second's perhaps two",
          0 <= repeated <= 52 and again == everybody[150 - repeated:],
          repeated, again)
    server.close()
    smtp.close()


def by_tls():
    """TLS and the password: never without a certificate that is trusted."""
    good = tempfile.mkdtemp()
    other = tempfile.mkdtemp()
    elsewhere = tempfile.mkdtemp()
    make_certificates(good)
    make_certificates(other)
    make_certificates(elsewhere, "127.0.0.2")
    secret = os.path.join(good, "password")
    with open(secret, "w") as file:
        file.write("weft:open sesame\n")

    def serve(smtp, scheme, ca, *more):
        server = Server(arguments=FROM + [
            "--mail-server", "%s://127.0.0.1:%d" % (scheme, smtp.port),
            "--mail-ca", os.path.join(ca, "ca.pem"), *more])
        add_many(server, 1)
        offer(server, "first")
        return server

    user = ("weft", "open sesame")
    password = ("--mail-password-file", secret)
    for implicit in (False, True):
        scheme = "smtps" if implicit else "smtp"
        smtp = Smtp(certificates=good, implicit=implicit, user=user)
        server = serve(smtp, scheme, good, *password)
        smtp.wait_for(1)
        check("%s: mail by TLS, with the password" % scheme,
              smtp.secure == [True] and smtp.logins == [(user, True)]
              and all(secure for word, secure in smtp.words
                      if word in ("AUTH", "MAIL", "RCPT", "DATA")),
              smtp.words, smtp.logins)
        server.close()
        smtp.close()
        for what, folder, ca in (("an unknown issuer", good, other),
                                 ("another name", elsewhere, elsewhere)):
            smtp = Smtp(certificates=folder, implicit=implicit, user=user)
            server = serve(smtp, scheme, ca, *password)
            until(lambda: len(smtp.connections) >= 2)
            check("%s: a certificate of %s gets nothing, and is tried again"
                  % (scheme, what), not smtp.mails and not smtp.logins
                  and not any(secure for _, secure in smtp.words)
                  and {word for word, _ in smtp.words} <= {"EHLO", "STARTTLS"},
                  smtp.words)
            server.close()
            smtp.close()

    smtp = Smtp(user=user)
    server = serve(smtp, "smtp", good, *password)
    smtp.wait(lambda: len(smtp.words) >= 2)
    check("a server without TLS gets no password",
          until(lambda: counted(server, "failed") > 0)
          and not smtp.logins and not smtp.mails
          and {word for word, _ in smtp.words} <= {"EHLO", "QUIT"},
          smtp.words)
    server.close()
    smtp.close()

    smtp = Smtp(certificates=good)
    server = serve(smtp, "smtp", good)
    smtp.wait_for(1)
    check("TLS is used where it is offered, without a password, too",
          smtp.secure == [True] and not smtp.logins, smtp.words)
    server.close()
    smtp.close()

    smtp = Smtp(certificates=good, user=("weft", "another"))
    server = serve(smtp, "smtp", good, *password)
    smtp.wait(lambda: len(smtp.logins) >= 2)
    check("a wrong password: mail waits", not smtp.mails
          and not any(good for _, good in smtp.logins), smtp.logins)
    smtp.user = user
    smtp.wait_for(1)
    check("and is sent when the password is right", len(smtp.mails) == 1
          and smtp.logins[-1] == (user, True), smtp.logins)
    server.close()
    smtp.close()


def wrong_settings():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "offer.txt"), "w") as file:
        file.write("Subject: x\n\n{nothing}\n")
    for arguments, said in (
            (["--mail-server", "http://x"], "smtp://"),
            (["--mail-server", "smtp://x", "--mail-from", "a\nb@c"],
             "mail-from"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-password-file", "/nonexistent"], "/nonexistent"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-templates", folder], "{nothing}"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-digest", "25:00"], "mail-digest: expected a time of day"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-ca", "/nonexistent"], "mail-ca: /nonexistent")):
        done = subprocess.run(
            [WEFT, "serve", "--db", "memory:", "--listen", "127.0.0.1:0",
             *arguments], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=60)
        check("%s is refused" % " ".join(arguments), done.returncode != 0
              and said.encode() in done.stdout, done.stdout)


run(*on_each(mail, "mail"), *on_each(digests, "digests"),
    *on_each(resume, "a resume"), crash, by_tls, wrong_settings)
end()
