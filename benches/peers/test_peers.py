"""Tests of peers.py and of the driver for MP-SPDZ, with stand-ins for all programs.
Run `python3 benches/peers/test_peers.py`."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# The XOR of two bits of each party.
NETLIST = "3 7\n2 2 2\n1 2\n\n2 1 0 2 5 XOR\n2 1 1 3 6 XOR\n2 1 0 2 4 AND\n"

XOR = """
def xor(one, other):
    return "".join(str(int(a != b)) for a, b in zip(one, other))
"""

OURS = (
    """#!{python} -IS
import json, sys
"""
    + XOR
    + """
assert "--json" in sys.argv
slow = 2 if "malicious" in sys.argv else 1
if sys.argv[1] == "bench" and "--statistical-security" in sys.argv:
    slow *= int(sys.argv[sys.argv.index("--statistical-security") + 1]) // 10
if sys.argv[1] == "bench":
    total = {{"ms": 10 * slow, "bytes": 1000 * slow, "garbler_cpu_ms": 7, "evaluator_cpu_ms": 5}}
    print(json.dumps({{"total": total}}))
else:
    assert sys.argv[1:3] == ["circuit", "run"]
    inputs = [sys.argv[sys.argv.index(of) + 1] for of in ("--garbler", "--evaluator")]
    assert all(value.startswith("bits:") and len(value) == 7 for value in inputs)
    print(json.dumps({{"outputs": list(xor(inputs[0][5:], inputs[1][5:]))}}))
"""
)

THEIRS = (
    """#!{python} -IS
import json, sys
"""
    + XOR
    + """
party, port, netlist, rounds = sys.argv[1:5]
assert int(port) > 0 and int(rounds) > 0 and netlist.endswith(".txt")
line = {{"ms": 30, "bytes": 500}}
if sys.argv[5:]:
    line["outputs"] = xor(*sys.argv[5:])
if party == "1":
    print("something else first")
    print(json.dumps(line))
"""
)

BROKEN = """#!{python} -IS
import sys
sys.exit("no such circuit")
"""

COMPILER = """
import os, sys
assert sys.argv[1:] == ["-G", "-B", "64", "run"]
assert os.path.exists("Programs/Circuits/netlist.txt")
with open("Programs/Source/run.mpc") as file:
    assert "enumerate([2, 2])" in file.read()
"""

# The setup sends 5 MB. A run takes 2 s and sends 1 MB. The time does not include the first run.
YAO_PARTY = """#!{python} -IS
import sys
assert sys.argv[3:5] == ["-h", "localhost"] and sys.argv[7:] == ["run"]
values = []
for player in "01":
    with open(f"Player-Data/Input-P{{player}}-0") as file:
        values.append([int(line) for line in file])
rounds = len(values[0])
assert rounds == len(values[1])
last = values[0][-1] ^ values[1][-1]
print("Time = 1234 seconds", file=sys.stderr)
print("Time1 =", 2 * (rounds - 1), "seconds (0 MB)", file=sys.stderr)
if sys.argv[2] == "0":
    print("outputs", f"{{last & 1}}{{last >> 1}}")
    print("Global data sent =", 5 + rounds, "MB (all parties)", file=sys.stderr)
"""

# The stand-in does not listen, and not every machine allows a network namespace.
NO_NETWORK = {"MP_SPDZ_OPEN": "1"}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.netlist = self.file("add.txt", NETLIST)
        self.ours = self.program("dealerless", OURS)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def program(self, name, text):
        path = self.file(name, text.format(python=sys.executable))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def run_script(self, *more, **environment):
        """Runs a copy of the script in a folder without compiled drivers."""
        script = shutil.copy(os.path.join(HERE, "peers.py"), self.folder)
        command = [sys.executable, "-IS", script, self.netlist]
        command += ["--dealerless", self.ours, "--turns", "1", "--rounds", "6", *more]
        environment = {"PATH": "/nowhere", **environment}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def row(self, done, name):
        rows = [line for line in done.stdout.splitlines() if line.startswith(f"  {name} ")]
        self.assertEqual(len(rows), 1, done.stdout + done.stderr)
        self.assertLessEqual(len(rows[0]), 80)
        return rows[0]


class Peers(Folder):
    def test_missing_programs_are_named_and_skipped(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("  dealerless "), 2)
        for name in ("emp-sh2pc", "emp-ag2pc", "MP-SPDZ"):
            self.assertIn(f"skipped: {name}: $PEER_", done.stdout)

    def test_driver_takes_turns_and_is_compared_at_the_same_security(self):
        log = os.path.join(self.folder, "turns.json")
        driver = self.program("bench_ag2pc", THEIRS)
        done = self.run_script("--json", log, "--turns", "2", PEER_EMP_AG2PC=driver)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = self.row(done, "emp-ag2pc")
        # 30 ms against 20 ms, and 500 bytes against 2,000 bytes.
        self.assertIn("1.50x", row)
        self.assertIn("0.25x", row)
        self.assertNotIn("skipped: emp-ag2pc", done.stdout)
        self.assertIn("add.txt, 1 ANDs", done.stdout)
        with open(log, encoding="utf-8") as file:
            programs = [json.loads(line)["program"] for line in file]
        self.assertEqual(programs, 2 * ["dealerless", "dealerless", "emp-ag2pc"])

    def test_statistical_security_is_passed_to_bench(self):
        driver = self.program("bench_ag2pc", THEIRS)
        done = self.run_script("--statistical-security", "40", PEER_EMP_AG2PC=driver)
        # 30 ms against 4 times 20 ms.
        self.assertIn("0.38x", self.row(done, "emp-ag2pc"))

    def test_driver_is_found_in_path(self):
        self.program("bench_sh2pc", THEIRS)
        done = self.run_script(PATH=self.folder)
        self.assertIn("3.00x", self.row(done, "emp-sh2pc"))

    def test_compiled_driver_is_found_in_the_drivers_folder(self):
        self.program("drivers/bench_sh2pc", THEIRS)
        done = self.run_script()
        self.assertIn("3.00x", self.row(done, "emp-sh2pc"))

    def test_failed_driver_is_named_with_its_message_and_other_programs_are_measured(self):
        driver = self.program("bench_sh2pc", BROKEN)
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("emp-sh2pc failed:", done.stdout)
        self.assertIn("no such circuit", done.stdout)
        self.assertEqual(done.stdout.count("  dealerless "), 2)

    def test_driver_without_figures_is_named(self):
        driver = self.program("bench_sh2pc", THEIRS.replace('"ms": 30', '"milliseconds": 30'))
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not print a number for ms: ", done.stdout)

    def test_driver_with_wrong_outputs_is_not_compared(self):
        driver = self.program("bench_sh2pc", THEIRS.replace("a != b", "a == b"))
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gives wrong outputs", done.stdout)
        self.assertNotIn("\n  emp-sh2pc  ", done.stdout)

    def test_driver_without_outputs_is_not_compared(self):
        driver = self.program("bench_sh2pc", THEIRS.replace('line["outputs"]', 'line["other"]'))
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("None instead of", done.stdout)

    def test_reported_cpu_time_is_used(self):
        driver = self.program("bench_sh2pc", THEIRS.replace('"ms": 30', '"ms": 30, "cpu_ms": 1234'))
        done = self.run_script(PEER_EMP_SH2PC=driver)
        # A wide number stays separated from its neighbours.
        self.assertIn("1234.00", self.row(done, "emp-sh2pc").split())
        # That of both parties, as the program reports it.
        self.assertIn("12.00", self.row(done, "dealerless semi-honest").split())

    def test_netlist_without_two_inputs_is_refused(self):
        for text in ("", "3 7\n3 1 1 2\n1 2\n"):
            self.netlist = self.file("three.txt", text)
            done = self.run_script()
            self.assertEqual(done.returncode, 1)
            self.assertIn("three.txt", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class MpSpdz(Folder):
    def run_driver(self, *arguments):
        self.file("spdz/compile.py", COMPILER)
        self.program("spdz/yao-party.x", YAO_PARTY)
        driver = os.path.join(HERE, "drivers", "mp_spdz.py")
        environment = {"MP_SPDZ": os.path.join(self.folder, "spdz"), **NO_NETWORK}
        command = [sys.executable, "-IS", driver, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_figures_cover_one_run_without_the_setup(self):
        done = self.run_driver("1", "20000", self.netlist, "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads(done.stdout)
        self.assertAlmostEqual(line["ms"], 2000)
        self.assertAlmostEqual(line["bytes"], 1e6)
        self.assertGreaterEqual(line["cpu_ms"], 0)
        self.assertNotIn("outputs", line)

    def test_inputs_are_entered_with_the_lowest_bit_first(self):
        done = self.run_driver("1", "20000", self.netlist, "1", "10", "00")
        self.assertEqual(json.loads(done.stdout)["outputs"], "10")

    def test_second_party_does_nothing(self):
        done = self.run_driver("2", "20000", self.netlist, "4")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_netlist_with_gates_that_mp_spdz_ignores_is_refused(self):
        self.netlist = self.file("copies.txt", NETLIST.replace("2 1 0 2 4 AND", "1 1 0 4 EQW"))
        done = self.run_driver("1", "20000", self.netlist, "4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("EQW", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_mp_spdz_variable_selects_the_included_driver(self):
        os.makedirs(os.path.join(self.folder, "drivers"))
        shutil.copy(os.path.join(HERE, "drivers", "mp_spdz.py"), os.path.join(self.folder, "drivers"))
        self.file("spdz/compile.py", COMPILER)
        self.program("spdz/yao-party.x", YAO_PARTY)
        done = self.run_script(MP_SPDZ=os.path.join(self.folder, "spdz"), **NO_NETWORK)
        # 2 s against 10 ms.
        self.assertIn("200.00x", self.row(done, "MP-SPDZ"))


if __name__ == "__main__":
    unittest.main()
