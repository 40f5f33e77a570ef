"""Terms and the beginning of a connection as they are on the wire, for peers that are no nodes.

Source of names, tags and bits: ERTS User's Guide, "Distribution Protocol" and "External Term Format"."""

import hashlib
import struct

COOKIE = "among_ourselves"
ATOM_CACHE, FRAGMENTS = 1 << 13, 1 << 23
PUBLISHED = 1
USUAL = 0xD07DF7FBC | PUBLISHED | 1 << 34 | 1 << 35 | 1 << 32
NIL = b"\x6a"


# --- terms, to bytes -----------------------------------------------------------------------------------------------

def atom(name):
    text = name.encode()
    return bytes([119, len(text)]) + text if len(text) < 256 else struct.pack(">BH", 118, len(text)) + text


def small(value):
    return bytes([97, value]) if 0 <= value < 256 else struct.pack(">Bi", 98, value)


def big(value):
    return bytes([110, 8, 0]) + struct.pack("<Q", value)


def tuple_of(*elements):
    return bytes([104, len(elements)]) + b"".join(elements)


def list_of(*elements, tail=NIL):
    return struct.pack(">BI", 108, len(elements)) + b"".join(elements) + tail if elements else NIL


def binary(data):
    return struct.pack(">BI", 109, len(data)) + data


def pid(node, number, serial, creation):
    return bytes([88]) + atom(node) + struct.pack(">III", number, serial, creation)


def reference(node, creation, words):
    return struct.pack(">BH", 90, len(words)) + atom(node) + struct.pack(f">{len(words) + 1}I", creation, *words)


# --- bytes, to terms -----------------------------------------------------------------------------------------------

class Terms:
    """What is read: integers, str for atoms, bytes for binaries, tuples, lists; identifiers as the bytes that they are,
    with "pid" or the like in front, so that they can be sent back."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values[0] if len(values) == 1 else values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def some(self, count):
        return [self.next() for _ in range(count)]

    def identifier(self, kind, begun, count):
        self.next()  # the node
        self.bytes(count)
        return kind, bytes(self.data[begun:self.at])

    def next(self):
        begun = self.at
        tag = self.take("B")
        if tag in self.NUMBERS:
            return self.take(self.NUMBERS[tag])
        if tag in (119, 115, 118, 100):  # atoms
            return self.bytes(self.take("B" if tag in (119, 115) else ">H")).decode()
        if tag in (104, 105):
            return tuple(self.some(self.take("B" if tag == 104 else ">I")))
        if tag == 106:
            return []
        if tag == 108:
            elements = self.some(self.take(">I"))
            self.next()
            return elements
        if tag == 107:
            return list(self.bytes(self.take(">H")))
        if tag == 109:
            return self.bytes(self.take(">I"))
        if tag == 116:
            return dict(zip(*[iter(self.some(2 * self.take(">I")))] * 2, strict=True))
        if tag == 88:
            return self.identifier("pid", begun, 12)
        if tag == 90:
            return self.identifier("reference", begun, 4 + 4 * self.take(">H"))
        if tag == 110:
            size, sign = self.take("BB")
            return int.from_bytes(self.bytes(size), "little") * (-1 if sign else 1)
        raise ValueError(f"tag {tag}")

    NUMBERS = {97: "B", 98: ">i", 70: ">d"}


# --- shaking hands -------------------------------------------------------------------------------------------------

def name_message(name, flags, creation):
    text = name.encode()
    return b"N" + struct.pack(">QIH", flags, creation, len(text)) + text


def reply_to(challenge):
    """What answers the node's challenge; and its creation."""
    _, number, creation, _ = struct.unpack(">QIIH", challenge[1:19])
    return b"r" + struct.pack(">I", 1234) + hashlib.md5(f"{COOKIE}{number}".encode()).digest(), creation
