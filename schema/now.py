#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables as they are: schema/now/*.sql, a file for each family, with a sentence for each column. A new installation is made from them;
tests/store/schema.c compares them with what the numbered steps make. A sentence that ends with "-> TABLE" says where the id leads.

schema/now.py            checks what needs no server: comments, arrows, doc/data.dot
schema/now.py write      brings the files to what the numbered steps make in a private MariaDB, keeps the comments, and shows each difference;
                         a new table or column has the comment "?" then, which is to be written
schema/now.py picture    writes doc/data.dot, which "make doc" draws
"""
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
WIDTH = 120
UNKNOWN = "?"
CREATE = "CREATE TABLE IF NOT EXISTS "


def path_of(*names):
    return os.path.join(TOP, *names)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Table:
    """A table: its sentence, its columns with theirs, and what stands behind them."""

    def __init__(self, name, comment):
        self.name, self.comment = name, comment
        self.columns = {}  # name -> [sentence, the rest of the line]
        self.keys, self.end = [], ""

    def text(self):
        rows = []
        for name, (comment, rest) in self.columns.items():
            rows.append(remark(comment, "\t") + f"\t{name} {rest}")
        rows += [f"\t{key}" for key in self.keys]
        return remark(self.comment, "") + f"{CREATE}{self.name} (\n" + ",\n".join(rows) + f"\n{self.end};\n"


def remark(sentence, indent):
    lines = textwrap.wrap(sentence, WIDTH - 3 - 7 * len(indent), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{indent}-- {line}\n" for line in lines)


def is_key(line):
    return re.match(r"(PRIMARY|UNIQUE|FOREIGN|CONSTRAINT|KEY|CHECK)\b", line)


def parse(text):
    """The sentence of a family, and its tables."""
    title, tables, remarks, table = "", [], [], None
    for line in text.splitlines():
        words = line.strip().rstrip(",")
        if words.startswith("--"):
            remarks.append(words[2:].strip())
        elif not words:
            if not title and remarks:
                title = " ".join(word for word in remarks if not word.startswith("SPDX"))
            remarks = []
        elif words.startswith(CREATE):
            table, remarks = Table(words[len(CREATE):].split()[0], " ".join(remarks)), []
            tables.append(table)
        elif words.startswith(")"):
            table.end = words.rstrip(";")
        elif is_key(words):
            table.keys.append(words)
        else:
            name, rest = words.split(" ", 1)
            table.columns[name] = [" ".join(remarks), rest]
            remarks = []
    return title, tables


def families():
    """File name -> (sentence, tables), in the order of schema/room.mk, which lets foreign keys find their tables."""
    listed = re.findall(r"%D%/now/(\w+)\.sql", read(path_of("schema", "room.mk")))
    return {name: parse(read(path_of("schema", "now", name + ".sql"))) for name in listed}


def family_text(title, tables):
    return "-- SPDX-License-Identifier: MIT\n" + remark(title, "") + "".join("\n" + table.text() for table in tables)


def plain(line):
    """A line of SHOW CREATE TABLE as we write it."""
    line = re.sub(r"\b(tinyint|smallint|int|bigint)\(\d+\)", r"\1", line.strip().rstrip(",").replace("`", ""))
    head = re.match(r"(\w+) (\w+)(.*)$", line)
    if not is_key(line) and head and not line.startswith(")"):
        line = f"{head[1]} {head[2].upper()}{head[3]}".replace(" unsigned", " UNSIGNED")
    line = re.sub(r"'((?:\\0)+)'", lambda found: "0x" + "00" * (len(found[1]) // 2), line)
    return re.sub(r" DEFAULT NULL$", " NULL", line)


def from_server(name, shown, before):
    """The table as SHOW CREATE TABLE tells, with the comments of before (None: a new table)."""
    table = Table(name, before.comment if before else UNKNOWN)
    for line in map(plain, shown.splitlines()[1:]):
        if line.startswith(")"):
            table.end = line
        elif is_key(line):
            table.keys.append(line)
        else:
            column, rest = line.split(" ", 1)
            known = before.columns.get(column) if before else None
            table.columns[column] = [known[0] if known else UNKNOWN, rest]
    return table


class Server:
    """A private MariaDB."""

    def __enter__(self):
        program = shutil.which("mariadbd", path=os.environ["PATH"] + ":/usr/sbin:/usr/libexec")
        if not program:
            sys.exit("mariadbd is not installed")
        self.dir = tempfile.mkdtemp(prefix="posthouse-now-")
        user = ["--user=root"] if os.geteuid() == 0 else []
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={self.dir}/data", "--auth-root-authentication-method=normal",
                        "--skip-test-db", *user], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen([program, "--no-defaults", "--skip-networking", "--innodb-flush-log-at-trx-commit=0", *user,
                                         f"--datadir={self.dir}/data", f"--socket={self.dir}/s", f"--pid-file={self.dir}/pid",
                                         f"--log-error={self.dir}/log"], stderr=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                self.sql("SELECT 1", "mysql")
                return self
            except subprocess.CalledProcessError:
                time.sleep(0.1)
        sys.exit(read(self.dir + "/log"))

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def sql(self, text, database):
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.dir + "/s", "-u", "root", "-N", "-B", "-r", database], check=True, input=text,
                              capture_output=True, text=True).stdout

    def make(self, database, files):
        """A database from files, and SHOW CREATE TABLE of each of its tables."""
        self.sql(f"CREATE DATABASE {database} CHARACTER SET utf8mb4", "mysql")
        for path in files:
            try:
                self.sql("SET foreign_key_checks = 0;" + read(path), database)
            except subprocess.CalledProcessError as error:
                sys.exit(f"{path}: {error.stderr}")
        return {name: self.sql(f"SHOW CREATE TABLE `{name}`", database).split("\t", 1)[1].strip() for name in self.sql("SHOW TABLES", database).split()}


OWN = ("schema_version", "schema_release")  # of lib/store/schema.c, in no step


def home_of(name, known):
    """The family of a new table: that of the table whose name begins like its own, else a new file."""
    alike = [(len(os.path.commonprefix([name + "_", table.name + "_"])), family) for family, (_, tables) in known.items() for table in tables]
    best, family = max(alike)
    return family if best > len(name.split("_")[0]) else "unsorted"


def bring():
    known = families()
    with Server() as server:
        steps = server.make("steps", sorted(glob.glob(path_of("schema", "[0-9]*.sql"))))
        now = server.make("now", [path_of("schema", "now", name + ".sql") for name in known])
    where = {table.name: family for family, (_, tables) in known.items() for table in tables}
    for name, shown in steps.items():
        if now.get(name) == shown:
            continue
        family = where.get(name) or home_of(name, known)
        tables = known.setdefault(family, ("Tables whose family is to be chosen.", []))[1]
        place = next((at for at, table in enumerate(tables) if table.name == name), len(tables))
        tables[place:place + 1] = [from_server(name, shown, tables[place] if place < len(tables) else None)]
    changed = 0
    for family, (title, tables) in known.items():
        path = path_of("schema", "now", family + ".sql")
        before = read(path) if os.path.exists(path) else ""
        after = family_text(title, [table for table in tables if table.name in steps or table.name in OWN])
        changed += before != after
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), path, path))
        write(path, after)
    write(path_of("doc", "data.dot"), picture(known))
    if "unsorted" in known:
        print("unsorted.sql: choose a family for its tables, or name the file and put it into schema/room.mk")
    print(f"{changed} files of schema/now changed" if changed else "schema/now is what the steps make")


def arrows(tables):
    """From, to, of each sentence with an arrow."""
    for table in tables:
        for comment, _ in table.columns.values():
            found = re.search(r" -> (\w+)$", comment)
            if found:
                yield table.name, found[1]


def picture(known):
    lines = ["// SPDX-License-Identifier: MIT",
             "// Made by schema/now.py from schema/now/*.sql: the tables by family. An arrow leads from a row to the row that an id in it names.",
             "// Every table has a workspace_id, whose arrows are left out.",
             "digraph data {",
             '\tgraph [rankdir=RL, fontname="sans-serif", nodesep=0.2, ranksep=0.9]',
             '\tnode [shape=box, style=filled, fillcolor="#f4f4f4", fontname="sans-serif", fontsize=11, height=0.3]',
             '\tedge [color="#666666", arrowsize=0.6]', ""]
    for family, (_, tables) in known.items():
        lines.append(f'\tsubgraph cluster_{family} {{ label="{family}"; fontname="sans-serif"; ' + "; ".join(table.name for table in tables) + " }")
    lines.append("")
    seen = dict.fromkeys(pair for _, tables in known.values() for pair in arrows(tables) if pair[0] != pair[1])
    lines += [f"\t{source} -> {target}" for source, target in seen]
    return "\n".join(lines) + "\n}\n"


def faults():
    known = families()
    names = {table.name for _, tables in known.values() for table in tables}
    there = {os.path.basename(path)[:-4] for path in glob.glob(path_of("schema", "now", "*.sql"))}
    yield from (f"schema/now/{name}.sql is not in schema/room.mk" for name in sorted(there - set(known)))
    for family, (title, tables) in known.items():
        if not title:
            yield f"schema/now/{family}.sql has no sentence about the family"
        for table in tables:
            places = [(table.name, table.comment)] + [(f"{table.name}.{column}", comment) for column, (comment, _) in table.columns.items()]
            for place, comment in places:
                if not re.search(r"\w.*\.( -> \w+)?$", comment):
                    yield f"schema/now/{family}.sql: {place} has no sentence: {comment!r}"
        yield from (f"schema/now/{family}.sql: {source} -> {target}: there is no such table" for source, target in arrows(tables) if target not in names)
        if family_text(title, tables) != read(path_of("schema", "now", family + ".sql")):
            yield f"schema/now/{family}.sql is not written as schema/now.py writes it: run make schema-now"
    if picture(known) != read(path_of("doc", "data.dot")):
        yield "doc/data.dot is not that of schema/now: run make doc"


def main():
    what = sys.argv[1:] or ["check"]
    if what == ["write"]:
        bring()
    elif what == ["picture"]:
        write(path_of("doc", "data.dot"), picture(families()))
    elif what == ["check"]:
        found = list(faults())
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
