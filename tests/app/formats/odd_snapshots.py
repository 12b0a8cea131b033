#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes snapshots that are hard to read into a folder: all protocols, both of CPython's picklers, with and without unused memo entries."""
import io
import os
import pickle
import pickletools
import random
import sys

rng = random.Random(7)


def text(s):
    return (s + " ")[:-1]  # an object of its own


def frames_of(n):
    return [{"name": text("fn_%d" % (i % 50)), "filename": text("dir/ünïcode \"%d\"\n.py" % i), "line": rng.choice([0, 1, i, 70000, 2**64 - 1, -1])}
            for i in range(n)]


def history(n, frames, time=True, context=True):
    out = []
    live = []
    t = 1_767_225_600_000_000
    for i in range(n):
        t += rng.randrange(1, 50)
        if live and rng.random() < 0.5:
            a, size = live.pop(rng.randrange(len(live)))
            kind = ["free_requested", "free_completed"]
        else:
            a, size = rng.choice([0, 1, -4096, 0x7F0000000000 + 512 * i, 2**63 + i]), rng.choice([0, 1, 512, 70000, 2**31 + 5, 2**40])
            live.append((a, size))
            kind = ["alloc"]
        stack = [frames[rng.randrange(len(frames))] for _ in range(rng.choice([0, 1, 2, 3, 20, 60]))]
        for k in kind:
            e = {"action": k, "addr": a, "size": size, "stream": rng.choice([0, 0, 0x55550000, 7])}
            if time:
                e["time_us"] = t
            if context:
                e["compile_context"] = text("N/A") if rng.random() < 0.9 else text("Torch-Compiled Region: 0/%d" % (i % 3))
                e["user_metadata"] = "" if rng.random() < 0.9 else text("step %d" % (i // 100))
                e["pool_id"] = (0, 0) if rng.random() < 0.9 else (i % 3, 2**33)
            if rng.random() < 0.95:
                e["frames"] = stack if rng.random() < 0.8 else list(stack)
            if rng.random() < 0.05:
                items = list(e.items())
                rng.shuffle(items)
                e = dict(items)
            out.append(e)
    out.insert(len(out) // 2, {"action": "oom", "device_free": 2**40, "size": 5, "stream": 0, "frames": []})
    out.insert(len(out) // 3, {"action": "snapshot", "addr": 0, "size": 12, "stream": 0})
    return out


def segments(frames, n):
    out = []
    for i in range(n):
        shared = [frames[0], frames[i % len(frames)]]
        blocks = [{"address": 2**47 + 4096 * i + 512 * k, "size": 512, "requested_size": 500, "state": s, "frames": shared if k else []}
                  for k, s in enumerate(["active_allocated", "inactive", "active_pending_free"])]
        out.append({"device": i % 3, "address": 2**47 + 4096 * i, "total_size": 1536, "allocated_size": 512, "active_size": 1024,
                    "requested_size": 1000, "stream": 0, "segment_type": "large" if i % 2 else "small", "segment_pool_id": (0, i % 2),
                    "is_expandable": bool(i % 2), "frames": shared, "blocks": blocks})
    return out


def graphs():
    frames = frames_of(300)
    yield "mixed", {"segments": segments(frames, 5), "device_traces": [[], history(2000, frames), history(1, frames), history(1500, frames)],
                    "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "a:1,b:2", "garbage_collection_threshold": 0.1},
                    "external_annotations": [{"device": 0, "time_us": i, "stage": ["START", "END"][i % 2], "name": text("step")} for i in range(1001)],
                    "host_segments": [], "host_traces": history(10, frames)}
    yield "plain", {"device_traces": [history(2001, frames_of(3), time=False, context=False)], "segments": segments(frames_of(2), 1001)}
    deep = frames_of(2500)
    yield "deep", {"segments": [], "device_traces": [[{"action": "alloc", "addr": i, "size": i, "stream": 0, "frames": (deep * 2)[i:i + n]}
                                                     for i, n in enumerate([999, 1000, 1001, 1002, 2000, 2001, 2002, 2500, 1, 0] * 3)]]}
    many = frames_of(70_000)
    yield "wide", {"segments": [], "device_traces": [[{"action": "alloc", "addr": i, "size": i, "stream": 0, "frames": many[i:i + 40]}
                                                      for i in range(0, 69_960, 35)]]}
    yield "list", segments(frames, 3)
    yield "nothing", {"segments": [], "device_traces": [[], [], []]}


def main():
    folder = sys.argv[1]

    def write(name, raw):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(raw)
    for name, graph in graphs():
        for protocol in (2, 4) if name == "wide" else range(6):
            raw = pickle.dumps(graph, protocol)
            write("%s-protocol%d.pickle" % (name, protocol), raw)
            if name in ("mixed", "deep", "list") and protocol in (2, 4):
                write("%s-optimized%d.pickle" % (name, protocol), pickletools.optimize(raw))
                out = io.BytesIO()
                pickle._Pickler(out, protocol).dump(graph)
                write("%s-python%d.pickle" % (name, protocol), out.getvalue())


main()
