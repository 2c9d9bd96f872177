"""Checks that a history of reads and writes of one register could have been sequential (linearizability).

A search over the orders of the steps (Wing and Gong), which remembers the sets of steps that it has tried (Lowe). A step without an
answer may have happened at any time after it began, or never. A register may end for good: then every step answers `GONE`.
The files that are written by compare-and-set have a faster check, in `history.py`.
"""

import bisect
import math
from dataclasses import dataclass, replace

READ, WRITE, END = "read", "write", "end"
GONE = "GONE"
# The number of sets after which a history is left undecided.
PATIENCE = 300_000


@dataclass(frozen=True)
class Step:
    """Times are seconds of one monotonic clock. `end` is infinite if the step has no answer."""

    kind: str
    value: str
    begin: float
    end: float = math.inf
    by: str = ""

    def __str__(self):
        what = {READ: f"read {self.value}", WRITE: f"write {self.value}", END: "end of the session"}[self.kind]
        until = f"to {self.end:.3f}" if self.end < math.inf else "without an answer"
        return f"{what} by {self.by}, {self.begin:.3f} {until}"

    def after(self, value):
        """Returns the value of the register after this step; `None` if the step cannot happen while it has that value."""
        if self.kind == READ:
            return value if value == self.value else None
        if value == GONE:
            return None
        return GONE if self.kind == END else self.value


def _useful(steps):
    """Leaves out the steps without an answer that explain no other: reads, and writes of what nobody has read since."""
    seen = {}
    for step in steps:
        if step.kind == READ and step.end < math.inf:
            seen[step.value] = max(seen.get(step.value, 0), step.end)
    made = [(step, GONE if step.kind == END else step.value) for step in steps]
    return [s for s, value in made if s.end < math.inf or (s.kind != READ and seen.get(value, 0) > s.begin)]


def is_linearizable(steps, first):
    """Returns whether an order of the steps explains all answers; `None` if that is not decided in reasonable time."""
    steps = sorted(_useful(steps), key=lambda step: step.begin)
    answered = sum(1 << n for n, step in enumerate(steps) if step.end < math.inf)
    # A state: the steps that have happened, the first that has not, the value.
    pending, tried = [(0, 0, first)], set()
    while pending:
        done, low, value = pending.pop()
        if done & answered == answered:
            return True
        if (done, value) in tried:
            continue
        tried.add((done, value))
        if len(tried) > PATIENCE:
            return None
        while done >> low & 1:
            low += 1
        possible, soonest = [], math.inf
        for n in range(low, len(steps)):
            step = steps[n]
            if step.begin > soonest:
                break
            if not done >> n & 1:
                soonest = min(soonest, step.end)
                possible.append(n)
        next_ = [(n, steps[n].after(value)) for n in possible if steps[n].begin <= soonest]
        next_ = [(n, then) for n, then in next_ if then is not None]
        # A read that can happen now changes nothing, so no other order is better.
        read = [(n, then) for n, then in next_ if steps[n].kind == READ and steps[n].end < math.inf]
        # The last one is tried first: the one that ended soonest.
        next_ = read[:1] or sorted(next_, key=lambda one: -steps[one[0]].end)
        pending += [(done | 1 << n, low, then) for n, then in next_]
    return False


def _until(steps, time):
    """Returns the history as it was known at a time."""
    return [replace(s, end=math.inf) if s.end > time else s for s in steps if s.begin <= time]


def violation(steps, first):
    """Returns the first answer of a history that no order explains, and what was before it; `None` if there is none."""
    if is_linearizable(steps, first) is not False:
        return None
    ends = sorted(step.end for step in steps if step.end < math.inf)
    wrong = ends[bisect.bisect_left(ends, True, key=lambda end: is_linearizable(_until(steps, end), first) is False)]
    known = _until(steps, wrong)
    last = next(step for step in known if step.end == wrong)
    before = sorted((step for step in known if step is not last), key=lambda step: (min(step.end, wrong), step.begin))
    return "no order of the operations explains: " + "; ".join([str(last), "before it", *map(str, before[:-13:-1])])


def selftest():
    """The checker rejects each kind of wrong history, and accepts right ones."""
    def read(value, begin, end=math.inf):
        return Step(READ, value, begin, end)

    def write(value, begin, end=math.inf):
        return Step(WRITE, value, begin, end)

    def end(begin, end=math.inf):
        return Step(END, "", begin, end)

    right = [
        [],
        [read("0", 0, 1), write("a", 1, 2), read("a", 3, 4)],
        # Writes at the same time, in either order; a read during a write, both ways.
        [write("a", 0, 5), write("b", 0, 5), read("a", 6, 7)],
        [write("a", 0, 5), write("b", 0, 5), read("b", 6, 7)],
        [write("a", 0, 9), read("a", 1, 2), read("a", 3, 4)],
        [write("a", 0, 9), read("0", 1, 2), read("a", 3, 4)],
        # Lost answers: never, at once, late.
        [write("a", 0), read("0", 9, 10)],
        [write("a", 0), read("a", 1, 2), write("b", 3, 4), read("b", 5, 6)],
        [write("a", 0), write("b", 1, 2), read("b", 3, 4), read("a", 5, 6)],
        # The same value twice.
        [write("a", 0, 1), write("b", 2, 3), write("a", 4, 5), read("a", 6, 7)],
        # The end of a register.
        [write("a", 0, 1), end(2, 3), read(GONE, 4, 5)],
        [end(2, 9), read("0", 3, 4), read(GONE, 5, 6)],
        [end(2), read("0", 3, 4), read(GONE, 5, 6), read(GONE, 7, 8)],
    ]
    wrong = [
        [read("a", 0, 1)],
        [write("a", 0, 1), read("0", 2, 3)],
        [write("a", 0, 1), write("b", 2, 3), read("a", 4, 5)],
        # A value that was read and is gone again.
        [write("a", 0, 9), read("a", 1, 2), read("0", 3, 4)],
        [write("a", 0), read("a", 1, 2), read("0", 3, 4)],
        # Two readers that see two writes in different orders.
        [write("a", 0, 9), write("b", 0, 9), read("a", 1, 2), read("b", 3, 4), read("a", 5, 6)],
        # A write without an answer happens once only.
        [write("a", 0), read("a", 1, 2), write("b", 3, 4), read("b", 5, 6), read("a", 7, 8)],
        [read("a", 0, 1), write("a", 2)],
        # The end of a register.
        [read(GONE, 0, 1)],
        [end(0, 1), read("0", 2, 3)],
        [end(0), read(GONE, 1, 2), read("0", 3, 4)],
        [end(0, 1), write("a", 2, 3)],
        [end(0, 1), end(2, 3)],
    ]
    for steps in right:
        assert is_linearizable(steps, "0") and violation(steps, "0") is None, steps
    for steps in wrong:
        assert is_linearizable(steps, "0") is False and violation(steps, "0"), steps
    # A long history is decided, and its fault is found where it is.
    long = [step for n in range(2_000) for step in (write(f"{n}", 4 * n, 4 * n + 5), read(f"{n}", 4 * n + 1, 4 * n + 6.5))]
    assert is_linearizable(long, "0") is True
    assert "read 700 " in violation([*long, read("700", 4 * 900, 4 * 900 + 0.5)], "0")
