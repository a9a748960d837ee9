#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Postfix that wants a login (Cyrus SASL), at port 465 with TLS at once and at 587 with STARTTLS: mail is delivered, and each thing
that keeps it back is one sentence, the same on the email, in the spool, in the log and in doctor."""

import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import stage
from stage import Instance, answers, check, until

NAME = "mx.relay.example"  # for which the certificates are
LATE = 2465  # TLS at once, with a certificate that has ended
USER, PASSWORD = "posthouse", "a very secret password"
WRONG = "another secret password"
GOOD_END, LATE_END = 4070908800, 1614816000  # of the certificates, since 1970
OKAY = "it answers, has TLS, lets us in, has delivery reports"


def openssl(folder, *arguments):
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"openssl {' '.join(arguments)}: {done.stderr}")


class Authority:
    """A private CA with two certificates: good.pem, and late.pem, which has ended."""

    def __init__(self, folder, address):
        self.dir = os.path.join(folder, "ca")
        os.makedirs(self.dir)
        self.file = os.path.join(self.dir, "ca.pem")
        openssl(self.dir, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
                "-subj", "/CN=Private CA")
        with open(os.path.join(self.dir, "ca.conf"), "w") as file:
            file.write(f"[ca]\ndefault_ca = own\n[own]\nnew_certs_dir = .\ndatabase = index\nrand_serial = yes\nunique_subject = no\ndefault_md = sha256\n"
                       f"policy = any\nx509_extensions = server\n[any]\ncommonName = supplied\n"
                       f"[server]\nsubjectAltName = DNS:{NAME}, IP:{address}\n")
        open(os.path.join(self.dir, "index"), "w").close()
        open(os.path.join(self.dir, "index.attr"), "w").close()
        self.issue("good", "20200101000000Z", "20990101000000Z")
        self.issue("late", "20200101000000Z", "20210304000000Z")

    def issue(self, name, begin, end):
        openssl(self.dir, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={NAME}")
        openssl(self.dir, "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr",
                "-out", f"{name}.crt", "-startdate", begin, "-enddate", end)
        with open(os.path.join(self.dir, f"{name}.pem"), "w") as file:
            for part in (f"{name}.key", f"{name}.crt"):
                with open(os.path.join(self.dir, part)) as source:
                    file.write(source.read())

    def path(self, name):
        return os.path.join(self.dir, name)


class Postfix(stage.Postfix):
    """At an address of its own on loopback, so that 465 and 587 are free there."""

    def __init__(self, folder, address, authority):
        self.address, self.authority = address, authority
        super().__init__(folder)
        for port in (465, 587, LATE):
            until(f"Postfix at {port}", lambda: answers(port, address))

    def configure(self):
        self.write_main(f"""\
inet_interfaces = 127.0.0.1
mynetworks =
default_transport = discard
smtpd_tls_security_level = encrypt
smtpd_tls_chain_files = {self.authority.path("good.pem")}
smtpd_tls_auth_only = yes
smtpd_tls_loglevel = 1
smtpd_sasl_auth_enable = yes
smtpd_sasl_path = posthouse
smtpd_sasl_local_domain = {NAME}
cyrus_sasl_config_path = {self.dir}/etc/sasl
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
""")
        self.write("boxes", "joe@box.example joe/\n")
        self.write_master("\n".join((
            f"{self.address}:587 inet n - n - - smtpd",
            f"{self.address}:465 inet n - n - - smtpd -o smtpd_tls_wrappermode=yes",
            f"{self.address}:{LATE} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes"
            f" -o smtpd_tls_chain_files={self.authority.path('late.pem')}")))
        os.makedirs(os.path.join(self.dir, "etc", "sasl"))
        users = os.path.join(self.dir, "etc", "sasl", "users")
        self.write("sasl/posthouse.conf", f"pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: {users}\n"
                                          "mech_list: PLAIN LOGIN CRAM-MD5\n")
        subprocess.run(["/usr/sbin/saslpasswd2", "-p", "-c", "-f", users, "-u", NAME, USER], input=PASSWORD.encode(), check=True)
        shutil.chown(users, "postfix")

    def mails(self):
        folder = os.path.join(self.boxes, "joe", "new")
        return len(os.listdir(folder)) if os.path.isdir(folder) else 0


# The relays: what differs from a relay at this address with user, password, tls_ca and tls_name as they should be.
GOOD = {
    "implicit": ({"port": "465"}, "PLAIN"),  # tls = implicit is the default there
    "implicit-too": ({"tls": "implicit", "tls_name": ""}, "PLAIN"),  # 465 is, and the certificate is for the address too
    "starttls": ({}, "PLAIN"),  # 587 and required are, with a user
    "login": ({"port": "587", "auth": "login"}, "LOGIN"),
    "cram": ({"port": "465", "auth": "cram-md5"}, "CRAM-MD5"),
}
BAD = {
    "password-465": ({"port": "465", "password": WRONG}, "R refused the login (PLAIN): 535 5.7.8 *", "5.7.8", "login"),
    "password-587": ({"port": "587", "password": WRONG}, "R refused the login (PLAIN): 535 5.7.8 *", "5.7.8", "login"),
    "cram-587": ({"port": "587", "password": WRONG, "auth": "cram-md5"}, "R refused the login (CRAM-MD5): 535 5.7.8 *", "5.7.8", "login"),
    "other-name": ({"port": "465", "tls_name": "mx.other.example"},
                   f"R: TLS failed: its certificate is for {NAME}, ADDRESS, not for mx.other.example", "4.7.5", "tls"),
    "other-name-587": ({"port": "587", "tls_name": "mx.other.example"},
                       f"R: TLS failed: its certificate is for {NAME}, ADDRESS, not for mx.other.example", "4.7.5", "tls"),
    "untrusted": ({"port": "465", "tls_ca": ""},
                  "R: TLS failed: its certificate was issued by Private CA, which is not trusted; tls_ca can name it", "4.7.5", "tls"),
    "ended": ({"port": str(LATE), "tls": "implicit"}, "R: TLS failed: its certificate ended on 2021-03-04", "4.7.5", "tls"),
    "no-implicit": ({"port": "465", "tls": "required"},
                    "R sent no greeting within 3 s: this port speaks TLS at once, set tls = implicit", "4.4.1", "greeting"),
    "no-starttls": ({"port": "587", "tls": "implicit"}, "R does not speak TLS at once: set tls = required", "4.7.5", "tls"),
}


def settings(address, authority):
    for name, (own, *_) in {**GOOD, **BAD}.items():
        keys = {"host": address, "user": USER, "password": PASSWORD, "tls_ca": authority.file, "tls_name": NAME, "default": "no", **own}
        for key, value in keys.items():
            if value:
                yield from ("--set", f"relay {name}.{key}={value}")


def port_of(own):
    return own.get("port") or ("465" if own.get("tls") == "implicit" else "587")


def fits(pattern, text):
    return bool(text) and re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), text) is not None


def lead(house, *relays):
    house.run("domain", "relay", house.env["POSTHOUSE_DOMAIN"], *relays)


def delivers(house, postfix):
    for name, (own, mechanism) in GOOD.items():
        before = postfix.mails()
        lead(house, name)
        email = house.send("joe@box.example")
        event = house.call("/v1/emails/" + email)["recipient_statuses"][0]["events"][0]
        check(f"{name}: event", [event["status"], event.get("relay")], ["sent", name])
        until(f"{name}: a message", lambda: postfix.mails() > before)
        check(f"{name}: messages", postfix.mails(), before + 1)
        logged = postfix.logged("sasl_username=")[-1]
        check(f"{name}: the login", [f"sasl_method={mechanism}" in logged, f"sasl_username={USER}@{NAME}" in logged], [True, True])


def tells_why_not(house, postfix, address, log):
    """The same sentence everywhere; the message itself has made no attempt."""
    before = postfix.mails()
    for name, (own, sentence, code, _) in BAD.items():
        want = sentence.replace("R", f"relay {name} ({address}:{port_of(own)})", 1).replace("ADDRESS", address)
        lead(house, name)
        email = house.send("joe@box.example")
        events = house.call("/v1/emails/" + email)["recipient_statuses"][0]["events"]
        got = events[0]["smtp_response"] if events else ""
        check(f"{name}: event", [[e["status"], e.get("relay"), e.get("enhanced_code")] for e in events], [["delayed", name, code]])
        check(f"{name}: sentence", [got, fits(want, got)], [got if fits(want, got) else want, True])
        waiting = [row for row in house.run("spool", "waiting")["waiting"] if row["id"] == email]
        check(f"{name}: waiting", [[row["attempts"], row["reason"]] for row in waiting], [[0, got]])
        state = [row for row in house.run("spool", "status")["relays"] if row["relay"] == name]
        check(f"{name}: status", [[row["host"], row["port"], row["reason"], bool(row["rests_until"])] for row in state],
              [[address, int(port_of(own)), got, True]])
        with open(log) as file:
            lines = [line for line in file if " event=relay " in line and f" relay={name} " in line]
        check(f"{name}: log", [len(lines), got.replace('"', '\\"') in "".join(lines)], [1, True])
    check("nothing was delivered", postfix.mails(), before)


def is_what_doctor_says(house, address):
    """Doctor passes what delivers, and says of the others what the emails said."""
    answer = house.run("doctor", "--only", "relay")
    found = {row["check"].removeprefix("relay "): row for row in answer["checks"]}
    check("doctor: relays", sorted(found), sorted({**GOOD, **BAD}))
    for name in GOOD:
        check(f"doctor: {name}", [found[name][key] for key in ("state", "text", "remedy")], ["ok", OKAY, None])
    for name, (own, sentence, *_) in BAD.items():
        want = sentence.replace("R", f"relay {name} ({address}:{port_of(own)})", 1).replace("ADDRESS", address)
        row = found[name]
        check(f"doctor: {name}", [row["state"], fits(want, row["text"]), f"[relay {name}]" in row["remedy"]], ["fail", True, True])
    return answer


def is_counted(house):
    """The counters of a process are stored every few seconds."""
    want = [f'posthouse_relay_refusals_total{{relay="{name}",reason="{reason}"}} 1\n' for name, (*_, reason) in BAD.items()]
    want += [f'posthouse_relay_certificate_end_seconds{{relay="{name}"}} {end}\n'
             for name, end in (("implicit", GOOD_END), ("starttls", GOOD_END), ("other-name", GOOD_END), ("ended", LATE_END))]

    def missing():
        text = subprocess.run([os.path.join(stage.BUILD, "posthouse"), "metrics"], capture_output=True, text=True,
                              env={**os.environ, **house.env}).stdout
        return [line for line in want if line not in text]

    until("metrics", lambda: not missing())
    check("metrics", missing(), [])


def keeps_secrets(house, log, answer):
    with open(log) as file:
        told = {"log": file.read(), "doctor": str(answer), "waiting": str(house.run("spool", "waiting"))}
    for where, text in told.items():
        check(f"secrets in {where}", [word in text for word in (PASSWORD, WRONG)], [False, False])


def main():
    stage.begin("/usr/sbin/saslpasswd2", "/usr/bin/openssl", *(glob.glob("/usr/lib/*/sasl2/libplain.so") or ["/usr/lib/sasl2/libplain.so"]))
    folder = tempfile.mkdtemp(prefix="posthouse-relays.")
    os.chmod(folder, 0o711)
    address = f"127.{random.randrange(1, 255)}.{random.randrange(256)}.{random.randrange(1, 255)}"
    log = os.path.join(folder, "house.log")
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        authority = Authority(folder, address)
        postfix = Postfix(folder, address, authority)
        stops.append(postfix)
        house = Instance(folder, *settings(address, authority), "--set", f"log.to={log}")
        stops.append(house)
        delivers(house, postfix)
        tells_why_not(house, postfix, address, log)
        answer = is_what_doctor_says(house, address)
        keeps_secrets(house, log, answer)
        is_counted(house)
        return stage.result(postfix)
    finally:
        for server in reversed(stops):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
