"""Pages behind routers: `sudo crates/web/tests/run test_networks`. They reach `dealerless relay`, which also serves the page, through
the networks of crates/cli/tests/network/run. Each browser runs in a network namespace, in which 127.0.0.1:4001 leads to the
relay, because a page without TLS works only at a loopback address. Without root, `ip` and `nft`, the tests are skipped."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import stat
import tempfile
import time
import types
import unittest
import unittest.mock

from browsers import Browser, executable
from case import Case
from guests import KEEP_SAVED, Guests
from programs import DEADLINE, PROGRAM
from served import PAGE


def networks():
    path = str(pathlib.Path(__file__).resolve().parents[2] / "cli/tests/network/run")
    loader = importlib.machinery.SourceFileLoader("networks", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("networks", loader))
    loader.exec_module(module)
    return module


@unittest.skipUnless(os.getuid() == 0 and shutil.which("ip") and shutil.which("nft"), "needs root, `ip` and `nft`")
class Networks(Guests):
    def setUp(self):
        Case.setUp(self)
        self.provoked = []
        self.networks = networks()
        self.network = self.networks.Network()
        self.network.__enter__()
        self.addCleanup(self.network.__exit__)
        relay = self.process("relay", "relay", "--json", f"--page={PAGE}")
        relay.event(time.monotonic() + DEADLINE)
        self.relay = types.SimpleNamespace(url="ws://127.0.0.1:4001/")
        self.site = types.SimpleNamespace(address="http://127.0.0.1:4001/")

    def process(self, name, *args, home=None):
        process = self.networks.Process(name, [PROGRAM, *args], home)
        self.addCleanup(process.end)
        return process

    def browser_of(self, name):
        """A browser in the namespace of this player. Its driver controls it through a pipe."""
        self.network.inside(
            name, "sysctl -qw net.ipv4.conf.all.route_localnet=1", "nft add table here",
            "nft add chain here out { type nat hook output priority -100 ; }",
            "nft add rule here out ip daddr 127.0.0.1 tcp dport 4001 dnat to 192.0.2.30:4001",
            "nft add chain here post { type nat hook postrouting priority 100 ; }",
            "nft add rule here post ip daddr 192.0.2.30 masquerade")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="dealerless-browser-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        inside = folder / "chromium"
        chromium = executable("DEALERLESS_CHROMIUM", "chromium")
        inside.write_text(f'#!/bin/sh\nexec ip netns exec {self.networks.PREFIX}-{name} {chromium} "$@"\n')
        inside.chmod(inside.stat().st_mode | stat.S_IXUSR)
        with unittest.mock.patch.dict(os.environ, {"DEALERLESS_CHROMIUM": str(inside)}):
            return Browser(self, "--remote-debugging-pipe")

    def test_two_pages_behind_routers_play_at_the_relay_that_serves_them(self):
        host, link = self.page_that_hosts(self.browser_of("anna"))
        guest = self.browser_of("bert")
        self.sit(guest, link)
        self.all_check_to_the_end(host, guest)
        self.assert_records_agree(self.saved_record(host), self.saved_record(guest))

    def test_page_and_program_behind_routers_meet_by_a_code(self):
        folder = tempfile.mkdtemp(prefix="dealerless-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        args = ["--json", "--hands=1", "--auto", "--name=Anna", "--relay=192.0.2.30:4001"]
        host = self.process("anna", "host", *args, home=folder)
        code = host.until("invite")["code"]
        guest = self.browser_of("bert")
        guest.before_each_page(KEEP_SAVED)
        guest.open(self.site.address)
        self.joins_by_code(guest, code)
        guest.press("Sit down")
        self.all_check_to_the_end(guest)
        self.assertEqual(host.finish(), 0)
        with open(host.seen[-1]["log"], "rb") as file:
            self.assert_records_agree(file.read(), self.saved_record(guest))
