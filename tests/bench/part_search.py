# SPDX-License-Identifier: MIT
"""Searches of people, contacts, suppressions and emails, among many whose names are as skewed as people's are."""
import http.client
import random
import time
import urllib.parse

from instance import Instance
from load import html_of
from part_stored import COLUMNS, KEY

SEARCHES = 60  # of each kind
FIRST, LAST = 2000, 50000  # different names
KNOWN_FIRST = "Maria James Anna Michael Mary John Peter Martin Thomas Julia Jan Laura Andreas David Sarah Daniel Eva Ali Jose Li".split()
KNOWN_LAST = "Smith Mueller Garcia Johnson Wang Schmidt Martin Brown Nguyen Silva Jones Rossi Kim Ivanov Meyer Novak Khan Lopez".split()

# The share of a name falls with its rank: the first of 2,000 has 5 %, the first of 50,000 has 1.3 %. Rows come in no order of names.
NAMES = """\
USE posthouse;
CREATE DATABASE bench CHARACTER SET utf8mb4;
CREATE TABLE bench.first (number INT PRIMARY KEY, name VARCHAR(100));
CREATE TABLE bench.last LIKE bench.first;
INSERT INTO bench.first VALUES {first};
INSERT INTO bench.last VALUES {last};"""
PEOPLE = """\
USE posthouse;
SET @w = (SELECT id FROM workspace LIMIT 1);
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered,
  seen, created, updated, agreed, first_name, last_name)
SELECT id, @w, address, address, '{{"plan":"pro","age":42}}', 0, 0, '', 0, 0, 0, 1, 1, 1, first, last FROM (
  SELECT UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15))) id,
    CONCAT(CASE WHEN seq % 20 < 11 THEN LOWER(CONCAT(f.name, '.', l.name)) WHEN seq % 20 < 16 THEN LOWER(CONCAT(LEFT(f.name, 1), l.name))
      ELSE SUBSTR(MD5(CONCAT('a', seq)), 1, 8) END, seq, '@example', seq % 500, '.com') address,
    IF(seq % 25 = 0, NULL, f.name) first, IF(seq % 25 < 2, NULL, l.name) last
  FROM seq_{begin}_to_{end}
    JOIN bench.first f ON f.number = CAST(FLOOR({firsts} * POW(CONV(LEFT(MD5(CONCAT('f', seq)), 8), 16, 10) / 4294967296, 2.5)) AS UNSIGNED)
    JOIN bench.last l ON l.number = CAST(FLOOR({lasts} * POW(CONV(LEFT(MD5(CONCAT('l', seq)), 8), 16, 10) / 4294967296, 2.5)) AS UNSIGNED)) named;"""
# In an audience all of them, one in ten unsubscribed and one in 500 pending; in another one in 50. One in ten is suppressed.
LISTS = """\
USE posthouse;
SET @w = (SELECT id FROM workspace LIMIT 1), @a = UNHEX('{all}'), @b = UNHEX('{some}');
INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed, pending, created, updated)
SELECT @a, address, id, @w, '', CRC32(id) % 10 > 0, IF(CRC32(id) % 500 = 1, 1, NULL), 1, 1 FROM person ORDER BY address;
INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed, created, updated)
SELECT @b, address, UNHEX(CONCAT(LEFT(HEX(id), 16), LEFT(MD5(id), 16))), @w, '', CRC32(id) % 10 > 0, 1, 1 FROM person
WHERE CRC32(address) % 50 = 0 ORDER BY address;
INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)
SELECT id, @w, email, address, 4, 1, 1 FROM person WHERE CRC32(CONCAT('s', address)) % 10 = 0 ORDER BY id;
UPDATE audience_counter k JOIN (SELECT audience_id, COUNT(*) n, SUM(is_subscribed = 0) gone FROM contact GROUP BY audience_id) c
  ON c.audience_id = k.audience_id SET k.contacts = c.n, k.unsubscribers = c.gone WHERE k.stripe = 0;"""
EMAILS = """\
SET @id := (SELECT MAX(id) FROM posthouse.email);
SET @ms := (SELECT created FROM posthouse.email WHERE id = @id) - 100000000;
INSERT INTO posthouse.email ({email}) SELECT {key}, {others} FROM posthouse.email, posthouse.{range} WHERE id = @id;
INSERT INTO posthouse.recipient (email_id, number, workspace_id, kind, address, status, status_at)
SELECT {key}, 0, r.workspace_id, r.kind, p.address, 3, @ms + seq FROM posthouse.recipient r, posthouse.{range}
JOIN posthouse.person p ON p.id = UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8',
  SUBSTR(MD5(seq), 4, 15))) WHERE r.email_id = @id"""
BATCH = 50000


def make_names(known, count, seed):
    """So many names: those that are known, and others of two to four syllables."""
    choose = random.Random(seed)
    names = dict.fromkeys(known)
    while len(names) < count:
        names["".join(choose.choice("bcdfghjklmnprstvwz") + choose.choice("aeiou") + choose.choice(("", "", "n", "r", "s", "l"))
                      for _ in range(choose.choice((2, 3, 3, 4)))).capitalize()] = None
    return list(names)


def rows(names):
    return ",".join(f"({i},'{name}')" for i, name in enumerate(names))


def fill(instance, size):
    first, last = make_names(KNOWN_FIRST, FIRST, 1), make_names(KNOWN_LAST, LAST, 2)
    instance.sql(NAMES.format(first=rows(first), last=rows(last)))
    ranges = [(begin, min(begin + BATCH - 1, size)) for begin in range(1, size + 1, BATCH)]
    for begin, end in ranges:
        instance.sql(PEOPLE.format(begin=begin, end=end, firsts=FIRST, lasts=LAST))
    audiences = [instance.cli("audience", "create", name)["id"] for name in ("All", "Some")]
    instance.sql(LISTS.format(all=audiences[0].replace("-", ""), some=audiences[1].replace("-", "")))
    instance.call("POST", "/v1/emails", {"from": instance.sender, "to": "u@example.net", "subject": "A bench", "html": html_of(1000)})
    others = ", ".join(instance.sql(COLUMNS))
    for begin, end in ranges:
        instance.sql(EMAILS.format(key=KEY, email="id, " + others, others=others, range=f"seq_{begin}_to_{end}"))
    instance.sql("ANALYZE TABLE posthouse.person, posthouse.contact, posthouse.suppression, posthouse.email, posthouse.recipient")
    instance.settle()
    return first, last, audiences


def texts(instance, first, last):
    """What is searched for: of each kind as many as SEARCHES, always the same."""
    choose = random.Random(3)
    some = instance.sql("SELECT address FROM posthouse.person WHERE CRC32(id) % 500 = 7 LIMIT 2000")

    def many(make):
        return [make() for _ in range(SEARCHES)]

    return {
        "a common name": (first[:SEARCHES // 2] + last[:SEARCHES // 2]),
        "a rare name": many(lambda: choose.choice(choose.choice((first[-800:], last[-20000:])))),
        "two letters": many(lambda: choose.choice(first[:200] + last[:200])[:2]),
        "three letters": many(lambda: choose.choice(first[:200] + last[:200])[:3]),
        "the beginning of an address": many(lambda: choose.choice(some)[:choose.randint(3, 14)]),
        "both names": many(lambda: f"{choose.choice(first[:300])} {choose.choice(last[:300])[:choose.randint(1, 6)]}"),
        "nobody": many(lambda: "zq" + choose.choice(last).lower()),
    }


class Client:
    """One connection, as that of a browser."""

    def __init__(self, instance):
        parts = urllib.parse.urlsplit(instance.url)
        self.connection, self.auth = http.client.HTTPConnection(parts.hostname, parts.port), instance.auth

    def took(self, path):
        """The time of an answer, in ms."""
        begin = time.perf_counter()
        self.connection.request("GET", path, headers=self.auth)
        answer = self.connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise OSError(f"{path}: {answer.status}")
        return 1000 * (time.perf_counter() - begin)


def search(run):
    size = 20000 if run.quick else 1000000
    run.report.begin(f"Searches among {size} people")
    instance = Instance()
    try:
        instance.give_room(1024)
        first, last, (everybody, some) = fill(instance, size)
        client = Client(instance)
        lists = {"people": "/v1/people?", "contacts": f"/v1/audiences/{everybody}/contacts?",
                 "contacts, subscribed": f"/v1/audiences/{everybody}/contacts?status=subscribed&",
                 "contacts, unsubscribed": f"/v1/audiences/{everybody}/contacts?status=unsubscribed&",
                 "contacts, pending": f"/v1/audiences/{everybody}/contacts?status=pending&",
                 "contacts, one in 50": f"/v1/audiences/{some}/contacts?",
                 "suppressions": "/v1/suppressions?", "emails": "/v1/emails?"}
        for kind, sought in texts(instance, first, last).items():
            for name, path in lists.items():
                paths = [path + urllib.parse.urlencode({"search": text}) for text in sought]
                before = sum(instance.spent().values())
                times = sorted(client.took(one) for one in paths)
                spent = 1000 * (sum(instance.spent().values()) - before) / len(times)
                run.report.value(f"{name}: {kind}", times[len(times) * 95 // 100], "ms", goal=50, at_most=True,
                                 note=f"95th percentile; median {times[len(times) // 2]:.1f} ms, processor time {spent:.1f} ms")
        for status in ("subscribed", "unsubscribed", "pending"):
            path = f"/v1/audiences/{everybody}/contacts?status={status}"
            run.report.value(f"contacts, {status}: all", max(client.took(path) for _ in range(run.rounds)), "ms", goal=50, at_most=True)
    finally:
        instance.stop()
