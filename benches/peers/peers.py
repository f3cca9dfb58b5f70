#!/usr/bin/env python3
"""Runs the same netlists through dealerless and other installed programs in turns, and prints a table
with ratios. See README.md in this folder."""

import argparse
import json
import os
import random
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

# The folder of the included drivers. Those in C++ must be compiled first.
DRIVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drivers")

# The name, the security, the variable that names the driver, and the driver's file name in PATH and
# in DRIVERS.
PEERS = [
    ("emp-sh2pc", "semi-honest", "PEER_EMP_SH2PC", "bench_sh2pc"),
    ("emp-ag2pc", "malicious", "PEER_EMP_AG2PC", "bench_ag2pc"),
    ("MP-SPDZ", "semi-honest", "PEER_MP_SPDZ", "bench_mp_spdz"),
]

# The number of inputs on which a driver must give the outputs of dealerless before it is measured.
CHECKS = 2

# `dealerless bench` sets up one session for each round, but at most this many sessions. Two
# measurements with at least this many rounds spend the same time on setup.
FEW_ROUNDS = 5


class Failed(Exception):
    """A failure of a program. The message names the program and the problem."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netlists", nargs="+", help="Bristol Fashion, two input values each")
    parser.add_argument("--dealerless", default="target/release/dealerless", help="path of dealerless")
    parser.add_argument("--turns", type=int, default=3, help="number of turns of each program")
    parser.add_argument("--rounds", type=int, default=20, help="runs of the netlist in a turn")
    parser.add_argument("--statistical-security", type=int, help="bits of security of dealerless")
    parser.add_argument("--timeout", type=float, default=180, help="timeout of a turn, in seconds")
    parser.add_argument("--json", help="also write every turn to this file, one JSON object per line")
    args = parser.parse_args()
    if args.rounds <= FEW_ROUNDS or args.turns < 1:
        parser.error(f"expected at least {FEW_ROUNDS + 1} rounds and one turn")
    return args


class Netlist:
    """The path, the input widths and the number of AND gates of a netlist."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, encoding="ascii") as file:
                lines = [line.split() for line in file if line.strip()]
            self.widths = [int(width) for width in lines[1][1:]]
            self.ands = sum(line[-1] == "AND" for line in lines[3:])
        except (OSError, ValueError, IndexError) as error:
            raise Failed(f"{path} is not a netlist in Bristol Fashion: {error}") from None
        if len(self.widths) != 2:
            raise Failed(f"{path} has {len(self.widths)} input values; expected two")

    def random_inputs(self):
        """Returns a random value for each party as bits, the first wire first."""
        return ["".join(random.choice("01") for _ in range(width)) for width in self.widths]


def find(variable, name):
    """Returns the command of a driver as a list, or None."""
    if os.environ.get(variable):
        return shlex.split(os.environ[variable])
    found = shutil.which(name) or shutil.which(os.path.join(DRIVERS, name))
    if not found and name == "bench_mp_spdz" and os.environ.get("MP_SPDZ"):
        return [sys.executable, os.path.join(DRIVERS, "mp_spdz.py")]
    return [found] if found else None


def start(command):
    """Starts a process whose output goes to files, so that the process never waits for a reader."""
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    # A new process group, so that all processes of a driver can be killed together.
    process = subprocess.Popen(
        command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True
    )
    return process, out, err


def cpu_of_children():
    """Returns the CPU time of all ended child processes, in ms."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (used.ru_utime + used.ru_stime)


def finish(started, timeout):
    """Waits for the processes. Returns the last line that the first process has printed, and the CPU
    time of all processes in ms."""
    last = None
    before = cpu_of_children()
    try:
        for process, out, err in started:
            process.wait(timeout=timeout)
            if process.returncode:
                err.seek(0)
                message = err.read().decode(errors="replace").strip()[-300:]
                raise Failed(f"{process.args[0]} exited with {process.returncode}: {message}")
            if last is None:
                out.seek(0)
                lines = out.read().decode(errors="replace").strip().splitlines()
                last = lines[-1] if lines else ""
    except subprocess.TimeoutExpired:
        raise Failed(f"{started[0][0].args[0]} took longer than {timeout} s") from None
    finally:
        for process, out, err in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            out.close()
            err.close()
    # No other child process has ended since `before`.
    return last, cpu_of_children() - before


def parsed(line, program):
    try:
        value = json.loads(line)
        if isinstance(value, dict):
            return value
    except ValueError:
        pass
    raise Failed(f"{program} did not print a JSON object: {line[:200]!r}")


def number(line, program, *keys):
    value = parsed(line, program)
    try:
        for key in keys:
            value = value[key]
        return float(value)
    except (ValueError, KeyError, TypeError):
        raise Failed(f"{program} did not print a number for {'.'.join(keys)}: {line[:200]!r}") from None


def start_theirs(driver, netlist, rounds, inputs=()):
    port = str(random.randrange(20000, 30000) & ~1)
    return [start([*driver, party, port, netlist.path, str(rounds), *inputs]) for party in "12"]


def ours(args, netlist, security, rounds):
    """Returns the time and bytes of one run, and the CPU time of both parties in it. The program measures
    this time itself, because its parties wait actively for a common start of each round."""
    command = [args.dealerless, "bench", "--netlist", netlist.path, "--security", security]
    command += ["--rounds", str(rounds), "--json"]
    if args.statistical_security is not None:
        command += ["--statistical-security", str(args.statistical_security)]
    line, _ = finish([start(command)], args.timeout)
    total = lambda key: number(line, "dealerless", "total", key)
    cpu = total("garbler_cpu_ms") + total("evaluator_cpu_ms")
    return {"ms": total("ms"), "cpu_ms": cpu, "bytes": total("bytes")}


def theirs(args, driver, netlist, rounds):
    """Returns the figures of `ours`, but with the CPU time of all rounds and the setup if the driver does
    not report that of one run."""
    line, cpu = finish(start_theirs(driver, netlist, rounds), args.timeout)
    figures = {key: number(line, driver[0], key) for key in ("ms", "bytes")}
    if "cpu_ms" in parsed(line, driver[0]):
        return {**figures, "cpu_ms": number(line, driver[0], "cpu_ms")}
    return {**figures, "all_cpu_ms": cpu}


def turn(run, rounds):
    """Returns the wall time, CPU time and bytes of one run. The CPU time is the difference between many
    and few rounds, so that the setup does not count."""
    figures = run(rounds)
    if "cpu_ms" not in figures:
        more = figures.pop("all_cpu_ms") - run(FEW_ROUNDS)["all_cpu_ms"]
        figures["cpu_ms"] = max(more, 0.0) / (rounds - FEW_ROUNDS)
    return figures


def check(args, driver, netlist, security):
    """Raises Failed unless the driver gives the outputs of dealerless on random inputs."""
    for _ in range(CHECKS):
        inputs = netlist.random_inputs()
        command = [args.dealerless, "circuit", "run", netlist.path, "--security", security, "--json"]
        for owner, bits in zip(("garbler", "evaluator"), inputs):
            command += [f"--{owner}", f"bits:{bits}"]
        expected = parsed(finish([start(command)], args.timeout)[0], "dealerless").get("outputs")
        if not isinstance(expected, list):
            raise Failed("dealerless circuit run did not print outputs")
        line, _ = finish(start_theirs(driver, netlist, 1, inputs), args.timeout)
        outputs = parsed(line, driver[0]).get("outputs")
        if outputs != "".join(expected):
            shown = f"{str(outputs)[:60]} instead of {''.join(expected)[:60]}"
            raise Failed(f"{driver[0]} gives wrong outputs: {shown}")


def programs(args, netlist, found):
    """Returns the name, security, run function and check function of each program; dealerless comes
    before the other programs of the same security."""
    runs = []
    for security in ("semi-honest", "malicious"):
        our_run = lambda rounds, security=security: ours(args, netlist, security, rounds)
        runs.append(("dealerless", security, our_run, None))
        for name, theirs_is, driver in found:
            if theirs_is == security:
                run = lambda rounds, driver=driver: theirs(args, driver, netlist, rounds)
                checks = lambda driver=driver, security=security: check(args, driver, netlist, security)
                runs.append((name, security, run, checks))
    return runs


def measure(args, netlist, found, log):
    """Returns rows of program, security and figures, and the failures of programs without a row."""
    turns, failed = {}, {}
    for number_of_turn in range(args.turns):
        for name, security, run, checks in programs(args, netlist, found):
            if (name, security) in failed:
                continue
            try:
                if checks and number_of_turn == 0:
                    checks()
                figures = turn(run, args.rounds)
            except (Failed, OSError) as error:
                if name == "dealerless":
                    raise
                failed[name, security] = str(error)
                continue
            turns.setdefault((name, security), []).append(figures)
            if log:
                line = {"netlist": netlist.path, "program": name, "security": security}
                line["turn"] = number_of_turn
                print(json.dumps({**line, **figures}), file=log, flush=True)
    rows = []
    for (name, security), all_turns in turns.items():
        if (name, security) not in failed:
            middle = lambda key: statistics.median(figures[key] for figures in all_turns)
            rows.append((name, security, {key: middle(key) for key in ("ms", "cpu_ms", "bytes")}))
    return rows, failed


def ratio(theirs, ours):
    return f"{theirs / ours:.2f}x" if ours > 0 else "-"


def table(netlist, rows):
    lines = [f"{os.path.basename(netlist.path)}, {netlist.ands:,} ANDs"]
    lines.append(f"  {'':<11}{'security':<12}{'ms':>9}{'':8}{'CPU ms':>9}{'':8}{'kB':>9}")
    base = {security: figures for name, security, figures in rows if name == "dealerless"}
    for name, security, figures in rows:
        line = f"  {name:<11}{security:<12}"
        for key, unit in (("ms", 1), ("cpu_ms", 1), ("bytes", 1000)):
            against = "" if name == "dealerless" else ratio(figures[key], base[security][key])
            line += f"{figures[key] / unit:9.2f} {against:>7}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def load():
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def surroundings():
    cpu = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        cpu = names[0] if names else cpu
    except OSError:
        pass
    return f"{cpu}, {os.cpu_count()} cores"


def main():
    args = arguments()
    found, missing = [], []
    for name, security, variable, command in PEERS:
        driver = find(variable, command)
        if driver:
            found.append((name, security, driver))
        else:
            more = "; $MP_SPDZ is not set" if name == "MP-SPDZ" else ""
            missing.append(f"{name}: ${variable} is not set, and {command} is not in PATH or drivers/{more}")
    print(surroundings())
    print(f"Medians of {args.turns} turns of {args.rounds} runs. Above 1x, dealerless takes less.\n")
    log = open(args.json, "w", encoding="utf-8") if args.json else None
    failures = 0
    try:
        for path in args.netlists:
            netlist = Netlist(path)
            before = load()
            rows, failed = measure(args, netlist, found, log)
            print(table(netlist, rows))
            for (name, _), reason in failed.items():
                failures += 1
                print(f"  {name} failed: {reason}")
            print(f"  load {before} before, {load()} after\n", flush=True)
    except (Failed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if log:
            log.close()
    for line in missing:
        print(f"skipped: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
