#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Postfix as the relay: what it cannot deliver, delays or delivers comes back through its pipe, and the API tells it."""

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import stage
from stage import BUILD, SRC, USER, Instance, answers, check, free_port, until


class Sink:
    """The next hop: it knows no DSN, and takes what comes, or defers it."""

    def __init__(self, *options):
        self.port = free_port()
        self.process = subprocess.Popen(["/usr/sbin/smtp-sink", "-u", USER, *options, f"127.0.0.1:{self.port}", "100"])
        until("smtp-sink", lambda: answers(self.port))

    def stop(self):
        self.process.terminate()
        self.process.wait()


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


class Postfix(stage.Postfix):
    def __init__(self, folder, port, reporter, later, elsewhere):
        self.port, self.reporter, self.later, self.elsewhere = port, reporter, later, elsewhere
        super().__init__(folder)
        until("Postfix", lambda: answers(port))

    def configure(self):
        with open(os.path.join(self.boxes, "full"), "w") as file:
            file.write("From nobody Thu Jan  1 00:00:00 1970\n\n" + "x" * 40000 + "\n")
        shutil.chown(os.path.join(self.boxes, "full"), USER)
        self.write_main(f"""\
inet_interfaces = 127.0.0.1
mynetworks = 127.0.0.0/8
default_transport = error:5.1.2 there is no such domain
message_size_limit = 20000
virtual_mailbox_limit = 30000
transport_maps = texthash:{self.dir}/etc/transport
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
later.example smtp:[127.0.0.1]:{self.later}
elsewhere.example smtp:[127.0.0.1]:{self.elsewhere}
""")
        # The sample as it is installed.
        with open(os.path.join(SRC, "apache", "postfix-master.cf")) as file:
            sample = file.read()
        for name, value in (("user", USER), ("posthouse", self.reporter.program), ("config", self.reporter.config)):
            sample = sample.replace(f"@{name}@", value)
        self.write_master(f"127.0.0.1:{self.port} inet n - n - - smtpd", sample)

    def mail(self, to, message):
        subprocess.run(["/usr/sbin/sendmail", "-C", os.path.join(self.dir, "etc"), "-f", "joe@elsewhere.example", "-i", to],
                       input=message, check=True)


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
    stage.begin("/usr/sbin/smtp-sink")
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
        return stage.result(postfix)
    finally:
        for server in reversed(stops):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
