"""A guest in a browser plays with a native host, through a relay."""

import json
import re
import subprocess

from guests import KEEP_SAVED, Guests
from programs import Player, start
from served import PAGE, Relay


class Match(Guests):
    def test_link_leads_to_the_end_of_a_match_and_both_records_agree(self):
        self.plays_from_link_to_end("")

    def test_browser_without_suspended_webassembly_plays_too(self):
        self.plays_from_link_to_end("?asyncify")

    def plays_from_link_to_end(self, query):
        host, link = self.host_of("--hands=2", "--auto")
        guest = self.guest_of(link, query=query)
        # The invite is in no history, and is not sent to the server.
        self.assertNotIn("dealerless2", guest.driver.current_url)
        self.all_check_to_the_end(guest)
        host.until("over")
        record = self.saved_record(guest)
        guest.reads("hands? played|Hand 1")
        guest.picture("guest-after")
        self.assert_agree(host, record)

    def test_page_and_program_audit_their_match(self):
        host, link = self.host_of("--hands=1", "--auto")
        guest = self.guest_of(link)
        self.all_check_to_the_end(guest)
        host.until("over")
        host.process.wait()
        args = ["audit", "Bert", f"--relay={self.relay.tcp}", "--listen=127.0.0.1:0", "--json"]
        audit = start(self, host.folder, args, subprocess.DEVNULL)
        guest.press("Match history")
        guest.press("Audit")
        guest.press("Audit")
        guest.reads("1 deck was recomputed")
        self.assertTrue(json.loads(audit.stdout.read().splitlines()[-1])["good"])
        guest.picture("guest-audit")

    def test_code_that_was_spoken_leads_to_a_match_and_a_wrong_one_does_not(self):
        relay = Relay(self, f"--page={PAGE}")
        host = Player(self, ["host", "--hands=1", "--auto", "--name=Anna", "--listen=127.0.0.1:0", "--relay=" + relay.url])
        code = host.until("invite")["code"]
        guest = self.browser()
        guest.before_each_page(KEEP_SAVED)
        # The relay is that of the page.
        guest.open(relay.url.replace("ws:", "http:"))
        number, first, second = code.split("-")
        self.joins_by_code(guest, f"{number} {second} {first}")
        guest.reads("The code is wrong, and is void now")
        code = None
        while not code:
            code = re.search(r"[0-9]+-[a-z]+-[a-z]+$", host.until("notice")["text"])
        self.joins_by_code(guest, code[0].replace("-", " "))
        guest.press("Sit down")
        self.all_check_to_the_end(guest)
        host.until("over")
        self.assert_agree(host, self.saved_record(guest))

    def test_native_guest_joins_by_the_link_of_a_page(self):
        host, link = self.page_that_hosts(self.browser())
        guest = Player(self, ["join", link, "--auto", "--name=Bert"])
        self.all_check_to_the_end(host)
        guest.until("over")
        self.assert_agree(guest, self.saved_record(host))

    def test_two_pages_play_without_a_program(self):
        host, link = self.page_that_hosts(self.browser())
        guest = self.guest_of(link)
        self.all_check_to_the_end(host, guest)
        self.assert_records_agree(self.saved_record(host), self.saved_record(guest))

    def test_reload_keeps_the_link_until_the_guest_sits_down(self):
        host, link = self.host_of("--hands=1", "--auto")
        browser = self.browser()
        browser.open(link)
        browser.find("h1", "You are invited to a table")
        self.assertNotIn("#", browser.driver.current_url)
        browser.driver.refresh()
        browser.find("h1", "You are invited to a table")
        browser.fill("Your name", "Bert")
        browser.press("Continue")
        browser.find("h2", "Do you accept these terms\\?")
        browser.reads("Anna")
        browser.press("Sit down")
        host.until("seated")

    def test_link_of_a_second_tab_does_not_replace_an_unused_invite(self):
        links = [self.host_of("--hands=1", "--auto") for _ in range(2)]
        browser = self.browser()
        browser.open(links[0][1])
        browser.find("h1", "You are invited to a table")
        browser.driver.switch_to.new_window("tab")
        browser.open(links[1][1])
        browser.press("Play here")
        browser.find("h1", "You have several invites")
        browser.picture("guest-several-invites")
        ends = [link.split("#")[1].split("&")[0][-8:] for _, link in links]
        browser.reads(f"{ends[1]}.*{ends[0]}")
        browser.press(f"Use the invite that ends with {ends[0]}")
        browser.find("h1", "You are invited to a table")
        browser.press("Put the invite away")
        # The other one is still there.
        browser.fill("Your name", "Bert")
        browser.press("Continue")
        browser.press("Sit down")
        links[1][0].until("seated")

    def test_reload_in_a_hand_continues_with_the_same_cards(self):
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        cards = self.own_cards(guest)
        self.assertEqual(len(cards), 2)
        guest.driver.refresh()
        self.assertEqual(self.continued(guest), cards)
        guest.press("Check")
        self.ends_by_checking(host, guest)
        self.assert_agree(host, self.saved_record(guest))

    def test_killed_browser_continues_with_the_same_cards(self):
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        cards = self.own_cards(guest)
        self.browsers.remove(guest)
        guest.kill()
        again = self.browser(profile=guest.profile)
        again.before_each_page(KEEP_SAVED)
        again.open(self.site.address)
        self.assertEqual(self.continued(again), cards)
        again.press("Check")
        self.ends_by_checking(host, again)
        self.assert_agree(host, self.saved_record(again))

    def test_killed_tab_continues_with_the_same_cards(self):
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        cards = self.own_cards(guest)
        guest.crash_tab()
        guest.open(self.site.address)
        self.assertEqual(self.continued(guest), cards)

    def continued(self, guest):
        guest.until(lambda: guest.has_button("Check"), "the same turn")
        return self.own_cards(guest)

    def ends_by_checking(self, host, guest):
        for _ in range(3):
            guest.press("Check")
            host.until("your-turn")
            host.say("check")
        guest.press("Show.*")
        host.until("your-turn", ask="show-or-muck")
        host.say("show")
        host.until("over")
        guest.until(lambda: self.is_over(guest), "the end of the match")
