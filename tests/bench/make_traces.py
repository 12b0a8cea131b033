#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes big snapshots for the benchmarks, opcode by opcode as CPython's pickler does in protocol 4, with little memory.

  make_traces.py synthetic EVENTS OUT     a training loop: few hundred stacks of 60 frames, each list an object of its own
  make_traces.py worst EVENTS OUT         two of three events with a random stack of 40 frames that never comes again
  make_traces.py repeat FILE BYTES OUT    the events of a real file again and again, every list of frames a new object
"""
import pickle
import random
import struct
import sys


class Writer:
    def __init__(self, path):
        self.f = open(path, "wb", buffering=1 << 20)
        self.f.write(b"\x80\x04")
        self.buf = bytearray()
        self.memo = 0
        self.texts = {}
        self.total = 2

    def put(self):
        self.buf.append(0x94)
        self.memo += 1
        return self.memo - 1

    @staticmethod
    def ref(n):
        return b"h" + bytes([n]) if n < 256 else b"j" + struct.pack("<I", n)

    def fresh(self, s):
        raw = s.encode("utf-8", "surrogatepass")
        self.buf += b"\x8c" + bytes([len(raw)]) + raw if len(raw) < 256 else b"X" + struct.pack("<I", len(raw)) + raw
        return self.put()

    def text(self, s):
        n = self.texts.get(s)
        if n is None:
            self.texts[s] = self.fresh(s)
        else:
            self.buf += self.ref(n)

    def number(self, v):
        if 0 <= v < 256:
            self.buf += b"K" + bytes([v])
        elif 0 <= v < 65536:
            self.buf += b"M" + struct.pack("<H", v)
        elif -(1 << 31) <= v < 1 << 31:
            self.buf += b"J" + struct.pack("<i", v)
        else:
            raw = v.to_bytes(v.bit_length() // 8 + 1, "little", signed=True)
            self.buf += b"\x8a" + bytes([len(raw)]) + raw

    def any(self, v):
        if v is None:
            self.buf += b"N"
        elif isinstance(v, bool):
            self.buf += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            self.number(v)
        elif isinstance(v, float):
            self.buf += b"G" + struct.pack(">d", v)
        elif isinstance(v, str):
            self.text(v)
        elif isinstance(v, tuple) and len(v) == 2:
            self.any(v[0])
            self.any(v[1])
            self.buf += b"\x86"
            self.put()
        elif isinstance(v, dict):
            self.buf += b"}"
            self.put()
            self.buf += b"("
            for k, x in v.items():
                self.any(k)
                self.any(x)
            self.buf += b"u"
        else:
            self.batched(v, self.any)

    def batched(self, items, emit):
        self.buf += b"]"
        self.put()
        batch = 0
        for item in items:
            if batch == 0:
                self.buf += b"("
            emit(item)
            batch += 1
            if batch == 1000:
                self.buf += b"e"
                batch = 0
            if len(self.buf) >= 65536:
                self.flush()
        if batch:
            self.buf += b"e"

    def flush(self):
        self.f.write(b"\x95" + struct.pack("<Q", len(self.buf)))
        self.f.write(self.buf)
        self.total += 9 + len(self.buf)
        self.buf = bytearray()

    def snapshot(self, segments, events, emit, rest):
        self.buf += b"}"
        self.put()
        self.buf += b"("
        self.text("segments")
        self.any(segments)
        self.text("device_traces")
        self.buf += b"]"
        self.put()
        self.batched(events, emit)
        self.buf += b"a"
        for k, v in rest.items():
            self.text(k)
            self.any(v)
        self.buf += b"u."
        self.flush()
        self.f.close()



def events_of(w, count, stack_of):
    """alloc, free_requested, free_completed in turn; the last two share their list."""
    t = 1_767_225_600_000_000
    for i in range(count):
        kind = i % 3
        t += 3
        yield ("alloc", "free_requested", "free_completed")[kind], 0x7F0000000000 + i // 3 % 5000 * 512, 500 + i % 1000, t, kind


def made(w, count, out_stack):
    frames = []
    shared = [None]

    def emit(e):
        action, addr, size, t, kind = e
        w.buf += b"}"
        w.put()
        w.buf += b"("
        w.text("action")
        w.text(action)
        w.text("addr")
        w.number(addr)
        w.text("size")
        w.number(size)
        w.text("stream")
        w.number(0)
        w.text("time_us")
        w.number(t)
        w.text("compile_context")
        w.fresh("N/A")
        w.text("user_metadata")
        w.text("")
        w.text("frames")
        if kind == 2:
            w.buf += w.ref(shared[0])
        else:
            w.buf += b"]"
            shared[0] = w.put()
            w.buf += b"("
            if not frames:
                for i in range(4000):
                    w.buf += b"}"
                    frames.append(w.put())
                    w.buf += b"("
                    w.text("name")
                    w.fresh("some::function_of_number_%d(at::Tensor const&)" % i)
                    w.text("filename")
                    w.fresh("/opt/pytorch/file_%d.cpp" % (i // 9))
                    w.text("line")
                    w.number(i)
                    w.buf += b"u"
            else:
                w.buf += out_stack(frames)
            w.buf += b"e"
        w.buf += b"u"
    w.snapshot([], events_of(w, count, None), emit, {})


def synthetic(count, path):
    rng = random.Random(1)
    w = Writer(path)
    sites = []

    def stack(frames):
        if not sites:
            for _ in range(906):
                sites.append(b"".join(w.ref(frames[rng.randrange(4000)]) for _ in range(rng.randrange(45, 75))))
        stack.at = (stack.at + 1) % len(sites)
        return sites[stack.at]
    stack.at = 0
    made(w, count, stack)


def worst(count, path):
    rng = random.Random(1)
    w = Writer(path)
    refs = []

    def stack(frames):
        if not refs:
            refs.extend(w.ref(n) for n in frames)
        return b"".join(rng.choices(refs, k=40))
    made(w, count, stack)


def repeat(source, size, path):
    class Plain(pickle.Unpickler):
        def find_class(self, module, name):
            raise pickle.UnpicklingError(name)
    with open(source, "rb") as f:
        d = Plain(f).load()
    events = max(d["device_traces"], key=len)
    last = max((e.get("time_us", 0) for e in events), default=0)
    first = min((e.get("time_us", 0) for e in events), default=0)
    w = Writer(path)
    frames = {}
    lists = {}

    def frame(f):
        n = frames.get(id(f))
        if n is not None:
            w.buf += w.ref(n)
            return
        w.buf += b"}"
        frames[id(f)] = w.put()
        w.buf += b"("
        for k, v in f.items():
            w.text(k)
            w.fresh(v) if isinstance(v, str) else w.any(v)
        w.buf += b"u"
    bodies = {}

    def emit(item):
        e, shift = item
        w.buf += b"}"
        w.put()
        w.buf += b"("
        for k, v in e.items():
            w.text(k)
            if k == "frames":
                n = lists.get(id(v))
                if n is not None:
                    w.buf += w.ref(n)
                    continue
                w.buf += b"]"
                lists[id(v)] = w.put()
                body = bodies.get(id(v))
                if body is None:
                    known = all(id(f) in frames for f in v)
                    start = len(w.buf)
                    if v:
                        w.buf += b"(" if len(v) > 1 else b""
                        for f in v:
                            frame(f)
                        w.buf += b"e" if len(v) > 1 else b"a"
                    if known:
                        bodies[id(v)] = bytes(w.buf[start:])
                else:
                    w.buf += body
            elif k == "compile_context":
                w.fresh(v)
            elif k == "time_us":
                w.number(v + shift)
            else:
                w.any(v)
        w.buf += b"u"

    def again():
        shift = 0
        while w.total < size:
            lists.clear()
            for e in events:
                yield e, shift
            shift += last - first + 1
    w.snapshot([], again(), emit, {k: v for k, v in d.items() if k not in ("segments", "device_traces")})


if __name__ == "__main__":
    if sys.argv[1] == "synthetic":
        synthetic(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "worst":
        worst(int(sys.argv[2]), sys.argv[3])
    else:
        repeat(sys.argv[2], int(sys.argv[3]), sys.argv[4])
