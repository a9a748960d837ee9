# SPDX-License-Identifier: MIT
"""Sending what waits by a stream that has a way and a pace of its own, beside the same without."""
import subprocess

from instance import Instance, Sink, program
from load import in_turns
from part_drain import Drain


def set_stream(instance, sink, own):
    """Gives the stream of the mail a route and a pace that hold nothing back, or takes both away."""
    for command in (("workspace", "relay", *([f"127.0.0.1:{sink.port}"] if own else []), "--for", "transactional"),
                    ("stream", "pace", "transactional", "10000000" if own else "0")):
        subprocess.run([program("posthouse"), *command], check=True, env=instance.env, stdout=subprocess.DEVNULL)


def streams(run):
    run.report.begin(f"Sending {run.messages} messages by a stream, 4 jobs")
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no")
        try:
            drain = Drain(instance, sink, run.messages)

            def leave(own):
                set_stream(instance, sink, own)
                drain.fill()
                begin = drain.spent()
                return drain.spool(), drain.count / (drain.spent() - begin)
            leave(False)
            plain, own = in_turns(run.rounds, lambda: leave(False), lambda: leave(True))
        finally:
            instance.stop()
    finally:
        sink.stop()
    for i, what in enumerate(("", ", a second of the processors")):
        run.report.compare("with a way and a pace of its stream" + what, [o[i] for o in own], "without", [p[i] for p in plain],
                           goal=0.98)
