# SPDX-License-Identifier: Apache-2.0
"""A private slapd with some people, in a folder of its own below /tmp."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile

from checks import until
from ports import free_port
from server import die_with_parent

SLAPD = shutil.which("slapd", path=os.environ.get("PATH", "")
                     + ":/usr/sbin:/usr/local/sbin")
MODULES = ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/libexec/openldap"]
BASE = "dc=example,dc=org"
SECRET = "weft searches"

CONF = """
include %(schema)s/core.schema
include %(schema)s/cosine.schema
include %(schema)s/inetorgperson.schema
modulepath %(modules)s
moduleload back_mdb
pidfile %(folder)s/pid
TLSCACertificateFile %(folder)s/ca.pem
TLSCertificateFile %(folder)s/cert.pem
TLSCertificateKeyFile %(folder)s/key.pem
security simple_bind=%(strength)d
database mdb
suffix "dc=example,dc=org"
rootdn "cn=root,dc=example,dc=org"
rootpw root
directory %(folder)s/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=weft,dc=example,dc=org" read by * none
"""

HEAD = """dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=weft,dc=example,dc=org
objectClass: person
cn: weft
sn: Weft
userPassword: %s

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups
""" % SECRET


def person(uid, first, last, password):
    return """
dn: uid=%s,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: %s
cn: %s %s
givenName: %s
sn: %s
mail: %s@example.org
userPassword: %s
""" % (uid, uid, first, last, first, last, uid, password)


def group(name, members):
    return "\ndn: cn=%s,ou=groups,dc=example,dc=org\n" \
        "objectClass: groupOfNames\ncn: %s\n%s" % (
            name, name, "".join(
                "member: uid=%s,ou=people,dc=example,dc=org\n" % member
                for member in members))


def certificate(folder):
    """A certificate of 127.0.0.1, and its authority, which signs nothing
    else."""
    def openssl(*words):
        subprocess.run(["openssl"] + list(words), check=True, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with open(folder + "/ext", "w") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out",
            "ca.pem", "-subj", "/CN=authority", "-days", "30")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", "key.pem", "-out", "request", "-subj",
            "/CN=127.0.0.1")
    openssl("x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-out", "cert.pem", "-days", "30",
            "-extfile", "ext")


class Slapd:
    """strength: of the encryption that a bind with a password needs."""

    def __init__(self, ldif, strength=0):
        self.folder = tempfile.mkdtemp(prefix="weft-slapd-")
        self.port = free_port()
        os.mkdir(self.folder + "/data")
        certificate(self.folder)
        modules = [path for path in MODULES if os.path.isdir(path)][0]
        with open(self.folder + "/conf", "w") as file:
            file.write(CONF % {
                "schema": "/etc/ldap/schema"
                if os.path.isdir("/etc/ldap/schema")
                else "/etc/openldap/schema",
                "modules": modules, "folder": self.folder,
                "strength": strength})
        with open(self.folder + "/secret", "w") as file:
            file.write(SECRET + "\n")
        with open(self.folder + "/ldif", "w") as file:
            file.write(HEAD + ldif)
        subprocess.run([SLAPD, "-T", "add", "-f", self.folder + "/conf", "-l",
                        self.folder + "/ldif"], check=True,
                       stdout=subprocess.DEVNULL)
        self.process = None
        self.start()

    def start(self):
        """-d: it stays in front, and writes each operation to its log."""
        self.log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(
            [SLAPD, "-f", self.folder + "/conf", "-h",
             "ldap://127.0.0.1:%d" % self.port, "-d", "stats"],
            stdout=self.log, stderr=self.log, preexec_fn=die_with_parent)
        until(self.answers)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def operations(self):
        """What it was asked so far."""
        with open(self.folder + "/log", errors="replace") as file:
            return file.read()

    def modify(self, ldif):
        subprocess.run(
            ["ldapmodify", "-H", "ldap://127.0.0.1:%d" % self.port, "-ZZ",
             "-D", "cn=root," + BASE, "-w", "root"], check=True,
            input=ldif.encode(), stdout=subprocess.DEVNULL,
            env=dict(os.environ, LDAPTLS_CACERT=self.folder + "/ca.pem"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()

    def close(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
