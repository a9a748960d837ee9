# SPDX-License-Identifier: MIT
"""Load: what is sent to servers, how, and what comes of it."""
import json
import os
import random
import re
import subprocess
import sys
import urllib.parse

from instance import BUILD

CONNECTIONS = 32


def in_turns(rounds, *measures):
    """For each of what is measured the figures of all rounds, taken in turns, so that a busy moment falls on all."""
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [list(figures) for figures in zip(*taken)]


def wrk(url, seconds, headers=None, script=None, redirects=False, connections=CONNECTIONS):
    """Requests a second."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    for name, value in (headers or {}).items():
        command += ["-H", f"{name}: {value}"]
    if script:
        command += ["-s", script]
    out = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in out and not redirects:
        sys.exit(f"bench: {url} answered with errors:\n{out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def paced(folder, url, seconds, headers=None, body=None, rate=0, connections=CONNECTIONS):
    """The median and the 99th percentile of the times that answers take, in microseconds, at so many requests a second; with
    rate 0 each connection sends its next request as soon as it has its answer."""
    parts = urllib.parse.urlsplit(url)
    lines = [f"{'GET' if body is None else 'POST'} {parts.path} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None:
        lines.append(f"Content-Length: {len(body.encode())}")
    path = os.path.join(folder, "request")
    with open(path, "w", newline="") as file:
        file.write("\r\n".join(lines) + "\r\n\r\n" + (body or ""))
    out = subprocess.run([os.path.join(BUILD, "tests/bench/paced"), str(parts.port), str(connections), f"{rate:.1f}", str(seconds),
                          path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return tuple(map(float, out.split()[1:3]))


def html_of(size, last=""):
    """Paragraphs of words in no order, always the same."""
    words = "account address answer before begin between change customer delivery email every figure follow from have hundred" \
            " invoice letter message month number offer order other people person please price question reader second service" \
            " shipment street summer thank their thing until weather which winter with without world would write year".split()
    choose = random.Random(1)
    text = ""
    while len(text) < size - len(last) - 200:
        text += "<p>" + " ".join(choose.choice(words) for _ in range(25)) + ".</p>"
    return text + last + "x" * (size - len(text) - len(last))


def post_script(folder, body):
    """The same body each time."""
    path = os.path.join(folder, "post.lua")
    with open(path, "w") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = [==[{body}]==]\n")
    return path


def requests_script(folder, name, method, paths, body=None):
    """Each request takes another of the paths; {n} in the body is another text each time."""
    path = os.path.join(folder, name + ".lua")
    with open(path, "w") as file:
        file.write("local paths = {%s}\n" % ",".join(json.dumps(p) for p in paths))
        file.write("local parts = {%s}\n" % ",".join(f"[==[{part}]==]" for part in (body or "").split("{n}")))
        file.write("local n = 0\nlocal seed = os.time() .. '-' .. math.random(1000000000) .. '-'\n"
                   "request = function()\n n = n + 1\n"
                   f" return wrk.format('{method}', paths[n % #paths + 1], nil,"
                   f" {'nil' if body is None else 'table.concat(parts, seed .. n)'})\nend\n")
    return path
