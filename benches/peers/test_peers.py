"""Tests of peers.py with stand-ins for all programs: `python3 benches/peers/test_peers.py`."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

OURS = """#!{python}
import json, sys
assert sys.argv[1] == "bench" and "--json" in sys.argv
slow = 2 if "malicious" in sys.argv else 1
print(json.dumps({{"total": {{"ms": 10 * slow, "bytes": 1000 * slow}}}}))
"""

THEIRS = """#!{python}
import json, sys
party, port, netlist, rounds = sys.argv[1:]
assert int(port) > 0 and int(rounds) > 0 and netlist.endswith(".txt")
if party == "1":
    print("something else first")
    print(json.dumps({{"ms": 30, "bytes": 500}}))
"""

BROKEN = """#!{python}
import sys
sys.exit("no such circuit")
"""


class Peers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ours = self.program("dealerless", OURS)

    def program(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.format(python=sys.executable))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def run_script(self, *more, **environment):
        command = [sys.executable, os.path.join(HERE, "peers.py"), "add.txt"]
        command += ["--dealerless", self.ours, "--turns", "2", "--rounds", "3", *more]
        environment = {"PATH": "/nowhere", **environment}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_what_is_not_installed_is_left_out_and_named(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("  dealerless "), 2)
        for name in ("emp-sh2pc", "emp-ag2pc", "MP-SPDZ"):
            self.assertIn(f"left out: {name}: neither $PEER_", done.stdout)

    def test_a_driver_takes_turns_with_ours_and_has_ratios_to_the_same_security(self):
        log = os.path.join(self.folder.name, "turns.json")
        driver = self.program("bench_ag2pc", THEIRS)
        done = self.run_script("--json", log, PEER_EMP_AG2PC=driver)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = [line for line in done.stdout.splitlines() if line.startswith("  emp-ag2pc")]
        self.assertEqual(len(row), 1, done.stdout)
        # 30 ms against 20, and 500 bytes against 2,000.
        self.assertIn("1.50x", row[0])
        self.assertIn("0.25x", row[0])
        self.assertTrue(all(len(line) <= 80 for line in row))
        self.assertNotIn("left out: emp-ag2pc", done.stdout)
        with open(log, encoding="utf-8") as file:
            programs = [json.loads(line)["program"] for line in file]
        self.assertEqual(programs, 2 * ["dealerless", "dealerless", "emp-ag2pc"])

    def test_a_driver_is_found_in_the_path(self):
        self.program("bench_sh2pc", THEIRS)
        done = self.run_script(PATH=self.folder.name)
        self.assertIn("3.00x", done.stdout)

    def test_a_driver_that_fails_is_named_with_what_it_said_and_the_rest_is_measured(self):
        driver = self.program("bench_sh2pc", BROKEN)
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("emp-sh2pc failed:", done.stdout)
        self.assertIn("no such circuit", done.stdout)
        self.assertEqual(done.stdout.count("  dealerless "), 2)

    def test_a_driver_that_prints_no_figures_is_named(self):
        driver = self.program("bench_sh2pc", "#!{python}\nprint('done')\n")
        done = self.run_script(PEER_EMP_SH2PC=driver)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no number for ms: 'done'", done.stdout)


if __name__ == "__main__":
    unittest.main()
