#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A real Exim with the recipes of apache/: it gives Posthouse what comes for a receiving domain, and the mail of local applications. Exim is
unpacked from its package, since it cannot be installed beside Postfix; skipped where apt cannot get it. It sees a user of its own."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.abspath(os.environ["srcdir"]), "tests/postfix"))
import stage  # noqa: E402
from reports import Reporter  # noqa: E402
from stage import BUILD, SRC, USER, Instance, check  # noqa: E402

EXIM_USER = 64999
MAIN = """\
primary_hostname = mx.example.com
spool_directory = {dir}/spool
log_file_path = {dir}/log/%s
exim_path = {exim}
keep_environment =
never_users =
domainlist local_domains =
{recipe}
begin retry
* * F,1h,1m
"""
# The program looks for its user by name, and keeps its rights with its usual settings alone.
RUN = 'mount --bind "$1" /etc && shift && exec "$@"'
KEPT = ("hosts", "ld.so.cache", "localtime", "nsswitch.conf", "resolv.conf")


def apart():
    """The command that gives a program mounts of its own; None: there is none. In a folder that was made the root (chroot), those of the
    machine cannot be cut off, so none may be shared."""
    with open("/proc/self/mountinfo") as file:
        is_shared = "shared:" in file.read()
    for command in (["unshare", "-m"], ["unshare", "-m", "--propagation", "unchanged"])[:1 if is_shared else 2]:
        if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    return None


def unpacked():
    """The path of the program; None: apt cannot get it."""
    folder = os.path.join(BUILD, "tests/smtpd/exim.build")
    program = os.path.join(folder, "root/usr/sbin/exim4")
    if not os.path.exists(program):
        os.makedirs(folder, exist_ok=True)
        if subprocess.run(["apt-get", "download", "exim4-daemon-light"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True).returncode:
            return None
        subprocess.run(["dpkg", "-x", *glob.glob(os.path.join(folder, "*.deb")), os.path.join(folder, "root")], check=True)
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return None if "not found" in libraries else program


class Exim:
    def __init__(self, folder, program, recipe, reporter):
        self.dir, self.apart = os.path.join(folder, recipe), apart()
        os.makedirs(os.path.join(self.dir, "etc/exim4"))
        # Its own user, too, has to get there.
        self.program = shutil.copy(program, os.path.join(self.dir, "exim4"))
        for name in KEPT:
            if os.path.exists("/etc/" + name):
                shutil.copy("/etc/" + name, os.path.join(self.dir, "etc"))
        for name in ("spool", "log"):
            os.makedirs(os.path.join(self.dir, name))
            os.chown(os.path.join(self.dir, name), EXIM_USER, EXIM_USER)
        os.chmod(self.dir, 0o755)
        for name, line in (("passwd", f"Debian-exim:x:{EXIM_USER}:{EXIM_USER}::/:/usr/sbin/nologin\n"), ("group", f"Debian-exim:x:{EXIM_USER}:\n")):
            with open("/etc/" + name) as file:
                self.write("etc/" + name, file.read() + line)
        with open(os.path.join(SRC, "apache", recipe)) as file:
            text = "".join(line for line in file if not line.startswith("#"))
        for old, new in (("@user@", USER), ("@posthouse@", reporter.program), ("@config@", reporter.config), ("in.example.com", "posthouse.example"),
                         ("send.example.com", "send.posthouse.example")):
            text = text.replace(old, new)
        self.write("etc/exim4/exim4.conf", MAIN.format(dir=self.dir, exim=self.program, recipe=text))

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as file:
            file.write(text)

    def send(self, sender, subject, *recipients):
        """Takes a message, and delivers it before it ends."""
        text = f"From: Shop <shop@posthouse.example>\nTo: {recipients[0]}\nSubject: {subject}\n\nHello\n..\n"
        done = subprocess.run([*self.apart, "bash", "-c", RUN, "bash", os.path.join(self.dir, "etc"), self.program, "-i", "-odf", "-f",
                               sender, *recipients], input=text, capture_output=True, text=True)
        check(f"exim: {done.stderr}", done.returncode, 0)

    def tell(self):
        for path in glob.glob(os.path.join(self.dir, "log/*")):
            with open(path) as file:
                print(file.read())


def receives(house, exim):
    exim.send("joe@box.example", "by exim", "desk@posthouse.example", "sales@posthouse.example")
    mails = house.call("/v1/received")["received"]
    check("recipients", sorted(mail["recipients"] for mail in mails), [["desk@posthouse.example"], ["sales@posthouse.example"]])
    if not mails:
        return
    mail = house.call("/v1/received/" + mails[0]["id"])
    check("the mail", (mail["envelope"]["from"], mail["automatic"], mail["text"]), ("joe@box.example", None, "Hello\n..\n"))
    exim.send("<>", "a report", "desk@posthouse.example")
    mail = house.call("/v1/received/" + house.call("/v1/received")["received"][0]["id"])
    check("the report", (mail["subject"], mail["envelope"]["from"], mail["automatic"]), ("a report", "", "report"))


def submits(house, exim):
    exim.send("shop@posthouse.example", "sent by exim", "ann@example.net", "blind@example.net")
    got = [mail for mail in house.call("/v1/emails")["emails"] if mail["subject"] == "sent by exim"]
    check("the email", [(mail["to"], len(mail["recipient_statuses"])) for mail in got], [(["ann@example.net"], 2)])


def main():
    stage.begin("/usr/bin/apt-get", "/usr/bin/dpkg", "/usr/bin/unshare")
    program = unpacked()
    if not program:
        print("apt cannot get an Exim that runs here")
        sys.exit(77)
    if not apart():
        print("there are no namespaces of mounts here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="posthouse-") as folder:
        os.chmod(folder, 0o711)
        house = Instance(folder, "--set", "service.mode=spool")
        exim = None
        try:
            house.run("domain", "receiving", "posthouse.example", "on")
            reporter = Reporter(folder, house)
            for recipe, test in (("exim-receive", receives), ("exim-submission", submits)):
                exim = Exim(folder, program, recipe, reporter)
                test(house, exim)
                if stage.failures:
                    break
        finally:
            house.stop()
        return stage.result(exim)


if __name__ == "__main__":
    sys.exit(main())
