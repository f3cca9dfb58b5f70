#!/usr/bin/env python3
"""Runs a netlist with the Yao garbled circuits of MP-SPDZ. The variable MP_SPDZ names the folder where
MP-SPDZ was built, with `compile.py` and `yao-party.x`. README.md in the parent folder describes drivers.

Party 1 starts both parties of MP-SPDZ. Party 2 of this driver does nothing."""

import ctypes
import fcntl
import json
import os
import random
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

# The first run warms up. The timer covers the other runs.
PROGRAM = """
from circuit import Circuit
netlist = Circuit('netlist')

def run():
    inputs = [sbitvec.get_type(width).get_input_from(player)
              for player, width in enumerate({widths})]
    values = netlist(*inputs)
    if isinstance(values, sbitvec):
        values = [values]
    bits = [bit for value in values for bit in value.v]
    for place, bit in enumerate(bits):
        bit.reveal().store_in_mem(place)

run()
start_timer(1)
@for_range({rounds})
def _(i):
    run()
stop_timer(1)

print_str('outputs ')
for place in range({outputs}):
    print_str('%s', cbits.get_type(1).load_mem(place))
print_ln()
"""


class Failed(Exception):
    """A failure of the driver."""


def isolate_network():
    """Moves this process to a network namespace with only loopback: MP-SPDZ listens on all addresses."""
    new_user, new_network, set_flags, up = 0x10000000, 0x40000000, 0x8914, 1
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(new_network) and libc.unshare(new_user | new_network):
            raise OSError(ctypes.get_errno(), "unshare")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
            fcntl.ioctl(device, set_flags, struct.pack("16sh14x", b"lo", up))
    except (OSError, AttributeError) as error:
        raise Failed(
            f"cannot create a network namespace ({error}), so MP-SPDZ would listen on all addresses; "
            "set MP_SPDZ_OPEN=1 to allow that"
        ) from None


def header(path):
    """Returns the widths of the two inputs and of all outputs. Fails for gates that MP-SPDZ ignores."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if line.strip()]
    gates, inputs, outputs = int(lines[0][0]), list(map(int, lines[1])), list(map(int, lines[2]))
    unknown = {line[-1] for line in lines[3 : 3 + gates]} - {"AND", "XOR", "INV"}
    if inputs[0] != 2 or len(inputs) != 3 or unknown:
        raise Failed(f"{path}: expected two inputs and only gates that MP-SPDZ reads; unknown: {unknown}")
    return inputs[1:], outputs[1:]


class Session:
    """A folder with the netlist, the program that reads it, and the inputs."""

    def __init__(self, home, folder, netlist, fixed):
        self.home, self.folder, self.fixed = home, folder, fixed
        self.widths, self.outputs = header(netlist)
        for part in ("Programs/Source", "Programs/Circuits", "Player-Data"):
            os.makedirs(os.path.join(folder, part))
        shutil.copy(netlist, os.path.join(folder, "Programs/Circuits/netlist.txt"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, rounds):
        values = {"rounds": rounds, "widths": self.widths, "outputs": sum(self.outputs)}
        with open(self.path("Programs/Source/run.mpc"), "w", encoding="ascii") as file:
            file.write(PROGRAM.format(**values))
        compiler = [sys.executable, os.path.join(self.home, "compile.py"), "-G", "-B", "64", "run"]
        done = subprocess.run(compiler, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"the compiler of MP-SPDZ failed: {(done.stdout + done.stderr).strip()[-300:]}")
        for player, width in enumerate(self.widths):
            with open(self.path(f"Player-Data/Input-P{player}-0"), "w", encoding="ascii") as file:
                for _ in range(1 + rounds):
                    value = self.fixed[player] if self.fixed else random.getrandbits(width)
                    print(value, file=file)

    def run(self, port):
        """Returns the seconds of all runs except the first, the CPU time (in ms) and bytes of both
        parties with the setup and all runs, and the outputs of the last run."""
        program = os.path.join(self.home, "yao-party.x")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        names = [self.path(f"output-{player}") for player in (0, 1)]
        parties = []
        for player, name in enumerate(names):
            with open(name, "w", encoding="utf-8") as output:
                command = [program, "-p", str(player), "-h", "localhost", "-pn", str(port), "run"]
                parties.append(subprocess.Popen(command, cwd=self.folder, stdout=output, stderr=output))
        failed = [party.wait() for party in reversed(parties)]
        texts = []
        for name in names:
            with open(name, encoding="utf-8", errors="replace") as output:
                texts.append(output.read())
        if any(failed):
            raise Failed(f"yao-party.x exited with {failed}: {texts[0][-200:]} {texts[1][-200:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        seconds = max(float(found(r"^Time1 = (\S+) seconds", text)) for text in texts)
        sent = 1e6 * float(found(r"^Global data sent = (\S+) MB", texts[0]))
        return seconds, 1e3 * cpu, sent, found(r"^outputs ([01]*)", texts[0])


def found(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise Failed(f"yao-party.x did not print {pattern!r}: {text[-300:]!r}")
    return match.group(1)


def number(bits):
    """Returns the value of bits, the lowest bit first."""
    return int(bits[::-1] or "0", 2)


def main(arguments):
    party, port, netlist, rounds = arguments[0], int(arguments[1]), arguments[2], int(arguments[3])
    fixed = [number(bits) for bits in arguments[4:6]]
    if party != "1":
        return
    home = os.environ.get("MP_SPDZ")
    if not home:
        raise Failed("set the variable MP_SPDZ to the folder of MP-SPDZ")
    if os.environ.get("MP_SPDZ_OPEN") != "1":
        isolate_network()
    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.abspath(home), folder, netlist, fixed)
        session.compile(0)
        _, cpu_before, sent_before, _ = session.run(port)
        session.compile(rounds)
        seconds, cpu, sent, outputs = session.run(port)
    # Both measurements include the setup and the first run, so their difference does not.
    line = {"ms": 1e3 * seconds / rounds, "cpu_ms": max(cpu - cpu_before, 0) / rounds}
    line["bytes"] = (sent - sent_before) / rounds
    if fixed:
        line["outputs"] = outputs
    print(json.dumps(line))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Failed, OSError, ValueError, IndexError) as error:
        sys.exit(f"error: {error}")
