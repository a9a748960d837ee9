#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Real clients at the SMTP door, in plain, with STARTTLS and with TLS: Python's smtplib, swaks, msmtp, nodemailer, PHPMailer, where they are
installed or npm can get them. The recipes of apache/ for systemd and inetd, run as those would run them. Clients that are killed or repeat: nothing is lost or doubled."""

import email
import email.policy
import json
import os
import shlex
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.abspath(os.environ["srcdir"]), "tests/postfix"))
import stage  # noqa: E402
from stage import BUILD, SRC, check, fail, free_port, until  # noqa: E402

SMTPD = os.path.join(BUILD, "posthouse-smtpd")
BODY = "Hello\r\n.\r\n..two\r\n" + "x" * 900 + "\r\nGr\u00fc\u00dfe\r\n"


def message(name, extra=""):
    return (f"From: Shop <shop@posthouse.example>\r\nTo: ann@example.net\r\nSubject: {name}\r\n{extra}"
            f"Content-Type: text/plain; charset=utf-8\r\n\r\n{BODY}").encode()


class House:
    """A whole Posthouse with a certificate, and its door in plain and with TLS from the first byte."""

    def __init__(self, folder):
        self.dir = os.path.join(folder, "house")
        self.cert, self.key_file = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        self.certify(30)
        subprocess.run([os.path.join(SRC, "quickstart"), "--dir", self.dir, "--port", "0", "--no-demo", "--no-spool", "--no-smtp", "--set",
                        f"smtpd.tls_cert={self.cert}", "--set", f"smtpd.tls_key={self.key_file}", "--set", "log.level=info"],
                       check=True, stdout=subprocess.DEVNULL, env={**os.environ, "POSTHOUSE_BUILD": BUILD})
        with open(os.path.join(self.dir, "env")) as file:
            self.env = dict(line.strip().partition("=")[::2] for line in file)
        self.env = {name: shlex.split(value)[0] for name, value in self.env.items()}
        self.key = self.env["POSTHOUSE_KEY"]
        self.plain, self.tls = free_port(), free_port()
        self.server = subprocess.Popen([SMTPD, "--listen", f"127.0.0.1:{self.plain}", "--listen", f"127.0.0.1:{self.tls}/tls"],
                                       env={**os.environ, **self.env, "POSTHOUSE_TRACEABLE": "yes"},
                                       stderr=open(os.path.join(self.dir, "log/door.log"), "w"))
        for port in (self.plain, self.tls):
            until("the door opens", lambda port=port: stage.answers(port))

    def certify(self, days):
        """A new certificate in the place of the one before."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key_file, "-out", self.cert, "-days", str(days),
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)

    def doctor(self, name):
        done = subprocess.run([os.path.join(BUILD, "posthouse"), "doctor", "--only", name], capture_output=True, text=True,
                              env={**os.environ, **self.env})
        return done.returncode, done.stdout

    def count(self, subject):
        return int(self.sql(f"SELECT COUNT(*) FROM email WHERE subject = '{subject}'"))

    def left(self, subject):
        """The mail with this subject as it left; None: none did."""
        subprocess.run([os.path.join(BUILD, "posthouse-spool"), "--once"], check=True, env={**os.environ, **self.env}, capture_output=True)
        folder = os.path.join(self.env["POSTHOUSE_MAILDIR"], "new")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                mail = email.message_from_binary_file(file, policy=email.policy.default)
            if mail["Subject"] == subject:
                return mail
        return None

    def sql(self, text):
        return subprocess.run(["mariadb", "--no-defaults", "-S", os.path.join(self.dir, "database.socket"), "-u", "root", "posthouse", "-N", "-e",
                               text], check=True, capture_output=True, text=True).stdout.strip()

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        check("the door ends", self.server.wait(60), 0)
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], check=True, stdout=subprocess.DEVNULL)


def python_client(house):
    context = ssl.create_default_context(cafile=house.cert)
    for way in ("plain", "starttls", "tls"):
        if way == "tls":
            client = smtplib.SMTP_SSL("localhost", house.tls, context=context)
        else:
            client = smtplib.SMTP("localhost", house.plain)
        with client:
            if way == "starttls":
                client.starttls(context=context)
                check("TLS", client.sock.version() in ("TLSv1.2", "TLSv1.3"), True)
            client.login("posthouse", house.key)
            client.sendmail("shop@posthouse.example", ["ann@example.net"], message(f"python {way}"))
            large = b"".join(b"%075d\r\n" % i for i in range(40000))
            client.sendmail("shop@posthouse.example", ["ann@example.net"], message(f"python large {way}") + large)
        check(way, (house.count(f"python {way}"), house.count(f"python large {way}")), (1, 1))


def swaks_client(house):
    for way, options in (("plain", ["--port", str(house.plain)]), ("starttls", ["--port", str(house.plain), "--tls"]),
                         ("tls", ["--port", str(house.tls), "--tls-on-connect"]), ("pipeline", ["--port", str(house.plain), "--pipeline"]),
                         ("login", ["--port", str(house.plain), "--auth", "LOGIN"])):
        done = subprocess.run(["swaks", "--server", "127.0.0.1", "--from", "shop@posthouse.example", "--to", "ann@example.net", "--auth-user", "x",
                               "--auth-password", house.key, "--header", f"Subject: swaks {way}", *([] if way == "login" else ["--auth", "PLAIN"]),
                               *options], capture_output=True, text=True)
        check(f"swaks {way}: {done.stdout[-800:]}", (done.returncode, house.count(f"swaks {way}")), (0, 1))


def msmtp_client(house):
    for way, options in (("starttls", ["--port", str(house.plain), "--tls=on", "--tls-starttls=on"]),
                         ("tls", ["--port", str(house.tls), "--tls=on", "--tls-starttls=off"])):
        done = subprocess.run(["msmtp", "--host=localhost", "--from=shop@posthouse.example", "--auth=plain", "--user=x",
                               f"--passwordeval=echo {house.key}", f"--tls-trust-file={house.cert}", *options, "ann@example.net"],
                              input=message(f"msmtp {way}"), capture_output=True)
        check(f"msmtp {way}: {done.stderr[-500:]}", (done.returncode, house.count(f"msmtp {way}")), (0, 1))


def library(house, name, argv):
    """A library whose program sends mails of two sizes in both ways. They leave as they came."""
    done = subprocess.run([*argv, str(house.plain), str(house.tls), house.cert], capture_output=True, text=True,
                          env={**os.environ, "POSTHOUSE_KEY": house.key})
    check(f"{name}: {done.stdout[-500:]}{done.stderr[-800:]}", done.returncode, 0)
    for way in ("starttls", "large starttls", "tls", "large tls"):
        check(f"{name} {way}", house.count(f"{name} {way}"), 1)
        mail = house.left(f"{name} {way}")
        if mail is None:
            fail(f"{name} {way} did not leave")
            continue
        check(f"{name} {way}: text", mail.get_body(("plain",)).get_content().splitlines(), [".", "..two", "Gr\u00fc\u00dfe", "."])
        if way.startswith("large"):
            check(f"{name} {way}: attachment", [part.get_content() for part in mail.iter_attachments()], [b"\7" * (4 << 20)])


def nodemailer_client(house):
    folder = os.path.join(BUILD, "tests/smtpd/nodemailer.build")
    source = os.path.join(SRC, "tests/smtpd/nodemailer")
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["bash", "-c", '. "$1/tests/support/npm.sh"; npm_get "$2" "$3"', "bash", SRC, source, folder], capture_output=True,
                          text=True)
    if done.returncode == 77:
        print(done.stdout)
        return
    check(f"npm: {done.stdout}{done.stderr}", done.returncode, 0)
    shutil.copy(os.path.join(source, "send.mjs"), folder)
    library(house, "nodemailer", ["node", os.path.join(folder, "send.mjs")])


def phpmailer_client(house):
    library(house, "phpmailer", ["php", os.path.join(SRC, "tests/smtpd/phpmailer.php")])


def submit(client, house, name):
    """A session as a program writes it; the last replies."""
    file = client.makefile("rwb")
    file.readline()
    for line in ("EHLO x", f"AUTH PLAIN {plain(house.key)}", "MAIL FROM:<shop@posthouse.example>", "RCPT TO:<ann@example.net>", "DATA"):
        file.write(line.encode() + b"\r\n")
    file.write(message(name).replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\nQUIT\r\n")
    file.flush()
    return [line.decode().strip() for line in file][-2:]


def plain(key):
    import base64
    return base64.b64encode(b"\0x\0" + key.encode()).decode()


def recipe(path, start):
    """The words of the line of a recipe, with the paths of this build."""
    with open(os.path.join(SRC, "apache", path)) as file:
        line = next(line for line in file if line.startswith(start))
    words = shlex.split(line[len(start):] if start.endswith("=") else line)
    return [{"/usr/sbin/posthouse-smtpd": SMTPD, "@smtpd@": SMTPD}.get(word, word) for word in words]


def session_on_input(house, argv, name):
    """As inetd and systemd with Accept=yes start a program: the client is its standard input."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        peer, _ = server.accept()
        process = subprocess.Popen(argv, stdin=peer, stdout=peer, stderr=peer, env={**os.environ, **house.env})
        peer.close()
        replies = submit(client, house, name)
        check(f"{name}: {replies}", (replies[0][:20], process.wait(60), house.count(name)), ("250 2.0.0 queued as ", 0, 1))


def recipes(house):
    words = recipe("inetd.conf", "submission ")
    session_on_input(house, [words[5], *words[7:-1], house.env["POSTHOUSE_CONFIG"]], "inetd")
    session_on_input(house, recipe("posthouse-smtpd@.service", "ExecStart="), "systemd, a session")
    # systemd hands over listening sockets from descriptor 3 on.
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        argv = recipe("posthouse-smtpd.service", "ExecStart=")
        fds = f"{server.fileno()} {other.fileno()}"
        shell = ('a=$1 b=$2; shift 2; eval "exec 8<&$a 9<&$b"; eval "exec 3<&8 4<&9 8<&- 9<&-"; '
                 'LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=connection:tls exec "$@"')
        process = subprocess.Popen(["bash", "-c", shell, "bash", *fds.split(), *argv], stdin=subprocess.DEVNULL,
                                   pass_fds=(server.fileno(), other.fileno()), env={**os.environ, **house.env})
        with socket.create_connection(server.getsockname()) as client:
            replies = submit(client, house, "systemd, sockets")
        check(f"sockets: {replies}", replies[0][:20], "250 2.0.0 queued as ")
        context = ssl.create_default_context(cafile=house.cert)
        with context.wrap_socket(socket.create_connection(other.getsockname()), server_hostname="localhost") as client:
            replies = submit(client, house, "systemd, tls")
        check(f"sockets, tls: {replies}", replies[0][:20], "250 2.0.0 queued as ")
        process.send_signal(signal.SIGTERM)
        check("the sockets' server ends", process.wait(60), 0)


def repeats(house):
    """Clients that send each message until it is answered 250, while the workers are killed: each is there, and once."""
    missing = threading.Semaphore(0)

    def client(number):
        for i in range(20):
            text = message("repeated", f"Message-ID: <{number}.{i}@x>\r\n")
            while True:
                try:
                    with smtplib.SMTP("127.0.0.1", house.plain, timeout=60) as session:
                        session.login("x", house.key)
                        session.sendmail("shop@posthouse.example", ["ann@example.net"], text)
                    break
                except (smtplib.SMTPException, OSError):
                    continue
        missing.release()

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        children = subprocess.run(["pgrep", "-P", str(house.server.pid)], capture_output=True, text=True).stdout.split()
        for child in children[:1]:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        threads[0].join(0.1)
        for thread in threads:
            thread.join(0.02)
    check("repeated", house.count("repeated"), 80)


def starttls_injection(house):
    with socket.create_connection(("127.0.0.1", house.plain)) as client:
        client.sendall(b"EHLO x\r\nSTARTTLS\r\nMAIL FROM:<a@b.c>\r\n")
        got = client.makefile("rb").read().decode().splitlines()
    check("data behind STARTTLS", got[-1], "421 4.7.0 Data behind STARTTLS")


def certificates(house):
    """A certificate that is renewed needs no signal. Doctor tells when it ends."""
    def shown():
        context = ssl.create_default_context(cafile=house.cert)
        with context.wrap_socket(socket.create_connection(("127.0.0.1", house.tls)), server_hostname="localhost") as client:
            return client.getpeercert(True)
    before = shown()
    status, text = house.doctor("certificate")
    check(f"doctor: {text}", (status, text.startswith("ok    certificate: it ends on 20")), (0, True))
    house.certify(10)
    check("another certificate", shown() != before, True)
    status, text = house.doctor("certificate")
    check(f"doctor: {text}", (status, text.startswith("warn  certificate: it ends on 20")), (1, True))
    status, text = house.doctor("smtpd")
    check(f"doctor: {text}", (status, " cannot be reached at port 25\n" in text), (1, True))


def call(house, method, path, body=None):
    request = urllib.request.Request(house.env["POSTHOUSE_URL"] + path, None if body is None else json.dumps(body).encode(),
                                     {"Authorization": "Bearer " + house.key, "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def receiving(house):
    """A domain that receives: routes decide about recipients, a message is stored once."""
    domain = call(house, "GET", "/v1/domains")["domains"][0]["id"]
    with smtplib.SMTP("127.0.0.1", house.plain) as client:
        client.ehlo("mx.example.net")
        client.mail("joe@example.net")
        check("before", client.rcpt("info@posthouse.example"), (550, b"5.7.1 Relaying denied"))
        client.rset()
        call(house, "PATCH", f"/v1/domains/{domain}", {"receiving": True})
        call(house, "POST", f"/v1/domains/{domain}/routes", {"match": "no", "action": "refuse", "reason": "Not here"})
        client.mail("joe@example.net")
        check("refused", client.rcpt("no@posthouse.example"), (550, b"5.7.1 Not here"))
        check("taken", client.rcpt("info@posthouse.example"), (250, b"2.1.5 OK"))
        check("twice", client.rcpt("info@posthouse.example"), (250, b"2.1.5 OK"))
        code, text = client.data("From: Joe <joe@example.net>\r\nTo: info@posthouse.example\r\nMessage-ID: <r1@x>\r\nSubject: in\r\n\r\nHello\r\n")
        check("stored", (code, text[:16]), (250, b"2.0.0 stored as "))
        client.mail("joe@example.net")
        client.rcpt("info@posthouse.example")
        again = client.data("From: Joe <joe@example.net>\r\nTo: info@posthouse.example\r\nMessage-ID: <r1@x>\r\nSubject: in\r\n\r\nHello\r\n")
        check("again", again, (250, b"2.0.0 recorded"))
    mail = call(house, "GET", "/v1/received/" + text.decode().split()[-1])
    check("the mail", (mail["subject"], mail["recipients"], mail["envelope"]["from"], mail["envelope"]["helo"], mail["envelope"]["address"]),
          ("in", ["info@posthouse.example"], "joe@example.net", "mx.example.net", "127.0.0.1"))


def greets(port):
    """If a new session is taken: the door hears a moment later that the others have ended."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        return client.makefile("rb").readline().startswith(b"220 ")


def many(house):
    """More sessions than there may be: the others get a reply."""
    sockets = [socket.create_connection(("127.0.0.1", house.plain)) for _ in range(60)]
    first = [client.makefile("rb").readline().decode().strip() for client in sockets]
    check("the 421 of those that are too many", sorted({line[:3] for line in first}), ["220", "421"])
    check("50 sessions", sum(line.startswith("220 ") for line in first), 50)
    check("the reply", next(line for line in first if line.startswith("421")), "421 4.3.2 Too many sessions")
    for client in sockets:
        client.close()
    until("the sessions end", lambda: greets(house.plain))


def idle(house):
    """A session that waits takes little memory of its own, though a message has gone through it."""
    with smtplib.SMTP("127.0.0.1", house.plain) as client:
        client.login("x", house.key)
        client.sendmail("shop@posthouse.example", ["ann@example.net"], message("idle"))
        children = subprocess.run(["pgrep", "-P", str(house.server.pid)], check=True, capture_output=True, text=True).stdout.split()
        for child in children:
            with open(f"/proc/{child}/smaps_rollup") as file:
                private = sum(int(line.split()[1]) for line in file if line.startswith("Private_"))
            check(f"{private} KiB of its own", 0 < private <= 4096, True)


CROWD = 200


class Door:
    """A second door of the house, for a crowd: its clients have little time."""

    def __init__(self, house):
        self.port = free_port()
        config = os.path.join(house.dir, "crowd.conf")
        with open(house.env["POSTHOUSE_CONFIG"]) as given, open(config, "w") as file:
            os.chmod(config, 0o600)
            file.write(given.read() + f"\n[smtpd]\nconnections = {CROWD}\ntimeout = 15\n")
        self.process = subprocess.Popen([SMTPD, "--listen", f"127.0.0.1:{self.port}"], stderr=subprocess.DEVNULL,
                                        env={**os.environ, **house.env, "POSTHOUSE_CONFIG": config})
        until("the door of the crowd opens", lambda: stage.answers(self.port))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check("the door of the crowd ends", self.process.wait(60), 0)


class Client(threading.Thread):
    """One of a crowd: it comes again as long as it is not taken. A slow one sends a few bytes at a time."""

    def __init__(self, house, door, number, start):
        super().__init__(daemon=True)
        self.house, self.door, self.number, self.start_line, self.refused = house, door, number, start, 0
        self.start()

    def say(self, text):
        pieces = [text[i:i + 40] for i in range(0, len(text), 40)] if self.number % 10 == 0 else [text]
        for piece in pieces:
            self.socket.sendall(piece)
            time.sleep(0.01 * (len(pieces) > 1))

    def hear(self, want):
        """Whether the reply is the one that is wanted; any other must ask the client to come again."""
        while (line := self.file.readline())[3:4] == b"-":
            pass
        if line and line[:1] != b"4" and line[:3] != want:
            stage.failures.append(f"crowd: got {line}, want {want}")
        return line[:3] == want

    def session(self):
        text = (f"From: shop@posthouse.example\r\nTo: ann@example.net\r\nSubject: crowd {self.number}\r\n"
                f"Message-ID: <crowd-{self.number}@client.example>\r\n\r\n" + "Hello\r\n" * 50).encode()
        for line, want in ((b"EHLO client.example\r\n", b"250"), (f"AUTH PLAIN {plain(self.house.key)}\r\n".encode(), b"235"),
                           (b"MAIL FROM:<shop@posthouse.example>\r\n", b"250"), (b"RCPT TO:<ann@example.net>\r\n", b"250"),
                           (b"DATA\r\n", b"354"), (text + b".\r\n", b"250")):
            self.say(line)
            if not self.hear(want):
                return False
        return True

    def run(self):
        waits, done = True, False
        while not done:
            with socket.create_connection(("127.0.0.1", self.door.port)) as self.socket:
                self.file = self.socket.makefile("rb")
                try:
                    taken = self.hear(b"220")
                    if waits:
                        self.start_line.wait()
                        waits = False
                    done = taken and self.session()
                except OSError:
                    done = False
                self.refused += not done


def crowd(house):
    """200 sessions at once, slow ones among them, and more clients than that, which come again whenever they get a 421: each message is stored
    once, and a client that says nothing is sent away.
    """
    house.sql("SET GLOBAL max_connections = 400")
    door = Door(house)
    until("a first session ends", lambda: greets(door.port))
    start = threading.Barrier(CROWD + 20)
    clients = [Client(house, door, number, start) for number in range(CROWD + 20)]
    for client in clients:
        client.join(120)
    check("clients that are left", sum(client.is_alive() for client in clients), 0)
    check("some came again", any(client.refused for client in clients), True)
    check("their messages", house.sql("SELECT COUNT(*), COUNT(DISTINCT subject) FROM email WHERE subject LIKE 'crowd %'"),
          f"{CROWD + 20}\t{CROWD + 20}")
    until("their sessions end", lambda: greets(door.port))
    with socket.create_connection(("127.0.0.1", door.port)) as silent:
        lines = silent.makefile("rb").read().split(b"\r\n")
    check("a client that says nothing", [line[:3] for line in lines], [b"220", b"421", b""])
    door.stop()


def main():
    for needed in ("/usr/sbin/lighttpd", "/usr/bin/openssl"):
        if not os.path.exists(needed):
            print(f"there is no {needed} here")
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="posthouse-") as folder:
        os.chmod(folder, 0o711)
        house = House(folder)
        try:
            python_client(house)
            for program, test in (("swaks", swaks_client), ("msmtp", msmtp_client)):
                if shutil.which(program):
                    test(house)
                else:
                    print(f"there is no {program} here")
            for needed, test in (("/usr/bin/npm", nodemailer_client), ("/usr/share/php/libphp-phpmailer/autoload.php", phpmailer_client)):
                if os.path.exists(needed):
                    test(house)
                else:
                    print(f"there is no {needed} here")
            starttls_injection(house)
            receiving(house)
            recipes(house)
            many(house)
            idle(house)
            crowd(house)
            certificates(house)
            repeats(house)
        finally:
            house.stop()
    if stage.failures:
        print("\n".join(stage.failures))
    return len(stage.failures) > 0


if __name__ == "__main__":
    sys.exit(main())
