# SPDX-License-Identifier: MIT
"""Emails of distinct content, stored where few and where many are stored already."""
import json
import os

from instance import Instance
from load import html_of, in_turns, wrk

SIZE = 5000  # of the html

# Emails like the newest, each with bytes of its own that cannot be compressed, to an address of its own.
COPY = """\
SET @id := (SELECT MAX(id) FROM posthouse.email);
SET @ms := (SELECT created FROM posthouse.email WHERE id = @id) - 100000000;
INSERT INTO posthouse.email ({email}) SELECT {key}, {others} FROM posthouse.email, posthouse.{range} WHERE id = @id;
INSERT INTO posthouse.email_content (email_id, workspace_id, data)
SELECT {key}, workspace_id, LEFT(CONCAT(RANDOM_BYTES(1024), RANDOM_BYTES(1024), RANDOM_BYTES(1024)), LENGTH(data))
FROM posthouse.email_content, posthouse.{range} WHERE email_id = @id;
INSERT INTO posthouse.recipient (email_id, number, workspace_id, kind, address, status, status_at)
SELECT {key}, 0, workspace_id, kind, CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), 3, @ms + seq
FROM posthouse.recipient, posthouse.{range} WHERE email_id = @id"""
KEY = "UNHEX(CONCAT(LPAD(HEX(@ms + seq), 12, '0'), LEFT(MD5(seq), 20)))"
COLUMNS = """\
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'posthouse' AND table_name = 'email' AND column_name <> 'id' AND generation_expression IS NULL"""
BYTES = """\
SELECT SUM(file_size) FROM information_schema.innodb_sys_tablespaces
WHERE name IN ('posthouse/email', 'posthouse/email_content', 'posthouse/recipient')"""
# To addresses in no order.
SCRIPT = """\
wrk.method = 'POST'
local head, middle, tail, n = [==[%s]==], [==[%s]==], [==[%s]==], 0
math.randomseed(os.time())
local seed = math.random(1000000000)
request = function()
 n = n + 1
 return wrk.format(nil, '/v1/emails', nil, string.format('%%su%%08d%%s%%d-%%d%%s', head, math.random(%d), middle, seed, n, tail))
end
"""
BATCH = 10000
# Seconds of load before it is measured: the pages of the index of addresses are read once, as after a start.
WARM = {False: 20, True: 1}


def script(instance, count):
    body = json.dumps({"from": instance.sender, "to": "TO@example.net", "subject": "A bench", "html": "<p>TEXT</p>" + html_of(SIZE - 40)})
    head, rest = body.split("TO", 1)
    path = os.path.join(instance.dir, "stored.lua")
    with open(path, "w") as file:
        file.write(SCRIPT % (head, *rest.split("TEXT"), count))
    return path


def fill(instance, count):
    instance.give_room()
    instance.call("POST", "/v1/emails", {"from": instance.sender, "to": "u@example.net", "subject": "A bench", "html": html_of(SIZE)})
    others = ", ".join(instance.sql(COLUMNS))
    for first in range(1, count, BATCH):
        instance.sql(COPY.format(key=KEY, email="id, " + others, others=others, range=f"seq_{first}_to_{first + BATCH - 1}"))
    instance.settle()


def stored(run):
    sizes = (10000, 20000) if run.quick else (10000, 3000000)
    run.report.begin("POST of distinct content, beside the emails that are stored")
    instances = []
    try:
        for size in sizes:
            instances.append(Instance())
            fill(instances[-1], size)
        run.report.value(f"on the disk: an email of 5 KB, of {sizes[1]}", int(instances[1].sql(BYTES)[0]) / sizes[1] / 1000, "KB")
        scripts = [script(i, sizes[1]) for i in instances]
        for instance, path in zip(instances, scripts):
            wrk(instance.url, WARM[run.quick], instance.auth, path)
        few, many = in_turns(run.rounds, *(lambda i=i, s=s: wrk(i.url, run.seconds, i.auth, s) for i, s in zip(instances, scripts)))
    finally:
        for instance in instances:
            instance.stop()
    run.report.compare(f"POST email, distinct, {sizes[1]} stored", many, f"{sizes[0]}", few, goal=0.85)
