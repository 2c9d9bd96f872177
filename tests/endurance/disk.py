"""A disk that fails: every kind of access that a tool makes fails in turn, then the disk is full, then it may not be written.

While it fails, a reply is right or an error that blames only the system, and a file is the old one or the new one.
Afterwards, without a restart, every reply is right: wrong data were not cached. strace makes system calls fail on the
files of the project alone.
"""

import collections
import errno
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from server import Server

FILES = {
    "src/shop.py": 'def needle(price):\n    """Adds tax."""\n    return price * 1.1\n\n\nclass Cart:\n    def total(self):\n        return needle(1)\n',
    "src/deep/other.rs": "fn needle() -> u8 {\n    1\n}\n",
    "notes.md": "# Notes\n\nThe needle is in the shop.\n",
    ".gitignore": "ignored/\n",
    "ignored/needle.txt": "needle\n",
    ".git/info/exclude": "excluded.txt\n",
    "excluded.txt": "needle\n",
}
READS = [
    ("search_content", {"roots": ["."], "query": "needle"}),
    ("search_content", {"roots": ["."], "query": "needle", "total_only": True}),
    ("search_content", {"roots": ["."], "query": "needle", "ranked": True}),
    ("find_and_grep", {"roots": ["."], "query": "needle", "extensions": ["py"]}),
    ("list_files", {"roots": ["."], "count_only": True}),
    ("list_files", {"roots": ["."], "pattern": "*.rs", "glob": True}),
    ("query_code", {"roots": ["."], "query_key": "functions"}),
    ("analyze_code_structure", {"file_path": "src/shop.py"}),
    ("extract_code_section", {"file_path": "src/shop.py", "element": "Cart"}),
    ("check_code_scale", {"file_path": "src/shop.py"}),
    ("list_files_with_hashes", {}),
    ("get_file_reference_info", {"file_path": "notes.md"}),
]
# Enough for the backups of a long run, and soon filled.
DISK = "64m"
# The maximum time of a call, in seconds: half of what a lease lasts whose holder cannot release it.
SLOW = 15
# The system calls that fail, with their errors, on the project's files only; then the error of a write, anywhere.
READING = [
    ("open,openat,openat2", ["EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE"]),
    ("read,pread64,readv", ["EIO", "ESTALE"]),
    ("getdents64", ["EIO", "ESTALE"]),
    ("stat,lstat,fstat,newfstatat,statx", ["EIO", "ESTALE", "ENOMEM"]),
]
WRITING = [
    ("fsync,fdatasync", ["EIO", "ENOSPC"]),
    ("linkat", ["EIO", "ENOSPC", "EROFS"]),
    ("rename,renameat,renameat2", ["EIO", "ENOSPC", "EROFS"]),
    ("mkdir,mkdirat", ["EIO", "ENOSPC", "EROFS"]),
    ("flock", ["EIO", "ENOLCK"]),
    ("unlink,unlinkat", ["EIO"]),
]
# The parts of a reply that change from call to call.
VOLATILE = {"elapsed_ms", "find_elapsed_ms", "search_elapsed_ms", "cache_hit", "mtime", "modified", "timestamp"}
# Words that would blame the caller, or the permissions, for the disk.
BLAMES = {"HASH_MISMATCH", "R004", "CHANGED_MEANWHILE", "PLACE_TAKEN", "FILE_NOT_FOUND", "INVALID_ARGUMENTS", "PATH_TRAVERSAL", "ROOT_NOT_ALLOWED", "ELEMENT_NOT_FOUND", "P001"}


def blames(answer):
    error = answer.get("error", {})
    return error.get("code") in BLAMES or "permission" in error.get("message", "")


def stable(answer):
    """Returns a reply without the parts that change from call to call."""
    if isinstance(answer, dict):
        return {name: stable(value) for name, value in answer.items() if name not in VOLATILE}
    return [stable(value) for value in answer] if isinstance(answer, list) else answer


def projects(root):
    """Makes a project to read and one to write."""
    for path, text in FILES.items():
        path = os.path.join(root, "reading", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    os.mkdir(os.path.join(root, "writing"))


class Failing:
    """While the context lasts, these system calls fail in the server: all of them, or some in a fixed rhythm."""

    def __init__(self, server, calls, error, rhythm, paths):
        command = ["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(server.process.pid), "-e", f"trace={calls}",
                   "-e", f"inject={calls}:error={error}:when={rhythm}"]
        for path in paths:
            command += ["-P", path]
        self.server, self.command = server, command

    def __enter__(self):
        self.strace = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        tasks = f"/proc/{self.server.process.pid}/task"
        while not all("TracerPid:\t0" not in open(f"{tasks}/{task}/status").read() for task in os.listdir(tasks)):
            if self.strace.poll() is not None:
                sys.exit(f"strace cannot follow the server: {self.strace.stderr.read()}")
            time.sleep(0.01)

    def __exit__(self, *_):
        # It detaches from the server and ends.
        self.strace.send_signal(signal.SIGINT)
        self.strace.wait(30)


class Disk:
    """A server with a project to read and one to write, and the right replies about the first."""

    def __init__(self, server, root, rng):
        self.server, self.rng = server, rng
        self.reading, self.writing = os.path.join(root, "reading"), os.path.join(root, "writing")
        self.written = [os.path.join(self.writing, "written.md"), "written.md"]
        self.faults, self.codes, self.rounds = [], collections.Counter(), 0
        # The names by which a system call may name each file and folder.
        self.named = {}
        for path in FILES:
            while path:
                self.named[path] = [os.path.join(self.reading, path), path, os.path.basename(path)]
                path = os.path.dirname(path)
        self.paths = [self.reading, ".", *itertools.chain(*self.named.values())]
        self.right = [stable(self.call(tool, arguments, self.reading)) for tool, arguments in READS]
        assert all("error" not in answer for answer in self.right), self.right

    def call(self, tool, arguments, project):
        began = time.monotonic()
        status, answer = self.server.call(tool, {**arguments, "project_root": project}, patience=60)
        assert isinstance(answer, dict), (status, answer)
        if (took := time.monotonic() - began) > SLOW:
            self.faults.append(f"{tool} {arguments} took {took:.0f} s")
        return answer

    def fresh(self):
        """Changes the project in a way that no reply shows, so that none is in the cache."""
        os.utime(os.path.join(self.reading, self.rng.choice(list(FILES))))

    def reads(self, when, may_fail):
        for (tool, arguments), right in zip(READS, self.right):
            if may_fail and self.rng.random() < 0.5:
                # An event to follow while the disk fails.
                self.fresh()
            answer = self.call(tool, arguments, self.reading)
            code = answer.get("error", {}).get("code", "right" if stable(answer) == right else "WRONG")
            self.codes[code] += may_fail
            if code == "WRONG" or blames(answer) or (code != "right" and not may_fail):
                self.faults.append(f"{when}: {tool} {arguments}: {str(stable(answer))[:400]}")

    def write(self, when, may_fail):
        """Replaces a file, and makes one in a new folder."""
        self.rounds += 1
        for name in ("written.md", f"new{self.rounds}/written.md"):
            path, new = os.path.join(self.writing, name), f"{when} {self.rounds}\n"
            old = self.content(path)
            answer = self.call("write", {"file_path": name, "content": new, "overwrite": True}, self.writing)
            code, now = answer.get("error", {}).get("code", "right"), self.content(path)
            self.codes[code] += may_fail
            if blames(answer) or now not in (old, new) or (code == "right" and now != new) or (code != "right" and not may_fail):
                self.faults.append(f"{when}: write of {name}: {code}, then {now!r}: {str(answer)[:400]}")
        shutil.rmtree(os.path.join(self.writing, f"new{self.rounds}"), ignore_errors=True)

    def content(self, path):
        try:
            with open(path) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def left(self):
        """Returns files in the project that were not asked for."""
        for name in os.listdir(self.writing):
            if name not in ("written.md", ".fumi", ".noveler", "90_バックアップ"):
                self.faults.append(f"left behind: {name}")

    def failing(self, calls, error, paths, does):
        first = self.rng.randint(1, 4)
        rhythm = self.rng.choice([f"{first}+", f"{first}", f"{first}+{self.rng.randint(2, 5)}"])
        when = f"{error} of {calls.split(',')[0]} when={rhythm}"
        self.fresh()
        with Failing(self.server, calls, error, rhythm, paths):
            does(when, True)
        self.reads(f"after {when}", False)
        self.write(f"after {when}", False)


def run(program, seconds, seed):
    if os.geteuid():
        # A mount of its own, if an ordinary user may make one.
        os.execvp("unshare", ["unshare", "--map-root-user", "--mount", sys.executable, *sys.argv])
    if not shutil.which("strace"):
        sys.exit("strace is missing; install it: apt-get install strace")
    home = tempfile.mkdtemp(prefix="fumi-disk-")
    root = os.path.join(home, "project")
    os.mkdir(root)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "fumi-disk", root], check=True)
    try:
        projects(root)
        with Server(program, root) as server:
            disk, until = Disk(server, root, random.Random(seed)), time.monotonic() + seconds
            read_only(disk)
            rounds = 0
            while not rounds or time.monotonic() < until:
                rounds += 1
                for calls, errors in READING:
                    one = disk.rng.choice(list(disk.named.values()))
                    for paths in (disk.paths, one):
                        disk.failing(calls, disk.rng.choice(errors), paths, disk.reads)
                for calls, errors in READING:
                    disk.failing(calls, disk.rng.choice(errors), disk.written, disk.write)
                for calls, errors in WRITING:
                    disk.failing(calls, disk.rng.choice(errors), [], disk.write)
                full(disk)
            disk.left()
    finally:
        subprocess.run(["umount", root], check=True)
        shutil.rmtree(home)
    answers = ", ".join(f"{code} {count}" for code, count in disk.codes.most_common())
    return [("rounds", str(rounds)), ("answers while it failed", answers)], disk.faults


def full(disk):
    filler = os.path.join(os.path.dirname(disk.reading), "filler")
    with open(filler, "wb", buffering=0) as file:
        for block in (bytes(65_536), bytes(4_096)):
            try:
                while file.write(block):
                    pass
            except OSError as error:
                assert error.errno == errno.ENOSPC, error
    disk.reads("on a full disk", False)
    disk.write("on a full disk", True)
    os.remove(filler)
    disk.write("after a full disk", False)
    disk.reads("after a full disk", False)


def read_only(disk):
    """Only before the first write: the locks of a project stay open, and the kernel refuses to make a mount read-only under them."""
    root = os.path.dirname(disk.reading)
    subprocess.run(["mount", "-o", "remount,ro", root], check=True)
    disk.reads("on a disk that may not be written", False)
    disk.write("on a disk that may not be written", True)
    subprocess.run(["mount", "-o", "remount,rw", root], check=True)
    disk.write("after a disk that may not be written", False)
