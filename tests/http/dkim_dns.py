#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What dkimpy says of each signature of a message, with keys that it asks a DNS server for.

dkim_dns.py ADDRESS:PORT FILE prints a line for each: good or bad, the algorithm, the domain."""

import sys

import dkim
import dns.resolver


def judge(message, index):
    try:
        return dkim.DKIM(message, timeout=20).verify(idx=index)
    except dkim.DKIMException as error:
        return type(error).__name__


def main(server, path):
    address, port = server.rsplit(":", 1)
    dns.resolver.default_resolver = dns.resolver.Resolver(configure=False)
    dns.resolver.default_resolver.nameservers = [address]
    dns.resolver.default_resolver.port = int(port)
    with open(path, "rb") as file:
        message = file.read()
    signatures = [value for name, value in dkim.rfc822_parse(message)[0] if name.lower() == b"dkim-signature"]
    for index, value in enumerate(signatures):
        tags = dkim.util.parse_tag_value(value)
        verdict = judge(message, index)
        print("good" if verdict is True else f"bad ({verdict})", tags[b"a"].decode(), tags[b"d"].decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
