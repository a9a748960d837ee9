#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Postfix as the relay: what it cannot deliver, delays or delivers comes back through its pipe, and the API tells it."""

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SRC = os.path.abspath(os.environ["srcdir"])
BUILD = os.path.abspath(os.environ["builddir"])
MASTER = "/usr/share/postfix/master.cf.dist"
USER = "nobody"  # pipe(8) starts nothing as root
PATIENCE = 120

for missing, needed in (("postfix", "/usr/sbin/postfix"), ("its master.cf.dist", MASTER), ("smtp-sink", "/usr/sbin/smtp-sink"),
                        ("lighttpd", "/usr/sbin/lighttpd")):
    if not os.path.exists(needed):
        print(f"there is no {missing} here")
        sys.exit(77)
if os.geteuid() != 0:  # root alone starts a Postfix
    if not shutil.which("sudo") or subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode != 0:
        print("only root can start a Postfix, and this user cannot become root by sudo without a password")
        sys.exit(77)
    os.execvp("sudo", ["sudo", "-n", "env", f"srcdir={SRC}", f"builddir={BUILD}", sys.executable, os.path.abspath(__file__)])

os.umask(0o022)  # Postfix's programs run as another user
failures = 0


def check(name, got, want):
    global failures
    if got != want:
        print(f"{name}\n\tgot:  {got!r:.1500}\n\twant: {want!r:.1500}", flush=True)
        failures += 1


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, condition):
    """Waits for the thing itself, and gives what it is."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        got = condition()
        if got:
            return got
        time.sleep(0.05)
    print(f"{what}: not within {PATIENCE} s", flush=True)
    return condition()


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Sink:
    """The next hop: it knows no DSN, and takes what comes, or defers it."""

    def __init__(self, *options):
        self.port = free_port()
        self.process = subprocess.Popen(["/usr/sbin/smtp-sink", "-u", USER, *options, f"127.0.0.1:{self.port}", "100"])
        until("smtp-sink", lambda: answers(self.port))

    def stop(self):
        self.process.terminate()
        self.process.wait()


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
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], stdout=subprocess.DEVNULL)

    def call(self, path, body=None):
        request = urllib.request.Request(self.env["POSTHOUSE_URL"] + path, json.dumps(body).encode() if body else None,
                                         {"Authorization": "Bearer " + self.env["POSTHOUSE_KEY"]})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
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


class Reporter:
    """The program for the pipe, which runs as another user than this test: with its own settings, for the same house."""

    def __init__(self, folder, house):
        self.dir = os.path.join(folder, "reporter")
        os.makedirs(os.path.join(self.dir, "spool"))
        self.program = os.path.join(self.dir, "posthouse")
        shutil.copy(os.path.join(BUILD, "posthouse"), self.program)
        shutil.copy(os.path.join(house.dir, "secret"), os.path.join(self.dir, "secret"))
        self.socket = os.path.join(os.path.realpath(house.dir), "database.socket")
        os.chmod(self.socket, 0o666)
        os.chmod(os.path.join(self.dir, "secret"), 0o600)
        self.config = os.path.join(self.dir, "posthouse.conf")
        self.write(self.socket)
        user = pwd.getpwnam(USER)
        for base, folders, files in os.walk(self.dir):
            for name in (base, *(os.path.join(base, file) for file in files)):
                os.chown(name, user.pw_uid, user.pw_gid)

    def write(self, database):
        """With a socket that is not there the database is away."""
        with open(self.config, "w") as file:
            file.write(f"[database]\nsocket = {database}\nuser = posthouse\n[service]\nsecret_file = {self.dir}/secret\n"
                       f"[spool]\ndir = {self.dir}/spool\n")


class Postfix:
    def __init__(self, folder, port, reporter, later, elsewhere):
        self.dir = os.path.join(folder, "postfix")
        self.port = port
        self.boxes = os.path.join(self.dir, "boxes")
        self.log = os.path.join(self.dir, "log")
        for name in ("etc", "queue", "data", "boxes"):
            os.makedirs(os.path.join(self.dir, name))
        os.chmod(self.dir, 0o755)
        shutil.chown(os.path.join(self.dir, "data"), "postfix")
        shutil.chown(self.boxes, USER)
        with open(os.path.join(self.boxes, "full"), "w") as file:
            file.write("From nobody Thu Jan  1 00:00:00 1970\n\n" + "x" * 40000 + "\n")
        shutil.chown(os.path.join(self.boxes, "full"), USER)
        self.configure(reporter, later, elsewhere)
        self.command = ["/usr/sbin/postfix", "-c", os.path.join(self.dir, "etc")]
        self.run("start")
        until("Postfix", lambda: answers(port))

    def write(self, name, text):
        with open(os.path.join(self.dir, "etc", name), "w") as file:
            file.write(text)

    def configure(self, reporter, later, elsewhere):
        etc, uid = os.path.join(self.dir, "etc"), pwd.getpwnam(USER).pw_uid
        self.write("main.cf", f"""\
compatibility_level = 3.6
queue_directory = {self.dir}/queue
data_directory = {self.dir}/data
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
myhostname = mx.relay.example
mydestination =
alias_maps =
maillog_file = {self.log}
maillog_file_prefixes = /tmp, /var, {self.dir}
smtp_dns_support_level = disabled
smtp_host_lookup = native
default_transport = error:5.1.2 there is no such domain
message_size_limit = 20000
virtual_mailbox_limit = 30000
virtual_mailbox_domains = box.example
virtual_mailbox_base = {self.boxes}
virtual_mailbox_maps = texthash:{etc}/boxes
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{uid}
virtual_minimum_uid = 1
smtpd_reject_unlisted_recipient = no
transport_maps = texthash:{etc}/transport
relay_domains = send.posthouse.example
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
delay_warning_time = 1s
report_destination_recipient_limit = 1
""")
        self.write("boxes", "joe@box.example joe/\nann@box.example ann/\nfull@box.example full\n")
        self.write("transport", f"""\
send.posthouse.example report:
later.example smtp:[127.0.0.1]:{later}
elsewhere.example smtp:[127.0.0.1]:{elsewhere}
""")
        with open(MASTER) as file:
            master = file.read()
        master = re.sub(r"^smtp      inet .*$", f"127.0.0.1:{self.port} inet n - n - - smtpd", master, flags=re.M)
        # Nothing of it in a chroot, whose folders are not there.
        master = re.sub(r"^(\S+\s+(?:inet|unix|fifo|pass|unix-dgram)\s+\S+\s+\S+\s+)y(\s)", r"\1n\2", master, flags=re.M)
        # The sample as it is installed.
        with open(os.path.join(SRC, "apache", "postfix-master.cf")) as file:
            sample = file.read()
        for name, value in (("user", USER), ("posthouse", reporter.program), ("config", reporter.config)):
            sample = sample.replace(f"@{name}@", value)
        self.write("master.cf", master + sample)

    def run(self, *what):
        done = subprocess.run([*self.command, *what], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"postfix {' '.join(what)}: {done.stderr}")

    def logged(self, text):
        with open(self.log) as file:
            return [line for line in file if text in line]

    def mail(self, to, message):
        subprocess.run(["/usr/sbin/sendmail", "-C", os.path.join(self.dir, "etc"), "-f", "joe@elsewhere.example", "-i", to],
                       input=message, check=True)

    def newest(self, box):
        folder = os.path.join(self.boxes, box, "new")
        with open(max((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getmtime)) as file:
            return file.read()

    def stop(self):
        subprocess.run([*self.command, "stop"], capture_output=True)


def expect(house, name, email, want):
    until(name, lambda: house.told(email) == want)
    check(name, house.told(email), want)


def of_each_kind(house, postfix):
    email = house.send("joe@box.example", "ghost@box.example", "full@box.example", "kim@elsewhere.example")
    expect(house, "delivered and not", email, {
        "joe@box.example": ["sent", "delivered"],
        "ghost@box.example": ["sent", "bounced Permanent 5.1.1"],
        "full@box.example": ["sent", "bounced Transient 5.2.2"],
        "kim@elsewhere.example": ["sent", "delivered"],
    })
    event = [event for entry in house.call("/v1/emails/" + email)["recipient_statuses"] if entry["recipient"] == "ghost@box.example"
             for event in entry["events"]][-1]
    check("why", "unknown user" in event["smtp_response"], True)
    check("the mailbox", len(os.listdir(os.path.join(postfix.boxes, "joe", "new"))), 1)
    check("of several, not suppressed", house.call("/v1/suppressions/ghost@box.example"), {"status": 404})
    alone = house.send("ghost@box.example")
    expect(house, "alone", alone, {"ghost@box.example": ["sent", "bounced Permanent 5.1.1"]})
    listed = house.call("/v1/suppressions/ghost@box.example")
    check("suppressed", [listed.get("reason"), listed.get("scope")], ["bounced", "all"])
    check("not suppressed", house.call("/v1/suppressions/full@box.example"), {"status": 404})
    again = house.send("ghost@box.example")
    expect(house, "sent again", again, {"ghost@box.example": ["suppressed"]})
    check("the log says so", len(postfix.logged("Recorded for email " + email)) >= 2, True)


def of_a_next_hop_that_defers(house):
    email = house.send("lee@later.example")
    until("delayed", lambda: "delayed" in "".join(house.told(email)["lee@later.example"][1:2]))
    check("delayed", house.told(email)["lee@later.example"][:2], ["sent", "delayed 4.3.0"])


def while_the_database_is_away(house, postfix, reporter):
    reporter.write("/nowhere")
    email = house.send("joe@box.example")
    until("deferred", lambda: [line for line in postfix.logged("relay=report") if "status=deferred" in line])
    check("meanwhile", house.told(email), {"joe@box.example": ["sent"]})
    reporter.write(reporter.socket)
    expect(house, "later", email, {"joe@box.example": ["sent", "delivered"]})
    check("nothing bounced", postfix.logged("relay=report, status=bounced"), [])


def what_is_none_of_ours(house, postfix):
    postfix.mail("anybody@send.posthouse.example", b"Subject: hello\n\nhello\n")
    until("taken", lambda: postfix.logged("The message is not a report"))
    check("none of ours", len([line for line in postfix.logged("The message is not a report") if "status=sent" in line]), 1)


def who_unsubscribes_by_mail(house, postfix):
    email = house.send("ann@box.example", html='<p><a href="{{unsubscribe_url}}">No more of it</a></p>')
    expect(house, "with a link to unsubscribe", email, {"ann@box.example": ["sent", "delivered"]})
    address = re.search(r"<mailto:([^?>]+)", re.sub(r"\r?\n[ \t]", "", postfix.newest("ann")))
    check("the address to unsubscribe", bool(address), True)
    if address:
        postfix.mail(address.group(1), b"Subject: unsubscribe\n\n")
        expect(house, "unsubscribed", email, {"ann@box.example": ["sent", "delivered", "unsubscribed"]})
        listed = house.call("/v1/suppressions/ann@box.example")
        check("unsubscribed", [listed.get("reason"), listed.get("scope")], ["unsubscribed", "automation"])


def with_one_return_path(house, postfix):
    """Known by the envelope id alone, then."""
    house.start("--set", "smtp.return_path=bounces@send.posthouse.example", "--no-demo", "--no-spool")
    email = house.send("joe@box.example", "spook@box.example")
    expect(house, "one return path", email, {
        "joe@box.example": ["sent", "delivered"],
        "spook@box.example": ["sent", "bounced Permanent 5.1.1"],
    })
    check("of several, not suppressed", house.call("/v1/suppressions/spook@box.example"), {"status": 404})
    expect(house, "alone", house.send("spook@box.example"), {"spook@box.example": ["sent", "bounced Permanent 5.1.1"]})
    until("suppressed", lambda: house.call("/v1/suppressions/spook@box.example").get("reason") == "bounced")
    check("it was that", len(postfix.logged("from=<bounces@send.posthouse.example>")) >= 1, True)


def main():
    folder = tempfile.mkdtemp(prefix="posthouse-reports.")
    port = free_port()
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        house = Instance(folder, "--set", f"smtp.port={port}", "--set", "smtp.final=no")
        stops.append(house)
        later, elsewhere = Sink("-r", "rcpt"), Sink("-e")
        stops += [later, elsewhere]
        reporter = Reporter(folder, house)
        postfix = Postfix(folder, port, reporter, later.port, elsewhere.port)
        stops.append(postfix)
        of_each_kind(house, postfix)
        of_a_next_hop_that_defers(house)
        while_the_database_is_away(house, postfix, reporter)
        what_is_none_of_ours(house, postfix)
        who_unsubscribes_by_mail(house, postfix)
        with_one_return_path(house, postfix)
        if failures and os.path.exists(postfix.log):
            with open(postfix.log) as file:
                print("".join(file.readlines()[-80:]))
    finally:
        for server in reversed(stops):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
