#!/usr/bin/env python3
"""Runs the same netlists through dealerless and through other programs that are installed here,
taking turns, and prints one table with ratios. README.md beside this file says how."""

import argparse
import json
import os
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

# Name, what it protects against, the variable that names its driver, the driver's name in PATH.
PEERS = [
    ("emp-sh2pc", "semi-honest", "PEER_EMP_SH2PC", "bench_sh2pc"),
    ("emp-ag2pc", "malicious", "PEER_EMP_AG2PC", "bench_ag2pc"),
    ("MP-SPDZ", "semi-honest", "PEER_MP_SPDZ", "bench_mp_spdz"),
]


class Failed(Exception):
    """A program did not do what it should; the message says which and how."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netlists", nargs="+", help="Bristol Fashion, two input values each")
    parser.add_argument("--dealerless", default="target/release/dealerless", help="our program")
    parser.add_argument("--turns", type=int, default=3, help="how often each program runs")
    parser.add_argument("--rounds", type=int, default=20, help="runs of the netlist in a turn")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for a turn")
    parser.add_argument("--json", help="also write every turn to this file, an object a line")
    args = parser.parse_args()
    if args.rounds < 2 or args.turns < 1:
        parser.error("at least two rounds and one turn are needed")
    return args


def find(variable, name):
    """The driver as a list of words, or nothing."""
    if os.environ.get(variable):
        return shlex.split(os.environ[variable])
    found = shutil.which(name)
    return [found] if found else None


def start(command):
    """A process whose output goes to files, so that it never waits for a reader."""
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    return subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL), out, err


def cpu_of_children():
    """The CPU of all children that have ended, in ms."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (used.ru_utime + used.ru_stime)


def finish(started, timeout):
    """The last line that the first process printed, and the CPU of all in ms."""
    last = None
    before = cpu_of_children()
    try:
        for process, out, err in started:
            process.wait(timeout=timeout)
            if process.returncode:
                err.seek(0)
                said = err.read().decode(errors="replace").strip()[-300:]
                raise Failed(f"{process.args[0]} ended with {process.returncode}: {said}")
            if last is None:
                out.seek(0)
                lines = out.read().decode(errors="replace").strip().splitlines()
                last = lines[-1] if lines else ""
    except subprocess.TimeoutExpired:
        raise Failed(f"{started[0][0].args[0]} took longer than {timeout} s") from None
    finally:
        for process, out, err in started:
            if process.poll() is None:
                process.kill()
                process.wait()
            out.close()
            err.close()
    # Nothing else ends in between.
    return last, cpu_of_children() - before


def report(line, program, *keys):
    try:
        value = json.loads(line)
        for key in keys:
            value = value[key]
        return float(value)
    except (ValueError, KeyError, TypeError):
        raise Failed(f"{program} has printed no number for {'.'.join(keys)}: {line[:200]!r}") from None


def ours(args, netlist, security, rounds):
    command = [args.dealerless, "bench", "--netlist", netlist, "--security", security]
    command += ["--rounds", str(rounds), "--json"]
    line, cpu = finish([start(command)], args.timeout)
    number = lambda *keys: report(line, "dealerless", *keys)
    return number("total", "ms"), number("total", "bytes"), cpu


def theirs(args, driver, netlist, rounds):
    port = str(random.randrange(20000, 30000) & ~1)
    parties = [start([*driver, party, port, netlist, str(rounds)]) for party in "12"]
    line, cpu = finish(parties, args.timeout)
    number = lambda key: report(line, driver[0], key)
    return number("ms"), number("bytes"), cpu


def turn(run, rounds):
    """Wall time, CPU and bytes of one run. The CPU is without setup: of many rounds less that of one."""
    _, _, once = run(1)
    ms, sent, many = run(rounds)
    return {"ms": ms, "cpu_ms": max(many - once, 0.0) / (rounds - 1), "bytes": sent}


def measure(args, netlist, found, log):
    """Rows of program, security and figures; ours before the others of the same security."""
    runs = []
    for security in ("semi-honest", "malicious"):
        our_run = lambda rounds, security=security: ours(args, netlist, security, rounds)
        runs.append(("dealerless", security, our_run))
        for name, theirs_is, driver in found:
            if theirs_is == security:
                their_run = lambda rounds, driver=driver: theirs(args, driver, netlist, rounds)
                runs.append((name, security, their_run))
    turns = {(name, security): [] for name, security, _ in runs}
    failed = {}
    for number in range(args.turns):
        for name, security, run in runs:
            if (name, security) in failed:
                continue
            try:
                figures = turn(run, args.rounds)
            except (Failed, OSError) as error:
                if name == "dealerless":
                    raise
                failed[name, security] = str(error)
                continue
            turns[name, security].append(figures)
            if log:
                line = {"netlist": netlist, "program": name, "security": security, "turn": number}
                print(json.dumps({**line, **figures}), file=log, flush=True)
    rows = []
    for name, security, _ in runs:
        if (name, security) not in failed:
            all_turns = turns[name, security]
            middle = lambda key: statistics.median(figures[key] for figures in all_turns)
            rows.append((name, security, {key: middle(key) for key in ("ms", "cpu_ms", "bytes")}))
    return rows, failed


def ratio(theirs, ours):
    return f"{theirs / ours:5.2f}x" if ours > 0 else "     -"


def table(netlist, rows):
    lines = [os.path.basename(netlist)]
    lines.append(f"  {'':<11}{'security':<12}{'ms':>9}{'':7}{'CPU ms':>9}{'':7}{'kB':>9}")
    base = {security: figures for name, security, figures in rows if name == "dealerless"}
    for name, security, figures in rows:
        line = f"  {name:<11}{security:<12}"
        for key, unit in (("ms", 1), ("cpu_ms", 1), ("bytes", 1000)):
            against = "" if name == "dealerless" else ratio(figures[key], base[security][key])
            line += f"{figures[key] / unit:9.2f}{against:>7}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def surroundings():
    cpu = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        cpu = names[0] if names else cpu
    except OSError:
        pass
    load = f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"
    return f"{cpu}, {os.cpu_count()} cores, load before {load}"


def main():
    args = arguments()
    found, missing = [], []
    for name, security, variable, command in PEERS:
        driver = find(variable, command)
        if driver:
            found.append((name, security, driver))
        else:
            missing.append(f"{name}: neither ${variable} nor {command} in PATH")
    print(surroundings())
    print(f"Medians of {args.turns} turns of {args.rounds} runs. A ratio above 1x: ours takes less.\n")
    log = open(args.json, "w", encoding="utf-8") if args.json else None
    failures = 0
    try:
        for netlist in args.netlists:
            rows, failed = measure(args, netlist, found, log)
            print(table(netlist, rows))
            for (name, _), why in failed.items():
                failures += 1
                print(f"  {name} failed: {why}")
            print(flush=True)
    except (Failed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if log:
            log.close()
    for line in missing:
        print(f"left out: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
