"""Checks that a history of reads and of compare-and-set writes of files could have been sequential (linearizability).

Every value is written by one operation only, and a write names the value that it replaces. So the last value determines
the order of all writes. The rest of the check: every acknowledged write is in that order, and the order agrees with
real time, that is, no operation comes before one that had ended when it began. Porcupine and Elle decide this for
histories without this property.
"""

from dataclasses import dataclass
from typing import Optional

DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"


@dataclass
class Operation:
    """Times are seconds of one monotonic clock. A read has no `replaces`; an operation without an answer is `UNKNOWN`."""

    file: str
    value: str
    begin: float
    end: float
    outcome: str = DONE
    replaces: Optional[str] = None
    by: str = ""

    def __str__(self):
        what = f"write of {self.value!r} over {self.replaces!r}" if self.replaces is not None else f"read of {self.value!r}"
        return f"{self.file}: {what} by {self.by} ({self.outcome}, {self.begin:.3f} to {self.end:.3f})"


def violations(operations, first, last):
    """What is wrong with the history of one file that held `first` before it and `last` after it; empty if it is linearizable."""
    writes = {write.value: write for write in operations if write.replaces is not None}
    order, value = [], last
    while value != first:
        if value not in writes or len(order) > len(writes):
            return [f"{value!r} was written by no operation, or follows itself"]
        order.append(writes[value])
        value = writes[value].replaces
    order.reverse()
    place = {first: 0} | {write.value: n + 1 for n, write in enumerate(order)}
    found = [f"has effect though it was refused: {write}" for write in order if write.outcome == REFUSED]
    found += [
        f"is lost: {write}" for write in writes.values() if write.outcome == DONE and write.value not in place
    ]
    placed = [(place[write.value], write) for write in order]
    for read in operations:
        if read.replaces is None and read.outcome == DONE:
            if read.value in place:
                placed.append((place[read.value] + 0.5, read))
            else:
                found.append(f"read what is lost or never was: {read}")
    # In this order, every operation must begin before a later one has ended.
    placed.sort(key=lambda pair: pair[0])
    latest, pending, at = None, None, None
    for where, operation in placed:
        if where != at:
            latest, at = max(filter(None, (latest, pending)), key=lambda o: o.begin, default=None), where
        if pending is None or operation.begin > pending.begin:
            pending = operation
        if latest and operation.outcome == DONE and operation.end < latest.begin:
            found.append(f"had ended before it could have happened: {operation}, which comes after {latest}")
    return found


def selftest():
    """The checker finds each kind of wrong history, and accepts a right one."""
    def write(value, replaces, begin, end, outcome=DONE):
        return Operation("f", value, begin, end, outcome, replaces)

    def read(value, begin, end):
        return Operation("f", value, begin, end)

    chain = [write("1", "0", 0, 1), write("2", "1", 2, 3)]
    right = [
        (chain, "2"),
        ([*chain, read("1", 1, 2), read("2", 2.5, 4), read("0", 0, 0.5)], "2"),
        ([*chain, write("3", "2", 4, 9, UNKNOWN), write("x", "2", 4, 9, REFUSED)], "2"),
        ([*chain, write("3", "2", 4, 9, UNKNOWN), read("3", 5, 6)], "3"),
    ]
    wrong = [
        ("lost", [*chain, write("3", "1", 4, 5)], "2"),
        ("lost", [write("1", "0", 0, 1), write("2", "0", 0, 1)], "2"),
        ("lost or never", [*chain, read("9", 4, 5)], "2"),
        ("refused", [*chain, write("3", "2", 4, 5, REFUSED)], "3"),
        ("had ended", [*chain, read("1", 4, 5)], "2"),
        ("had ended", [*chain, read("2", 0, 1)], "2"),
        ("had ended", [write("1", "0", 4, 5), write("2", "1", 2, 3)], "2"),
        ("no operation", chain, "9"),
    ]
    for operations, last in right:
        assert not violations(operations, "0", last), violations(operations, "0", last)
    for word, operations, last in wrong:
        found = violations(operations, "0", last)
        assert any(word in fault for fault in found), (word, found)
