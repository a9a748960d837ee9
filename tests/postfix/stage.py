# SPDX-License-Identifier: MIT
"""What the tests with a real Postfix share: a whole Posthouse, a Postfix of its own, and cases that print what is wrong."""

import json
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

SRC = os.path.abspath(os.environ["srcdir"])
BUILD = os.path.abspath(os.environ["builddir"])
MASTER = "/usr/share/postfix/master.cf.dist"
USER = "nobody"  # pipe(8) starts nothing as root
PATIENCE = 240
failures = []


def begin(*more):
    """Skips the test where one of these files, or a Postfix, is missing. Becomes root, who alone starts a Postfix."""
    for needed in ("/usr/sbin/postfix", MASTER, "/usr/sbin/lighttpd", *more):
        if not os.path.exists(needed):
            print(f"there is no {needed} here")
            sys.exit(77)
    if os.geteuid() != 0:
        if not shutil.which("sudo") or subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode != 0:
            print("only root can start a Postfix, and this user cannot become root by sudo without a password")
            sys.exit(77)
        os.execvp("sudo", ["sudo", "-n", "env", f"srcdir={SRC}", f"builddir={BUILD}", sys.executable, os.path.abspath(sys.argv[0])])
    os.umask(0o022)  # Postfix's programs run as another user


def fail(text):
    print(text, flush=True)
    failures.append(text)


def check(name, got, want):
    if got != want:
        fail(f"{name}\n\tgot:  {got!r:.1500}\n\twant: {want!r:.1500}")


def free_port():
    """Below those that the kernel gives to connections, which would be taken again before a server has started."""
    while True:
        port = random.randrange(3000, 9000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def until(what, condition):
    """Waits for the thing itself, and gives what it is."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        got = condition()
        if got:
            return got
        time.sleep(0.05)
    fail(f"{what}: not within {PATIENCE} s")
    return condition()


def answers(port, host="127.0.0.1"):
    with socket.socket() as s:
        return s.connect_ex((host, port)) == 0


def result(server):
    """The exit status. After a failure it shows the server's log and, behind it, what has failed."""
    if failures:
        server.tell()
        print("\n".join(failures), flush=True)
    return len(failures) > 0


class Instance:
    """A whole Posthouse, as quickstart makes it."""

    def __init__(self, folder, *settings):
        self.dir = os.path.join(folder, "house")
        self.start(*settings, "--port", "0", "--no-demo", "--no-spool")

    def start(self, *options):
        subprocess.run([os.path.join(SRC, "quickstart"), "--dir", self.dir, *options], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "POSTHOUSE_BUILD": BUILD})
        self.env = {}
        with open(os.path.join(self.dir, "env")) as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                self.env[name] = value.strip("'\"")
        for folder in (self.dir, os.path.dirname(self.dir)):
            os.chmod(folder, 0o711)

    def stop(self):
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], check=True, stdout=subprocess.DEVNULL)

    def run(self, *command):
        """The answer of the admin program as JSON."""
        done = subprocess.run([os.path.join(BUILD, "posthouse"), "--json", *command], capture_output=True, text=True,
                              env={**os.environ, **self.env})
        return json.loads(done.stdout) if done.stdout else {"status": done.returncode, "error": done.stderr}

    def call(self, path, body=None):
        request = urllib.request.Request(self.env["POSTHOUSE_URL"] + path, json.dumps(body).encode() if body else None,
                                         {"Authorization": "Bearer " + self.env["POSTHOUSE_KEY"]})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {"status": error.code}

    def send(self, *to, html="<p>It has left.</p>"):
        return self.call("/v1/emails", {"from": "shop@" + self.env["POSTHOUSE_DOMAIN"], "to": list(to), "subject": "Your order",
                                        "html": html})["id"]

    def told(self, email):
        """What became of each recipient: address to ["sent", "bounced Permanent 5.1.1"]."""
        return {entry["recipient"]: [" ".join(str(event[key]) for key in ("status", "type", "enhanced_code") if event.get(key))
                                     for event in entry["events"]]
                for entry in self.call("/v1/emails/" + email)["recipient_statuses"]}


class Postfix:
    """A Postfix in a folder of its own. A subclass gives its settings by configure()."""

    MAIN = """\
compatibility_level = 3.6
queue_directory = {dir}/queue
data_directory = {dir}/data
mail_owner = postfix
setgid_group = postdrop
inet_protocols = ipv4
myhostname = mx.relay.example
mydestination =
alias_maps =
maillog_file = {log}
maillog_file_prefixes = /tmp, /var, {dir}
smtp_dns_support_level = disabled
smtp_host_lookup = native
virtual_mailbox_domains = box.example
virtual_mailbox_base = {boxes}
virtual_mailbox_maps = texthash:{dir}/etc/boxes
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{uid}
virtual_minimum_uid = 1
smtpd_reject_unlisted_recipient = no
"""

    def __init__(self, folder):
        self.dir = os.path.join(folder, "postfix")
        self.boxes = os.path.join(self.dir, "boxes")
        self.log = os.path.join(self.dir, "log")
        for name in ("etc", "queue", "data", "boxes"):
            os.makedirs(os.path.join(self.dir, name))
        os.chmod(self.dir, 0o755)
        shutil.chown(os.path.join(self.dir, "data"), "postfix")
        shutil.chown(self.boxes, USER)
        self.command = ["/usr/sbin/postfix", "-c", os.path.join(self.dir, "etc")]
        self.configure()
        self.run("start")

    def write(self, name, text):
        with open(os.path.join(self.dir, "etc", name), "w") as file:
            file.write(text)

    def write_main(self, more):
        self.write("main.cf", self.MAIN.format(dir=self.dir, log=self.log, boxes=self.boxes, uid=pwd.getpwnam(USER).pw_uid) + more)

    def write_master(self, server, more=""):
        """server: the line or lines in place of the usual server's."""
        with open(MASTER) as file:
            master = file.read()
        master = re.sub(r"^smtp      inet .*$", server, master, flags=re.M)
        # Nothing of it in a chroot, whose folders are not there.
        master = re.sub(r"^(\S+\s+(?:inet|unix|fifo|pass|unix-dgram)\s+\S+\s+\S+\s+)y(\s)", r"\1n\2", master, flags=re.M)
        self.write("master.cf", master + more)

    def run(self, *what):
        done = subprocess.run([*self.command, *what], capture_output=True, text=True)
        if done.returncode != 0:
            self.tell()
            sys.exit(f"postfix {' '.join(what)}: {done.stderr}")

    def logged(self, text):
        with open(self.log) as file:
            return [line for line in file if text in line]

    def newest(self, box):
        folder = os.path.join(self.boxes, box, "new")
        with open(max((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getmtime)) as file:
            return file.read()

    def tell(self):
        """Shows the end of its log."""
        if os.path.exists(self.log):
            with open(self.log) as file:
                print("".join(file.readlines()[-80:]))

    def stop(self):
        subprocess.run([*self.command, "stop"], capture_output=True)
