#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that tests/sql.py finds what it is there to find, in small trees, and accepts clean ones."""
import os
import subprocess
import sys
import tempfile

SCHEMA = """CREATE TABLE IF NOT EXISTS workspace (id INT);
CREATE TABLE IF NOT EXISTS thing (id INT, workspace_id INT, PRIMARY KEY (id));
"""
TABLE = "static const char *const sql[] = {\n%s\n};\n"
BARE = '    [GET] = "SELECT id FROM thing WHERE id = ?",'
BOUND = '    [GET] = "SELECT id FROM thing WHERE id = ?"\n\t" AND workspace_id = ?",'
ENUM = "/* The columns of GET. */\nenum { GET_ID };\n"

# Name, source, what the test says: "" is silence.
CASES = [
    ("bound", TABLE % BOUND, ""),
    ("bare", TABLE % BARE, "GET lacks workspace_id = ?"),
    ("only selected", TABLE % '[GET] = "SELECT workspace_id FROM thing WHERE id = ?",', "GET lacks workspace_id = ?"),
    ("inserted", TABLE % '[ADD] = "INSERT INTO thing (id, workspace_id) VALUES (?, ?)",', ""),
    ("inserted without", TABLE % '[ADD] = "INSERT INTO thing (id) VALUES (?)",', "ADD lacks workspace_id = ?"),
    ("changed", TABLE % '[SET] = "UPDATE thing SET id = 1",', "SET lacks workspace_id = ?"),
    ("removed", TABLE % '[END] = "DELETE FROM thing WHERE id = ?",', "END lacks workspace_id = ?"),
    ("of no workspace", TABLE % '[GET] = "SELECT id FROM workspace WHERE id = ?",', ""),
    ("system-wide", "/* System-wide: OTHER,\n   GET. Reason. */\n" + TABLE % (BARE + BARE.replace("GET", "OTHER")), ""),
    ("marked for nothing", "/* System-wide: GET. Reason. */\n" + TABLE % BOUND, "GET has workspace_id = ?, and is marked: System-wide"),
    ("mark of none", "/* System-wide: OTHER. Reason. */\n" + TABLE % BOUND, "no statement OTHER"),
    ("checked id", "/* By checked ids: GET. Reason. */\n" + TABLE % BARE, ""),
    ("checked without id", "/* By checked ids: GET. Reason. */\n" + TABLE % '[GET] = "SELECT id FROM thing",', "GET has no condition on an id"),
    ("marked twice", "/* System-wide: GET. Reason. */\n/* By checked ids: GET. Reason. */\n" + TABLE % BARE, "GET is marked twice"),
    ("one of two", TABLE % '[SET] = "UPDATE thing SET id = 1 WHERE workspace_id = ?; DELETE FROM thing",', "DELETE FROM thing"),
    ("in a macro", '#define WHERE(a) " FROM thing" \\\n\ta\n' + TABLE % '[GET] = "SELECT 1" WHERE(" WHERE id = ?"),', "GET lacks workspace_id = ?"),
    ("bound in a macro", '#define OF(a) " WHERE " a " = ?"\n' + TABLE % '[GET] = "SELECT 1 FROM thing" OF("workspace_id"),', ""),
    ("two arguments in one", '#define PAIR "id", "workspace_id"\n#define TWO(a, b) a b " = ?"\n#define OF(a) TWO(a)\n'
     + TABLE % '[GET] = "SELECT 1 FROM thing WHERE " OF(PAIR),', "GET lacks workspace_id = ?"),
    ("in a variable", 'static const char get[] = "SELECT id FROM thing";', "get lacks workspace_id = ?"),
    ("in a function", 'void f(void) { run("DELETE FROM thing"); }', "lacks workspace_id = ?"),
    ("in a comment", TABLE % BOUND + '/* run("DELETE FROM thing") */', ""),
    ("by name", TABLE % BOUND + ENUM + "int f(void) { return db_rows_int(rows, GET_ID); }", ""),
    ("by number", TABLE % BOUND + "int f(void) { return db_rows_int(rows[0], 0); }", "reads a column by its number"),
    ("too many names", TABLE % BOUND + ENUM.replace("_ID", "_ID, GET_NAME"), "GET has 1 columns, its enum 2 names"),
    ("with an end", TABLE % BOUND + ENUM.replace("_ID", "_ID, GET_END"), ""),
]


def main():
    program = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "tests/sql.py")
    bad = 0
    for name, source, want in CASES:
        with tempfile.TemporaryDirectory() as tree:
            for path, text in (("schema/now/thing.sql", SCHEMA), ("lib/store/x.c", source), ("lib/store/y.c", TABLE % BOUND)):
                os.makedirs(os.path.join(tree, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(tree, path), "w") as file:
                    file.write(text)
            run = subprocess.run([sys.executable, program], env={**os.environ, "srcdir": tree}, capture_output=True, text=True)
        got = run.stdout + run.stderr
        if run.returncode != bool(want) or want not in got or (got and not want):
            print(f"{name}: got {run.returncode} {got!r}, want {want!r}")
            bad += 1
    return 1 if bad else 0


sys.exit(main())
