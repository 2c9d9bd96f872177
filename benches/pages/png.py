"""PNG files: writes one, and decodes those of Chromium (8 bits per channel, RGB with or without alpha, not interlaced)."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def encode(rows):
    """Returns a picture of rows, each the bytes R, G, B of its pixels."""
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    content = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", content) + chunk(b"IEND", b"")


class Picture:
    """A decoded picture."""

    def __init__(self, content):
        if not content.startswith(SIGNATURE):
            raise ValueError("not a PNG")
        chunks, at = {}, len(SIGNATURE)
        while at < len(content):
            (length,) = struct.unpack_from(">I", content, at)
            kind = content[at + 4:at + 8]
            chunks[kind] = chunks.get(kind, b"") + content[at + 8:at + 8 + length]
            at += length + 12
        self.width, self.height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        if depth != 8 or kind not in (2, 6) or interlaced:
            raise ValueError("an unexpected kind of PNG")
        self.channels = 3 if kind == 2 else 4
        self.rows = self.unfiltered(zlib.decompress(chunks[b"IDAT"]))

    def unfiltered(self, content):
        """Undoes the filters: each byte is stored as a difference to those before and above it."""
        size, step, rows = self.width * self.channels, self.channels, []
        above = bytearray(size)
        for start in range(0, self.height * (size + 1), size + 1):
            kind, row = content[start], bytearray(content[start + 1:start + 1 + size])
            if kind == 2:
                row = bytearray((byte + up) & 255 for byte, up in zip(row, above))
            elif kind:
                for at in range(size):
                    left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
                    row[at] = (row[at] + predicted(kind, left, above[at], corner)) & 255
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        """Returns the colour at a place as R, G, B."""
        return tuple(self.rows[y][x * self.channels:x * self.channels + 3])

    def colours(self):
        """Returns the set of all colours."""
        step = self.channels
        return {bytes(row[at:at + 3]) for row in self.rows for at in range(0, len(row), step)}


def predicted(kind, left, up, corner):
    """Returns what a filter adds to a byte: 1 the left one, 3 the mean, 4 the nearest of three (Paeth)."""
    if kind == 1:
        return left
    if kind == 3:
        return (left + up) // 2
    distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    return (left, up, corner)[distances.index(min(distances))]
