#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Postfix in front of Posthouse: by the pipe of apache/postfix-submission.cf, and as a client of the SMTP door, with its login."""

import glob
import os
import smtplib
import sys
import tempfile

import stage
from reports import Reporter
from stage import SRC, USER, Instance, answers, check, free_port, until

TEXT = "From: Shop <shop@posthouse.example>\r\nTo: ann@{domain}\r\nSubject: {subject}\r\n\r\nHello\r\n..\r\n"


class Postfix(stage.Postfix):
    def __init__(self, folder, reporter, house):
        self.port, self.reporter, self.house = free_port(), reporter, house
        super().__init__(folder)
        until("Postfix", lambda: answers(self.port))

    def configure(self):
        door = self.house.env["POSTHOUSE_SMTP"].replace("127.0.0.1", "[127.0.0.1]")
        self.write_main(f"""\
inet_interfaces = 127.0.0.1
mynetworks = 127.0.0.0/8
default_transport = posthouse:
relay_transport = posthouse:
transport_maps = texthash:{self.dir}/etc/transport
smtp_sasl_auth_enable = yes
smtp_sasl_security_options = noanonymous
smtp_sasl_password_maps = texthash:{self.dir}/etc/passwords
""")
        self.write("transport", f"door.example smtp:{door}\n")
        self.write("passwords", f"{door} posthouse:{self.house.env['POSTHOUSE_KEY']}\n")
        with open(os.path.join(SRC, "apache/postfix-submission.cf")) as file:
            recipe = "".join(line for line in file if not line.startswith("#"))
        for name, value in (("user", USER), ("posthouse", self.reporter.program), ("config", self.reporter.config)):
            recipe = recipe.replace(f"@{name}@", value)
        self.write_master(f"127.0.0.1:{self.port} inet n - n - - smtpd", recipe)

    def send(self, domain, subject, *recipients):
        with smtplib.SMTP("127.0.0.1", self.port) as client:
            client.sendmail("shop@posthouse.example", recipients, TEXT.format(domain=domain, subject=subject))


def emails(house, subject):
    return [email for email in house.call("/v1/emails")["emails"] if email["subject"] == subject]


def main():
    stage.begin(*(glob.glob("/usr/lib/*/sasl2/libplain.so") or ["/usr/lib/sasl2/libplain.so"]))
    with tempfile.TemporaryDirectory(prefix="posthouse-") as folder:
        os.chmod(folder, 0o711)
        house = Instance(folder, "--set", "service.mode=spool")
        postfix = None
        try:
            postfix = Postfix(folder, Reporter(folder, house), house)
            for domain, subject in (("pipe.example", "by the pipe"), ("door.example", "by the door")):
                postfix.send(domain, subject, f"ann@{domain}", f"blind@{domain}")
                got = until(subject, lambda subject=subject: emails(house, subject))
                check(subject, [(len(got), email["to"], len(email["recipient_statuses"])) for email in got[:1]], [(1, [f"ann@{domain}"], 2)])
        finally:
            if postfix:
                postfix.stop()
            house.stop()
        return stage.result(postfix)


if __name__ == "__main__":
    sys.exit(main())
