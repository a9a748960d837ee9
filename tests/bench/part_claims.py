# SPDX-License-Identifier: MIT
"""Claims of the outbox: while little and much waits, of one workspace and of many."""
import statistics
import subprocess

from instance import Instance, program
from load import in_turns

CLAIM = """\
TRUNCATE posthouse.outbox; INSERT INTO posthouse.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(REPEAT('00', 16)), UNHEX(MD5(seq)), X'0000', 0, 1, 1000 + seq
FROM posthouse.seq_1_to_%d;"""

UNCLAIM = ("UPDATE posthouse.outbox SET ready_at = 1000 + CONV(HEX(id), 16, 10), owner = NULL, token = NULL"
           " WHERE ready_at > 2000000000000")

TENANTS = """\
DELETE FROM posthouse.workspace WHERE name LIKE 'tenant %%'; TRUNCATE posthouse.outbox;
INSERT INTO posthouse.workspace (id, name, created) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), CONCAT('tenant ', seq), 1
FROM posthouse.seq_1_to_%d;
INSERT INTO posthouse.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(1 + seq %% %d), 32, '0')), UNHEX(MD5(seq)), X'0000', 0, 1, 1000 + seq
FROM posthouse.seq_1_to_%d;"""


def claims(instance, batches):
    """Claims of 100 rows in a second."""
    return float(subprocess.run([program("tests/bench/claim"), instance.env["POSTHOUSE_CONFIG"], str(batches)], check=True,
                                capture_output=True, text=True).stdout)


def claim(run):
    """How long a claim of 100 rows takes while so many wait."""
    sizes = (1000, 20000) if run.quick else (1000, 1000000)
    run.report.begin("Claims of 100 rows")
    instance = Instance()

    def again():
        rate = claims(instance, 9)
        instance.sql(UNCLAIM)
        return rate
    try:
        rates = []
        for size in sizes:
            instance.sql(CLAIM % size)
            instance.settle()
            rates += in_turns(1 if run.quick else 15, again)
    finally:
        instance.stop()
    few, many = rates
    run.report.compare(f"claims while {sizes[1]} wait", [statistics.median(many)], f"{sizes[0]}", [statistics.median(few)], goal=0.9)


def turns(run):
    """How long a claim of 100 rows takes while mail of so many workspaces waits, in turns of one size and the other."""
    sizes, rows, batches = ((1, 50), 2000, 9) if run.quick else ((1, 1000), 100000, 50)
    run.report.begin("Claims in turns of workspaces")
    instance = Instance()

    def claims_of(size):
        instance.sql(TENANTS % (size, size, rows))
        instance.settle()
        return claims(instance, batches)
    try:
        least, ours = in_turns(run.rounds if run.quick else 7, lambda: claims_of(sizes[0]), lambda: claims_of(sizes[1]))
    finally:
        instance.stop()
    run.report.compare(f"claims while mail of {sizes[1]} workspaces waits", ours, f"{sizes[0]}", least, goal=0.9)
