# SPDX-License-Identifier: MIT
"""The hostile DNS server: each domain below evil.example is answered in the manner of its first label, by UDP and TCP."""

import socket
import struct
import threading
import time

TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "MX": 15, "TXT": 16}
MANNERS = [
    "longname", "longsoa", "loop", "silent", "servfail", "refused", "garbage", "cut", "other", "truncated", "aliases", "many",
    "control", "counts", "emptytxt", "bytes", "selfalias", "longmx", "wrongtype",
]


def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".") if label) + b"\0"


def long_name():
    """More than 255 octets, of labels that are right."""
    return (b"\x3f" + b"n" * 63) * 20 + b"\0"


def record(kind, data, owner=b"\xc0\x0c"):
    return owner + struct.pack("!HHIH", TYPES[kind], 1, 60, len(data)) + data


class Names:
    def __init__(self):
        self.records = {}  # of the domain that is right: (name, type) to data
        self.queries = 0
        self.socket = None
        while not self.socket:
            self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
            self.port = self.listener.getsockname()[1]
            self.socket = self.bound(self.port)
        threading.Thread(target=self.serve, daemon=True).start()
        threading.Thread(target=self.accept, daemon=True).start()

    @staticmethod
    def bound(port):
        """A socket for datagrams to the port; None where somebody else has it."""
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagrams.bind(("127.0.0.1", port))
            return datagrams
        except OSError:
            datagrams.close()
            return None

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve_stream, args=(connection,), daemon=True).start()

    def serve_stream(self, connection):
        stream = connection.makefile("rb")
        try:
            while len(size := stream.read(2)) == 2:
                for reply in self.answer(stream.read(struct.unpack("!H", size)[0])):
                    connection.sendall(struct.pack("!H", len(reply)) + reply)
        except (IndexError, struct.error, OSError, UnicodeDecodeError):
            pass
        finally:
            connection.close()

    def serve(self):
        while True:
            query, client = self.socket.recvfrom(4096)
            self.queries += 1
            try:
                for reply in self.answer(query):
                    self.socket.sendto(reply, client)
            except (IndexError, struct.error, OSError, UnicodeDecodeError):
                continue

    def answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("ascii"))
            at += 1 + query[at]
        kind = struct.unpack("!H", query[at + 1:at + 3])[0]
        question = query[12:at + 5]
        asked = ".".join(labels).lower()
        manner = next((m for m in MANNERS if f"{m}.evil.example" in asked), "")
        if not manner:
            return [self.right(query[:2], question, asked, kind)]
        return self.wrong(manner, query[:2], question, kind)

    def message(self, ident, question, records, flags=0x8580, count=None):
        return ident + struct.pack("!HHHHH", flags, 1, len(records) if count is None else count, 0, 0) + question + b"".join(records)

    def right(self, ident, question, asked, kind):
        found = [record(type_name, data) for (owner, type_name), all_data in self.records.items() for data in all_data
                 if owner == asked and TYPES[type_name] == kind]
        known = any(owner == asked or owner.endswith("." + asked) for owner, _ in self.records)
        return self.message(ident, question, found, 0x8580 if known else 0x8583)

    def wrong(self, manner, ident, question, kind):
        type_name = next((key for key, value in TYPES.items() if value == kind), "TXT")
        text = b"\x05v=bad"
        soa = struct.pack("!IIIII", 1, 2, 3, 4, 5)
        mx = struct.pack("!H", 10)
        plain = {"TXT": text, "MX": mx + name("mx.evil.example"), "SOA": name("a.b") + name("c.d") + soa}.get(type_name, b"\x7f\0\0\1")
        if manner == "silent":
            return []
        if manner == "servfail":
            return [self.message(ident, question, [], 0x8582)]
        if manner == "refused":
            return [self.message(ident, question, [], 0x8585)]
        if manner == "garbage":
            return [ident + b"\xff" * 500, b"x", ident]
        if manner == "cut":
            return [self.message(ident, question, [record(type_name, plain)])[:-3]]
        if manner == "other":
            return [self.message(ident, name("other.example") + question[-4:], [record(type_name, plain)])]
        if manner == "truncated":
            return [self.message(ident, question, [], 0x8780)]
        if manner == "loop":
            return [self.message(ident, question, [record("MX", mx + b"\xc0\x00", b"\xc0" + bytes([len(question) + 12]))] * 3)]
        if manner == "aliases":
            return [self.message(ident, question, [record("CNAME", name(f"x{time.monotonic_ns()}.aliases.evil.example"))])]
        if manner == "selfalias":
            return [self.message(ident, question, [record("CNAME", b"\xc0\x0c")])]
        if manner == "counts":
            return [self.message(ident, question, [record(type_name, plain)], count=65535)]
        data = {
            "longname": {"SOA": long_name() + name("a.b") + soa, "MX": mx + long_name(), "CNAME": long_name()},
            "longsoa": {"SOA": (b"\x3f" + b"\x01" * 63) * 3 + b"\0" + (b"\x3f" + b"." * 63) * 3 + b"\0" + soa},
            "longmx": {"MX": mx + (b"\x3f" + b"\xff" * 63) * 3 + b"\x3d" + b"\0" * 61 + b"\0"},
            "control": {"TXT": b"\xff" + bytes(range(255)), "MX": mx + b"\x05\x1b[2J\x07\0"},
            "emptytxt": {"TXT": b""},
            "bytes": {"TXT": b"\xff" + b"\xc3" * 255 + b"\xff" + b"\xfe" * 255},
        }.get(manner, {}).get(type_name, plain)
        if manner == "wrongtype":
            return [self.message(ident, question, [record("A", b"\x7f\0\0\1")] * 3)]
        return [self.message(ident, question, [record(type_name, data)] * (2500 if manner == "many" else 1))]


def publish(names, domain, above):
    """Serves the records of a domain as the API names them: relative to the name that one registers."""
    names.records = {}
    for entry in domain["dns_records"]:
        data = entry["value"].encode()
        if entry["type"] == "TXT":
            data = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
        else:
            data = struct.pack("!H", entry["priority"]) + name(entry["value"])
        names.records.setdefault((f"{entry['name']}.{above}".lower(), entry["type"]), []).append(data)


def batch(house):
    """19 hostile domains and one that is right, checked in one batch."""
    tag = f"n{time.monotonic_ns()}"
    ids = {}
    for manner in MANNERS:
        answer = house.hostile.call("POST", "/v1/domains", {"name": f"{tag}.{manner}.evil.example"})
        if answer.status != 200:
            return f"{manner}: {answer.status} {answer.message()}"
        ids[manner] = answer.json()["id"]
    right = house.hostile.call("POST", "/v1/domains", {"name": f"{tag}.right.example"}).json()
    right = house.hostile.call("GET", "/v1/domains/" + right["id"]).json()
    publish(house.names, right, "right.example")
    for _ in range(5):
        # On a busy machine our own answers may be late for the limit that all share, but not each time.
        house.sql("UPDATE domain_check SET next_check = 0 WHERE next_check IS NOT NULL")
        status = house.spool("--once", "--jobs", "1", wait=150)
        if status or house.hostile.call("GET", f"/v1/domains/{right['id']}").json()["status"] == "SUCCESS":
            break
    unchecked = [manner for manner, domain in ids.items() if not house.number(
        f"SELECT last_checked IS NOT NULL OR token IS NOT NULL FROM domain_check WHERE domain_id = 0x{domain.replace('-', '')}")]
    unverified = [manner for manner, domain in ids.items() if house.hostile.call("GET", f"/v1/domains/{domain}").json()["status"] == "SUCCESS"]
    found = house.hostile.call("GET", f"/v1/domains/{right['id']}").json()["status"]
    for domain in (*ids.values(), right["id"]):
        house.hostile.call("DELETE", f"/v1/domains/{domain}")
    return ", ".join([f"the right one {found}", *([f"never checked {unchecked}"] if unchecked else []),
                      *([f"believed {unverified}"] if unverified else []), *([f"the spool ended with {status}"] if status else [])])


ATTEMPTS = [
    ("19 hostile domains beside one that is right", batch, "the right one SUCCESS"),
]
