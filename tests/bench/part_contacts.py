# SPDX-License-Identifier: MIT
"""Contacts: into one audience and into many, in small and large audiences, and their import."""
import os
import time

from instance import Instance
from load import in_turns, requests_script, wrk
from part_http import CONTACT

SOME = """\
SELECT LOWER(CONCAT_WS('-', SUBSTR(h, 1, 8), SUBSTR(h, 9, 4), SUBSTR(h, 13, 4), SUBSTR(h, 17, 4), SUBSTR(h, 21))), address
FROM (SELECT HEX(id) h, address FROM posthouse.contact WHERE audience_id = UNHEX('%s') AND RAND() < %f) some"""


def contacts_file(folder, count):
    """Emails in no order, for that is how they come."""
    path = os.path.join(folder, f"contacts-{count}.csv")
    with open(path, "w", newline="") as file:
        file.write("email,first_name,last_name,is_subscribed\r\n")
        for i in range(count):
            file.write(f"{(i * 7919) % count:07}.person@example{i % 500}.com,First {i},Last,{'false' if i % 10 == 0 else 'true'}\r\n")
    return path


def create(run, instance):
    audiences = [instance.cli("audience", "create", f"Bench {i}")["id"] for i in range(8)]
    paths = [f"/v1/audiences/{audience}/contacts" for audience in audiences]
    one = requests_script(instance.dir, "one", "POST", paths[:1], CONTACT)
    eight = requests_script(instance.dir, "eight", "POST", paths, CONTACT)
    single, spread = in_turns(run.rounds, lambda: wrk(instance.url, run.seconds, instance.auth, one),
                              lambda: wrk(instance.url, run.seconds, instance.auth, eight))
    run.report.compare("POST contact, one audience", single, "8 audiences", spread, goal=0.85)


def fill(run, instance, size, last):
    """Imports so many into an audience. Returns scripts that get some of them, one by one and as pages."""
    path = contacts_file(instance.dir, size)
    audience = instance.cli("audience", "create", f"Of {size}")["id"]
    begin = time.perf_counter()
    instance.cli("contact", "import", audience, path)
    if last:
        run.report.value(f"posthouse contact import, {size} rows", size / (time.perf_counter() - begin), "/s", goal=30000)
    os.unlink(path)
    some = instance.sql(SOME % (audience.replace("-", ""), min(1, 1000 / size)))
    base = f"/v1/audiences/{audience}/contacts"
    return (requests_script(instance.dir, f"get-{size}", "GET", [f"{base}/{id}" for id in some[::2]]),
            requests_script(instance.dir, f"list-{size}", "GET", [f"{base}?cursor={address}" for address in some[1::2]]))


def read(run, instance, sizes):
    (few, few_pages), (many, many_pages) = [fill(run, instance, size, size == sizes[-1]) for size in sizes]
    for what, small, large in (("GET contact", few, many), ("GET contacts, a page", few_pages, many_pages)):
        slow, quick = in_turns(run.rounds, lambda: wrk(instance.url, run.seconds, instance.auth, large),
                               lambda: wrk(instance.url, run.seconds, instance.auth, small))
        run.report.compare(f"{what} of {sizes[1]}", slow, f"{sizes[0]}", quick, goal=0.83)


def contacts(run):
    run.report.begin("Contacts")
    instance = Instance()
    try:
        instance.give_room()
        create(run, instance)
        read(run, instance, (1000, 20000) if run.quick else (1000, 1000000))
    finally:
        instance.stop()
