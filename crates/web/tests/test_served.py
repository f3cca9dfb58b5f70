"""The page as `dealerless relay --page` serves it."""

import os
import urllib.request

from guests import Guests
from served import PAGE, Relay


class Served(Guests):
    def setUp(self):
        super().setUp()
        self.relay = Relay(self, "--page=" + PAGE)
        self.page = f"http://{self.relay.tcp}/"

    def answer(self, address):
        with urllib.request.urlopen(address) as answer:
            return answer.headers, answer.read()

    def test_files_and_headers_are_those_of_the_built_page(self):
        names = [os.path.relpath(os.path.join(folder, name), PAGE) for folder, _, files in os.walk(PAGE) for name in files]
        names.remove("_headers")
        for name in ["", *names]:
            headers, body = self.answer(self.page + name)
            # A server that follows `_headers`.
            expected, same = self.answer(self.site.address + name)
            self.assertEqual(body, same, name)
            for header, value in expected.items():
                if header not in ("Server", "Date", "Last-Modified"):
                    self.assertEqual(headers[header].removesuffix("; charset=utf-8"), value, name)

    def test_page_and_its_relay_at_one_address_play_a_match(self):
        self.site.address = self.page
        host, link, end = self.passive_host("--hands=1", "--time=none")
        self.assertTrue(link.startswith(self.page), link)
        guest = self.guest_of(link)
        self.all_check_to_the_end(guest)
        self.assert_played(end, 1)
        self.assert_agree(host, self.saved_record(guest))
