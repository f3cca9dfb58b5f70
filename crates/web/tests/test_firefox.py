"""The tests of a match in Firefox: `crates/web/tests/run test_firefox`. Firefox and geckodriver are found in the path, or by
DEALERLESS_FIREFOX and DEALERLESS_GECKODRIVER. Without them, the tests are skipped."""

import os
import shutil
import signal
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.firefox.options import Options
from selenium.webdriver.firefox.service import Service

import test_match
from browsers import Browser, executable
from guests import KEEP_SAVED
from programs import DEADLINE

FIREFOX = executable("DEALERLESS_FIREFOX", "firefox") or shutil.which("firefox-esr")
DRIVER = executable("DEALERLESS_GECKODRIVER", "geckodriver")


class Firefox(Browser):
    """Firefox, whose driver has neither scripts before each page nor the messages of the console."""

    def __init__(self, test, profile=None):
        self.test = test
        if profile is None:
            profile = tempfile.mkdtemp(prefix="dealerless-firefox-")
            test.addCleanup(shutil.rmtree, profile, ignore_errors=True)
        self.profile = profile
        options = Options()
        options.binary_location = FIREFOX
        for argument in ("-headless", "-profile", profile):
            options.add_argument(argument)
        self.driver = webdriver.Firefox(options=options, service=Service(DRIVER, log_output=os.devnull))
        test.addCleanup(self.driver.quit)
        self.driver.set_page_load_timeout(DEADLINE)
        self.driver.set_script_timeout(DEADLINE)

    def before_each_page(self, script):
        pass

    def console(self):
        return []

    def kill(self):
        os.kill(self.driver.capabilities["moz:processID"], signal.SIGKILL)


@unittest.skipUnless(FIREFOX and DRIVER, "Firefox and geckodriver are not installed")
class FirefoxMatch(test_match.Match):
    # Tests of Chromium's own interface.
    test_killed_tab_continues_with_the_same_cards = None

    def browser(self, **options):
        browser = Firefox(self, **options)
        self.browsers.append(browser)
        return browser

    def saved_record(self, browser):
        browser.run(KEEP_SAVED)
        return super().saved_record(browser)
