"""The programs of a test: each in a folder of its own, and ended with the test."""

import json
import os
import queue
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

PROGRAM = os.environ.get("DEALERLESS", "dealerless")
# No test waits longer for anything, in seconds.
DEADLINE = 45


def free_address():
    """A port that is free now, and by which a host is found again. It is below those that systems give
    to connections: while the host is gone nobody gets it."""
    while True:
        port = random.randrange(15_000, 32_000)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
                return f"127.0.0.1:{port}"
            except OSError:
                pass


class Folder:
    """Where a player keeps keys and matches."""

    def __init__(self, test):
        self.path = tempfile.mkdtemp(prefix="dealerless-")
        test.addCleanup(shutil.rmtree, self.path, ignore_errors=True)

    def record(self):
        """The record of the only match."""
        matches = os.path.join(self.path, "matches")
        (found,) = [name for name in os.listdir(matches) if name.endswith(".log")]
        return os.path.join(matches, found)


def start(test, folder, args, stdin):
    """Starts the program as the first of a process group, which ends with the test."""
    errors = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(
        [PROGRAM, *args, "--home", folder.path],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        start_new_session=True,
    )

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for pipe in (process.stdin, process.stdout, errors):
            try:
                if pipe:
                    pipe.close()
            except BrokenPipeError:
                pass

    test.addCleanup(end)
    return process


class Page:
    """`dealerless table`: the program that serves a page."""

    def __init__(self, test, name, folder=None):
        self.folder = folder or Folder(test)
        args = ["table", "--no-open", "--json", "--name=" + name]
        self.process = start(test, self.folder, args, subprocess.DEVNULL)
        said = json.loads(self.process.stdout.readline())
        assert (said["version"], said["command"]) == (1, "table"), said
        self.address = said["address"]
        self.origin, self.token = self.address.split("/#")

    def player(self):
        """The process id of the program behind the page, which plays."""
        listed = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True
        )
        (only,) = listed.stdout.split()
        return int(only)


class Lines:
    """The lines of a process, read by a thread so that it never waits for the test."""

    def __init__(self, process):
        self.read = queue.Queue()

        def pass_on():
            try:
                for line in process.stdout:
                    self.read.put(line)
            except ValueError:
                pass  # The test has ended, and closed the pipe.
            self.read.put(None)

        threading.Thread(target=pass_on, daemon=True).start()

    def next(self):
        """The next line; None at the end."""
        return self.read.get(timeout=DEADLINE)


class Player:
    """A player whose program is driven by a script: `host`, `join` or `resume` with `--json`. It joins on any
    terms."""

    def __init__(self, test, args, folder=None):
        self.folder = folder or Folder(test)
        args = [args[0], "--json", *args[1:], *(["--yes"] if args[0] == "join" else [])]
        self.process = start(test, self.folder, args, subprocess.PIPE)
        self.lines = Lines(self.process)
        self.events = []

    def event(self):
        line = self.lines.next()
        assert line is not None, f"it has ended: {self.events[-3:]}"
        self.events.append(json.loads(line))
        return self.events[-1]

    def until(self, kind, **fields):
        """The next event of a kind, with these fields."""
        while True:
            event = self.event()
            if event["event"] == kind and fields.items() <= event.items():
                return event
            assert event.get("exit_code") is None or kind == event["event"], event

    def say(self, do, **fields):
        self.process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Typist:
    """A player at a terminal that is a pipe: plain lines."""

    def __init__(self, test, args, folder=None):
        self.folder = folder or Folder(test)
        self.process = start(test, self.folder, args, subprocess.PIPE)
        self.lines = Lines(self.process)
        self.said = []

    def until(self, text):
        """Reads up to a line with this text."""
        while True:
            line = self.lines.next()
            assert line is not None, f"it has ended before {text!r}: {''.join(self.said)}"
            self.said.append(line)
            if text in line:
                return line

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
