#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what CPython's own pickle module finds in a snapshot, one line a thing, as dumpOf() of snapshot_dump.h prints what we found."""
import hashlib
import pickle
import sys


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError("not plain data: %s.%s" % (module, name))


def u64(v):
    return "-" if v is None else str(v & 0xFFFFFFFFFFFFFFFF)


def text(s):
    return s.encode("utf-8", "surrogatepass")


STACKS = {}


def stack(frames):
    if frames is None:
        return "none"
    if not frames:
        return "empty"
    key = id(frames)
    if key not in STACKS:
        h = hashlib.sha1()
        for f in frames:
            h.update(text(f["filename"]) + b"\n" + u64(f["line"]).encode() + b"\n" + text(f["name"]) + b"\n")
        STACKS[key] = "%d:%s" % (len(frames), h.hexdigest())
    return STACKS[key]


def pool(p):
    return "-" if p is None else "%d,%d" % tuple(p)


def flag(b):
    return "-" if b is None else str(int(b))


def event(e, out):
    extra = []
    for k in ("compile_context", "user_metadata", "internal_metadata", "category"):
        v = e.get(k)
        if v and not (k == "compile_context" and v == "N/A"):
            extra.append(k + "=" + v)
    where = e.get("device_free") if e["action"] == "oom" else e.get("addr")
    t = e.get("time_us")
    out(" ".join(["E", e["action"], u64(where), u64(e.get("size")), u64(e.get("stream", 0)), "-" if t is None else str(t),
                  pool(e.get("pool_id")), stack(e.get("frames"))] + sorted(extra)))


def main():
    write = sys.stdout.buffer.write

    def out(line):
        write(text(line) + b"\n")
    with open(sys.argv[1], "rb") as f:
        d = Plain(f).load()
    if isinstance(d, list):
        d = {"segments": d}
        out("list")
    else:
        out("dict " + ",".join(d))
    for s in d.get("segments", []):
        large = s.get("segment_type")
        out(" ".join(["S", str(s["device"]), u64(s["address"]), u64(s["total_size"]), u64(s.get("allocated_size")),
                      u64(s.get("active_size")), u64(s.get("requested_size")), u64(s.get("stream", 0)),
                      large or "-", pool(s.get("segment_pool_id")), flag(s.get("is_expandable")), stack(s.get("frames"))]))
        at = s["address"]
        for b in s["blocks"]:
            h = b.get("history") or []
            address = b.get("address", at)
            requested = b.get("requested_size", h[0]["real_size"] if h else None)
            frames = b.get("frames")
            if frames is None and h:
                frames = h[0].get("frames")
            out(" ".join(["B", u64(address), u64(b["size"]), u64(requested), b["state"], str(len(h)), stack(frames)]))
            at = address + b["size"]
    for t in d.get("device_traces", []):
        out("D %d" % len(t))
        for e in t:
            event(e, out)
    host = d.get("host_traces") or []
    for t in host if host and isinstance(host[0], list) else [host] if host else []:
        out("H %d" % len(t))
        for e in t:
            event(e, out)
    for a in d.get("external_annotations", []):
        out(" ".join(["A", str(a["device"]), str(a["time_us"]), a["stage"], a["name"]]))
    for k in d.get("allocator_settings", {}):
        out("K " + k)


main()
