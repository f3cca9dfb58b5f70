"""Tabs, storage and versions of the page of a guest."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time

import axe
from guests import Guests
from served import PAGE, Site

READY = """
const done = arguments[0];
navigator.serviceWorker.ready.then(() => caches.keys()).then((names) => done(names));
"""
DIGEST = "return document.getElementById('digest').textContent"
STORES = "const done = arguments[0]; caches.keys().then(done)"
HOME = "You"


def next_version(folder):
    """A copy of the page with other digests, as a build of a newer version."""
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        digest = re.search(r'id="digest">([0-9a-f]{64})<', file.read())[1]
    other = digest[::-1]
    copy = tempfile.mkdtemp(prefix="dealerless-page-")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    os.rename(os.path.join(copy, "v-" + digest[:16]), os.path.join(copy, "v-" + other[:16]))
    hashes = {}
    for name in ("index.html", "sw.js"):
        path = os.path.join(copy, name)
        with open(path, encoding="utf-8") as file:
            text = file.read().replace(digest, other).replace(digest[:16], other[:16])
        for old, new in hashes.items():
            text = text.replace(old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(folder, name), "rb") as file:
            hashes[hashlib.sha256(file.read()).hexdigest()] = hashlib.sha256(text.encode()).hexdigest()
    return copy, digest, other


class Tab(Guests):
    def lobby_of(self, site=None):
        browser = self.browser()
        browser.open((site or self.site).address)
        browser.find("h2", HOME)
        return browser

    def test_second_tab_takes_over_and_the_first_one_says_so(self):
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        cards = self.own_cards(guest)
        first = guest.driver.current_window_handle
        guest.driver.switch_to.new_window("tab")
        guest.open(self.site.address)
        guest.find("h1", "This page is open in another tab")
        guest.press("Play here")
        guest.until(lambda: guest.has_button("Check"), "the same turn")
        self.assertEqual(self.own_cards(guest), cards)
        second = guest.driver.current_window_handle
        guest.driver.switch_to.window(first)
        guest.find("h1", "Another tab has taken over")
        guest.driver.switch_to.window(second)
        guest.press("Check")
        host.until("chose", do="check")

    def test_cleared_data_are_gone_and_the_page_begins_anew(self):
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        guest.open("about:blank")
        origin = self.site.address.rstrip("/")
        guest.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        guest.open(self.site.address)
        guest.find("h2", HOME)
        self.assertNotIn("Open matches", guest.text())

    def test_player_is_warned_before_the_first_deal(self):
        _, link = self.host_of("--hands=1")
        browser = self.browser()
        browser.open(link)
        browser.find("h1", "You are invited to a table")
        browser.reads("you forfeit the match")

    def test_private_window_plays(self):
        host, link = self.host_of("--hands=1", "--auto")
        guest = self.browser("--incognito")
        self.sit(guest, link)
        self.all_check_to_the_end(guest)
        self.assert_agree(host, self.saved_record(guest))

    def test_failure_of_the_module_is_reported_and_the_match_resumed(self):
        folder = tempfile.mkdtemp(prefix="dealerless-page-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copytree(PAGE, folder, dirs_exist_ok=True)
        (version,) = [name for name in os.listdir(folder) if name.startswith("v-")]
        path = os.path.join(folder, version, "seat.js")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        fails = "seat.command(...this.#give(encoder.encode(line)))"
        self.assertIn(fails, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(fails, f"line.includes('fold') ? seat.unreachable() : {fails}"))
        # The service worker refuses the changed file.
        self.provoked.append("ServiceWorker|not the file of this version")
        self.site = Site(self, folder)
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        cards = self.own_cards(guest)
        guest.press("Fold")
        guest.press("Fold")  # Confirms.
        guest.find("h2", "Your program could not continue")
        guest.reads("The part of this page that plays has failed")
        guest.press("Resume the match")
        guest.until(lambda: guest.has_button("Check"), "the same turn")
        self.assertEqual(self.own_cards(guest), cards)

    def test_shown_digest_is_that_of_the_files(self):
        browser = self.lobby_of()
        run = subprocess.run(["../digest", PAGE], capture_output=True, text=True, check=True)
        self.assertEqual(browser.run(DIGEST), run.stdout.strip())

    def test_absence_is_reported_with_the_clock(self):
        host, link = self.host_of("--hands=1", "--time=60+60")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        page = guest.driver.current_window_handle
        guest.driver.switch_to.new_window("tab")
        time.sleep(3.5)
        guest.driver.switch_to.window(page)
        guest.driver.execute_cdp_cmd("Page.bringToFront", {})
        guest.reads("The page was hidden for .* the clock went on. It is your turn: you have [0-9]+ s for the move")
        guest.press("OK")
        self.assertNotIn("was hidden", guest.text())

    def test_page_works_offline_after_the_first_load(self):
        site = Site(self)
        browser = self.lobby_of(site)
        browser.driver.execute_async_script(READY)
        site.end()
        browser.driver.refresh()
        browser.find("h2", HOME)

    def test_newer_version_replaces_all_files_together(self):
        folder, old, new = next_version(PAGE)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        site = Site(self)
        browser = self.lobby_of(site)
        browser.driver.execute_async_script(READY)
        self.assertEqual(browser.run(DIGEST), old)
        site.serve(folder)
        browser.driver.refresh()
        browser.find("h2", HOME)
        self.assertEqual(browser.run(DIGEST), old)
        browser.press("Load it")
        browser.until(lambda: browser.run(DIGEST) == new, "the newer version")
        browser.find("h2", HOME)
        self.assertEqual(browser.driver.execute_async_script(STORES), ["dealerless " + new])

    def test_file_of_another_version_is_not_stored(self):
        folder, _, new = next_version(PAGE)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        with open(os.path.join(folder, "v-" + new[:16], "words.js"), "a", encoding="utf-8") as file:
            file.write("\n")
        self.provoked.append("is not the file of this version|ServiceWorker")
        browser = self.lobby_of(Site(self, folder))
        time.sleep(1)
        self.assertEqual(browser.driver.execute_async_script(STORES), [])

    def test_page_in_a_frame_is_refused(self):
        browser = self.lobby_of()
        browser.open("data:text/html,<iframe src='%s'></iframe>" % self.site.address)
        browser.driver.switch_to.frame(0)
        self.assertNotIn("Lobby", browser.text())
        self.provoked.append("frame-ancestors|chrome-error")

    def test_pages_are_accessible_and_fit_a_phone(self):
        source = axe.source()
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.browser()
        guest.phone(360, 640)
        guest.open(link)
        guest.find("h1", "You are invited to a table")
        found = self.looks(guest, source, "invited")
        guest.fill("Your name", "Bert")
        guest.tap("Continue")
        guest.find("h2", "Do you accept these terms\\?")
        found += self.looks(guest, source, "terms")
        guest.tap("Sit down")
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        found += self.looks(guest, source, "turn")
        guest.tap("Check")
        host.until("chose", do="check")
        guest.driver.switch_to.new_window("tab")
        guest.open(self.site.address)
        guest.find("h1", "This page is open in another tab")
        found += self.looks(guest, source, "tabs")
        self.assertEqual(found, [])
