# SPDX-License-Identifier: MIT
"""The dashboard's pages in Chromium, in a workspace that has a great deal of everything: what lists and searches take, and long tasks."""
import json
import os
import subprocess
import time

from instance import BUILD, SRC, Instance, program
from part_search import BATCH, fill as fill_people

LIST, TASK = 100, 200  # the most of an answer and of a task, in ms

# Rows like one that is there, a day older, each with an id of its own and most with a time of its own.
ID = "UNHEX(CONCAT(LPAD(HEX(CONV(LEFT(HEX({id}), 12), 16, 10) - 86400000 - seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15)))"
COLUMNS = """\
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'posthouse' AND table_name = '{table}' AND generation_expression IS NULL ORDER BY ordinal_position"""
COPY = "INSERT INTO posthouse.{table} ({columns}) SELECT {values} FROM posthouse.{table}, posthouse.seq_{first}_to_{last} WHERE {where};"
# What a person got and did, each in an email of its own.
MAILS = """\
INSERT INTO posthouse.recipient (email_id, number, workspace_id, kind, address, status, status_at)
SELECT email_id, 1, workspace_id, kind, 'ada@example.net', status, status_at FROM posthouse.recipient
WHERE number = 0 AND status = 3 ORDER BY email_id LIMIT {count}"""
# A year of 21 owners in each dimension; of those that have names, those of emails with tags.
YEAR = """\
INSERT IGNORE INTO posthouse.figure (workspace_id, dimension, owner, name, day, stripe, accepted, sent, delivered, opened)
SELECT d.workspace_id, d.dimension, IF(o.seq = 0, d.owner, UNHEX(LPAD(HEX(o.seq), 32, '0'))), d.name, {today} - y.seq, 0, 100, 90, 80, 20
FROM (SELECT DISTINCT workspace_id, dimension, owner, name FROM posthouse.figure) d, posthouse.seq_0_to_20 o, posthouse.seq_1_to_364 y"""
# What people did with a broadcast: nine of ten got it, a third opened it, a tenth clicked.
DONE = """\
UPDATE posthouse.broadcast_recipient SET queue = NULL, due = 0, status = {sent}, sent_at = 1, outcome = 3,
  opened_at = IF(CRC32(person_id) % 3 = 0, 2, 0), clicked_at = IF(CRC32(person_id) % 10 = 0, 3, 0)
WHERE broadcast_id = UNHEX('{id}') AND CRC32(person_id) % 10 > 0"""


def copies(instance, table, count, source, **values):
    """So many rows like the one whose hexadecimal id is source; values are of columns, in SQL."""
    columns = instance.sql(COLUMNS.format(table=table))
    key = "sequence" if table == "template" else "id"
    values = {key: ID.format(id=key), **values}
    told = ", ".join(values.get(one, f"`{one}`") for one in columns)
    names = ", ".join(f"`{one}`" for one in columns)
    for first in range(1, count + 1, BATCH):
        instance.sql(COPY.format(table=table, columns=names, values=told, first=first, last=min(first + BATCH - 1, count),
                                 where=f"{key} = {source}"))


def hexadecimal(id):
    return f"X'{id.replace('-', '')}'"


def newest(table, where="1"):
    return f"(SELECT * FROM (SELECT MAX(id) FROM posthouse.{table} WHERE {where}) newest)"


def fill(instance, made, count):
    """Of what is no person as many as count, or a hundredth where nobody has as many."""
    few = max(count // 100, 100)
    copies(instance, "broadcast", count, hexadecimal(made["broadcast"]))
    copies(instance, "execution", count, hexadecimal(made["execution"]), exclusive="NULL", ready_at="NULL", status="3")
    copies(instance, "received", count, hexadecimal(made["received"]))
    copies(instance, "automation_event", count, newest("automation_event"))
    copies(instance, "audit", count, newest("audit"))
    copies(instance, "api_call", count, newest("api_call"))
    copies(instance, "webhook_delivery", count, newest("webhook_delivery"))
    copies(instance, "contact_import", few, hexadecimal(made["import"]))
    copies(instance, "workflow", few, hexadecimal(made["workflow"]), status="1", name="CONCAT('Flow ', seq)")
    copies(instance, "segment", few, hexadecimal(made["segment"]), name="CONCAT('Segment ', seq)")
    copies(instance, "audience", few, hexadecimal(made["audience"]), name="CONCAT('Audience ', seq)")
    copies(instance, "template", few, "(SELECT * FROM (SELECT sequence FROM posthouse.template WHERE id = 'welcome-text') t)",
           id="CONCAT('copy-', seq)", alias="NULL", name="CONCAT('Letter ', seq)")
    instance.sql(MAILS.format(count=count))
    instance.sql(YEAR.format(today=int(time.time()) // 86400))


def send(instance, made, audience, size):
    """A broadcast to all people, of which the most have done what people do. None of it leaves."""
    broadcast = instance.call("POST", "/v1/broadcasts", {"from": instance.sender, "subject": "To all", "audiences": [audience],
                                                         "html": '<p>Hello</p><a href="{{unsubscribe_url}}">no more</a>'})["id"]
    instance.call("POST", f"/v1/broadcasts/{broadcast}/send", {"time_zone": "Etc/GMT+12",
                  "local_time": time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 13 * 3600))})
    spool = subprocess.Popen([program("posthouse-spool"), "--for", "3600", "--jobs", "1"], env=instance.env)
    where = f"WHERE id = {hexadecimal(broadcast)}"
    while instance.sql(f"SELECT is_complete FROM posthouse.broadcast {where}") != ["1"]:
        time.sleep(0.2)
    spool.terminate()
    spool.wait()
    instance.sql(DONE.format(id=broadcast.replace("-", ""), sent=2))
    made["sent"] = broadcast
    made["everybody"] = audience


def browse(instance, *arguments):
    command = [os.path.join(SRC, "tests", "dashboard", "many.sh"), *arguments]
    environ = {**instance.env, "srcdir": SRC, "builddir": BUILD}
    out = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def pages(run):
    size, count = (20000, 2000) if run.quick else (1000000, 100000)
    run.report.begin(f"Pages of the dashboard among {size} people and {count} of other rows")
    instance = Instance()
    try:
        instance.give_room(2048)
        made = browse(instance, "fill")
        _, _, (everybody, _) = fill_people(instance, size)
        send(instance, made, everybody, size)
        fill(instance, made, count)
        instance.sql("ANALYZE TABLE posthouse.broadcast, posthouse.broadcast_recipient, posthouse.execution, posthouse.received,"
                     "posthouse.automation_event, posthouse.audit, posthouse.webhook_delivery, posthouse.figure, posthouse.recipient")
        instance.settle()
        missed = 0
        for page, asked, task in browse(instance, "walk", json.dumps(made), *map(str, (run.rounds, LIST, TASK))):
            for what, took in sorted(asked.items(), key=lambda one: -one[1])[:3 if run.quick else 1]:
                run.report.value(f"{page}: slowest", took, "ms", goal=LIST, at_most=True, note=what)
            run.report.value(f"{page}: task", task, "ms", goal=TASK, at_most=True)
            missed += max(asked.values(), default=0) > LIST or task > TASK
    finally:
        instance.stop()
    if missed:
        raise SystemExit(f"bench: {missed} pages are too slow")
