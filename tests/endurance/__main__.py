"""Attacks and faults from outside a server, for a given time, with a seed.

    python3 tests/endurance PROGRAM                          every part for some seconds (a step of ./test)
    python3 tests/endurance PROGRAM --part idle --seconds 3600 --seed 7
    python3 tests/endurance PROGRAM --long docs/endurance.md every part for as long as it should be tried, two hours in all (./bench endurance)

Prints the figures of each part; exits 1 if a bar was missed, naming the seed that repeats it.
"""

import argparse
import importlib
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Each part, the seconds that it takes in ./test (0: none), and in a long run.
PARTS = {"disk": (5, 60), "exhaustion": (5, 60), "paths": (10, 300), "nemesis": (20, 400), "replicas": (60, 600), "hostile": (20, 3600), "idle": (10, 3600)}
REPORT = """# Endurance

What `./bench endurance` measured; it rewrites this page. A part that fails names its seed: `python3 tests/endurance PROGRAM --part NAME --seed N`.
What each part does stands at the beginning of `tests/endurance/NAME.py`.

| part | figure | value |
| --- | --- | --- |
"""


def main():
    parser = argparse.ArgumentParser(prog="endurance")
    parser.add_argument("program")
    parser.add_argument("--part", action="append", choices=PARTS, help="repeat for more; all parts if left out")
    parser.add_argument("--seconds", type=int, help="how long each part runs")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--long", metavar="REPORT", help="a file for the figures of a long run")
    asked = parser.parse_args()
    missed, rows = False, []
    for part in asked.part or [part for part, times in PARTS.items() if times[bool(asked.long)]]:
        seconds, began = asked.seconds or PARTS[part][bool(asked.long)], time.monotonic()
        figures, faults = importlib.import_module(part).run(os.path.abspath(asked.program), seconds, asked.seed)
        figures = [("seconds", f"{time.monotonic() - began:.0f}"), ("seed", str(asked.seed)), *figures]
        rows += [f"| {part} | {name} | {value} |" for name, value in figures]
        print(f"  {part}: " + "; ".join(f"{name} {value}" for name, value in figures), flush=True)
        for fault in faults[:20]:
            missed = True
            print(f"✗ {part}, seed {asked.seed}: {fault}", file=sys.stderr)
    if asked.long:
        version = subprocess.run([asked.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        with open(asked.long, "w") as file:
            file.write(REPORT + "\n".join(rows) + f"\n\n{version}, {os.cpu_count()} cores.\n")
    sys.exit(missed)


main()
