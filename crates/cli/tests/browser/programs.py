"""The programs of a test. Each program has its own folder, and ends with the test."""

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
# The longest wait for anything in a test, in seconds.
DEADLINE = 120


def free_address():
    """An address for a host that must come back to the same address. Its port is free and below the
    range of ephemeral ports, so that no other program gets it meanwhile."""
    while True:
        port = random.randrange(15_000, 32_000)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
                return f"127.0.0.1:{port}"
            except OSError:
                pass


class Folder:
    """The folder of a player's keys and matches."""

    def __init__(self, test):
        self.path = tempfile.mkdtemp(prefix="dealerless-")
        test.addCleanup(shutil.rmtree, self.path, ignore_errors=True)

    def record(self):
        """The record of the only match."""
        matches = os.path.join(self.path, "matches")
        (found,) = [name for name in os.listdir(matches) if name.endswith(".log")]
        return os.path.join(matches, found)


def start(test, folder, args, stdin):
    """Starts the program in its own process group, which is killed at the end of the test."""
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
    """`dealerless table`, the program that serves a page."""

    def __init__(self, test, name, folder=None):
        self.folder = folder or Folder(test)
        args = ["table", "--no-open", "--json", "--name=" + name]
        self.process = start(test, self.folder, args, subprocess.DEVNULL)
        printed = json.loads(self.process.stdout.readline())
        assert (printed["version"], printed["command"]) == (1, "table"), printed
        self.address = printed["address"]
        self.origin, self.token = self.address.split("/#")

    def player(self):
        """The process id of the program that plays for the page."""
        listed = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True
        )
        (only,) = listed.stdout.split()
        return int(only)


class Lines:
    """The output lines of a process. A thread reads them, so that the process never blocks."""

    def __init__(self, process):
        self.read = queue.Queue()

        def read_all():
            try:
                for line in process.stdout:
                    self.read.put(line)
            except ValueError:
                pass  # The test has ended and closed the pipe.
            self.read.put(None)

        threading.Thread(target=read_all, daemon=True).start()

    def next(self):
        """The next line; None at the end."""
        return self.read.get(timeout=DEADLINE)


class Player:
    """A player driven by a script: `host`, `join` or `resume` with `--json`. It accepts any terms."""

    def __init__(self, test, args, folder=None):
        self.folder = folder or Folder(test)
        args = [args[0], "--json", *args[1:], *(["--yes"] if args[0] == "join" else [])]
        self.process = start(test, self.folder, args, subprocess.PIPE)
        self.lines = Lines(self.process)
        self.events = []

    def event(self):
        line = self.lines.next()
        assert line is not None, f"the program has ended: {self.events[-3:]}"
        self.events.append(json.loads(line))
        return self.events[-1]

    def until(self, kind, **fields):
        """Waits for the next event of a kind with these fields."""
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
    """A player who types plain lines into a pipe."""

    def __init__(self, test, args, folder=None):
        self.folder = folder or Folder(test)
        self.process = start(test, self.folder, args, subprocess.PIPE)
        self.lines = Lines(self.process)
        self.printed = []

    def until(self, text):
        """Reads up to a line that contains a text."""
        while True:
            line = self.lines.next()
            assert line is not None, f"the program has ended before {text!r}: {''.join(self.printed)}"
            self.printed.append(line)
            if text in line:
                return line

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
