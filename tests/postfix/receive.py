#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Postfix in front of Posthouse gives it the mail of a receiving domain by the pipe of apache/postfix-receive.cf."""

import os
import smtplib
import sys
import tempfile

import stage
from reports import Reporter
from stage import SRC, USER, Instance, answers, check, free_port, until

TEXT = "From: Joe <joe@box.example>\r\nTo: desk@posthouse.example\r\nMessage-ID: <{subject}@box.example>\r\nSubject: {subject}\r\n\r\nHello\r\n..\r\n"


class Postfix(stage.Postfix):
    def __init__(self, folder, reporter):
        self.port, self.reporter = free_port(), reporter
        super().__init__(folder)
        until("Postfix", lambda: answers(self.port))

    def configure(self):
        self.write_main(f"""\
inet_interfaces = 127.0.0.1
mynetworks = 127.0.0.0/8
default_transport = error:5.1.2 there is no such domain
relay_domains = posthouse.example, send.posthouse.example
transport_maps = texthash:{self.dir}/etc/transport
receive_destination_recipient_limit = 1
""")
        self.write("transport", "posthouse.example receive:\nsend.posthouse.example receive:\n")
        self.write("boxes", "joe@box.example joe/\n")
        with open(os.path.join(SRC, "apache/postfix-receive.cf")) as file:
            recipe = "".join(line for line in file if not line.startswith("#"))
        for name, value in (("user", USER), ("posthouse", self.reporter.program), ("config", self.reporter.config)):
            recipe = recipe.replace(f"@{name}@", value)
        self.write_master(f"127.0.0.1:{self.port} inet n - n - - smtpd", recipe)

    def send(self, sender, subject, *recipients):
        with smtplib.SMTP("127.0.0.1", self.port) as client:
            client.sendmail(sender, recipients, TEXT.format(subject=subject))


def received(house, subject):
    return [mail for mail in house.call("/v1/received")["received"] if mail["subject"] == subject]


def main():
    stage.begin()
    with tempfile.TemporaryDirectory(prefix="posthouse-") as folder:
        os.chmod(folder, 0o711)
        house = Instance(folder)
        postfix = None
        try:
            house.run("domain", "receiving", "posthouse.example", "on")
            house.run("route", "add", "posthouse.example", "no", "refuse")
            postfix = Postfix(folder, Reporter(folder, house))
            postfix.send("joe@box.example", "a mail", "desk@posthouse.example", "sales@posthouse.example", "no@posthouse.example")
            until("both are stored", lambda: len(received(house, "a mail")) == 2)
            mails = received(house, "a mail")
            check("recipients", sorted(mail["recipients"] for mail in mails), [["desk@posthouse.example"], ["sales@posthouse.example"]])
            mail = house.call("/v1/received/" + mails[0]["id"])
            check("the mail", (mail["envelope"]["from"], mail["automatic"], mail["text"]), ("joe@box.example", None, "Hello\n..\n"))
            box = os.path.join(postfix.boxes, "joe/new")
            until("the refusal is told", lambda: os.path.isdir(box) and os.listdir(box))
            told = postfix.newest("joe")
            check("the refusal", ("Status: 5.1.1" in told, "Final-Recipient: rfc822; no@posthouse.example" in told), (True, True))
            postfix.send("", "a report", "desk@posthouse.example")
            until("the report is stored", lambda: received(house, "a report"))
            mail = house.call("/v1/received/" + received(house, "a report")[0]["id"])
            check("the report", (mail["envelope"]["from"], mail["automatic"]), ("", "report"))
        finally:
            if postfix:
                postfix.stop()
            house.stop()
        return stage.result(postfix)


if __name__ == "__main__":
    sys.exit(main())
