"""A real browser, and what a person does with a page: find things by what they are called."""

import json
import os
import re
import shutil
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    SessionNotCreatedException,
    StaleElementReferenceException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

from programs import DEADLINE

PASSING = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    StaleElementReferenceException,
)

# The elements that a person sees, in a modal dialog if there is one, by role and name.
FIND = """
const [selector, pattern] = arguments;
const wanted = new RegExp(`^(?:${pattern})$`, "u");
const words = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
// What is said of an element: its texts, but those that are there for the eye alone.
const texts = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.ariaHidden === "true") return "";
  return [...node.childNodes].map(texts).join(" ");
};
const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "").split(" ")
  .map((id) => document.getElementById(id)?.textContent).join(" ");
const name = (element) => words(element.getAttribute("aria-label")) || words(labelled(element))
  || words([...(element.labels ?? [])].map(texts).join(" ")) || words(texts(element));
const within = [...document.querySelectorAll("dialog")].filter((one) => one.open).at(-1) ?? document;
return [...within.querySelectorAll(selector)].filter((one) => wanted.test(name(one))
  && one.checkVisibility({ visibilityProperty: true }));
"""

# What happens to a list in which a person chooses. (The driver tells the page of no input.)
CHOOSE = """
const [select, text] = arguments;
const option = [...select.options].find((one) => one.text === text);
if (!option) return false;
option.selected = true;
for (const kind of ["input", "change"]) select.dispatchEvent(new Event(kind, { bubbles: true }));
return true;
"""

# Whether an element stays where it is: what comes meanwhile may push it elsewhere. And whether the page has been
# seen for as long as a person needs at least before a press is meant.
RESTS = """
const [element, done] = arguments;
const seen = performance.getEntriesByType("visibility-state").at(-1)?.startTime ?? 0;
if (performance.now() - seen < 600) return done(false);
element.scrollIntoView({ block: "center", behavior: "instant" });
const place = () => JSON.stringify(element.getBoundingClientRect());
const before = place();
requestAnimationFrame(() => requestAnimationFrame(() => done(place() === before)));
"""

BUTTONS = "button, [role=button]"
FIELDS = "input, select, textarea"


def executable(variable, name):
    return os.environ.get(variable) or shutil.which(name)


def can_be_pressed(button):
    return button.is_enabled() and button.get_attribute("aria-disabled") != "true"


def started(options):
    """A browser that has started, the second time if the first fails: a busy machine may be too slow for it."""
    driver = executable("DEALERLESS_CHROMEDRIVER", "chromedriver")
    try:
        return webdriver.Chrome(options=options, service=Service(driver))
    except SessionNotCreatedException:
        return webdriver.Chrome(options=options, service=Service(driver))


class Browser:
    """One browser, with a profile of its own."""

    def __init__(self, test, *arguments, size=(1280, 900)):
        self.test = test
        profile = tempfile.mkdtemp(prefix="dealerless-browser-")
        test.addCleanup(shutil.rmtree, profile, ignore_errors=True)
        options = Options()
        options.binary_location = executable("DEALERLESS_CHROMIUM", "chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in (
            "--headless=new",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--no-first-run",
            "--mute-audio",
            f"--user-data-dir={profile}",
            "--window-size={},{}".format(*size),
            *arguments,
        ):
            options.add_argument(argument)
        if os.getuid() == 0:
            # Chromium does not run as root otherwise.
            options.add_argument("--no-sandbox")
        self.driver = started(options)
        test.addCleanup(self.driver.quit)
        self.driver.set_page_load_timeout(DEADLINE)
        self.driver.set_script_timeout(DEADLINE)
        self.log = []

    def open(self, address):
        self.driver.get(address)

    def run(self, script, *arguments):
        """Runs a script in the page. Gives what it returns."""
        return self.driver.execute_script(script, *arguments)

    def before_each_page(self, script):
        """A script that runs before any of the page's own."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def text(self):
        """What the page shows."""
        return self.run("return document.body?.innerText ?? ''")

    def until(self, condition, what, seconds=DEADLINE):
        """Waits until something is so; gives what it found."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = condition()
            except PASSING:
                found = None
            if found:
                return found
            if time.monotonic() > end:
                self.test.fail(f"{what}: not within {seconds} s. The page shows:\n{self.text()}")
            time.sleep(0.02)

    def reads(self, pattern, seconds=DEADLINE):
        """Waits until the page shows this text: a regular expression."""
        wanted = re.compile(pattern, re.DOTALL)
        return self.until(lambda: wanted.search(self.text()), f"the text {pattern!r}", seconds)

    def all(self, selector, pattern):
        return self.run(FIND, selector, pattern)

    def find(self, selector, pattern, seconds=DEADLINE):
        """The first visible element of this kind and name."""
        what = f"{selector} called {pattern!r}"
        return self.until(lambda: self.all(selector, pattern), what, seconds)[0]

    def name(self, selector, pattern):
        """The name of an element of this kind, of whose name a part is known."""
        return self.until(
            lambda: self.find(selector, pattern).accessible_name, f"the name of {pattern!r}"
        )

    def has_button(self, pattern):
        """Whether there is such a button, and it can be pressed."""
        return any(can_be_pressed(button) for button in self.all(BUTTONS, pattern))

    def press(self, pattern, seconds=DEADLINE):
        """Presses a button as soon as it can be pressed."""

        def pressed():
            for button in self.all(BUTTONS, pattern):
                if can_be_pressed(button) and self.driver.execute_async_script(RESTS, button):
                    button.click()
                    return True
            return False

        self.until(pressed, f"a button called {pattern!r} that can be pressed", seconds)

    def fill(self, label, text):
        """Writes into a field, or chooses in a list."""

        def filled():
            found = self.all(FIELDS, label)
            if not found:
                return False
            if found[0].tag_name == "select":
                return self.run(CHOOSE, found[0], text)
            found[0].send_keys(Keys.CONTROL, "a")
            found[0].send_keys(Keys.DELETE)
            found[0].send_keys(text)
            return found[0].get_property("value") == text

        self.until(filled, f"a field called {label!r}")

    def unfold(self, title):
        """Opens what a click on its title opens."""
        self.find("summary", title).click()

    def key(self, key):
        """Presses a key, wherever the focus is."""
        webdriver.ActionChains(self.driver).send_keys(key).perform()

    def console(self):
        """All that the console has said so far."""
        self.log += self.driver.get_log("browser")
        return self.log

    def resize(self, width, height, scale=1):
        """A screen of another size, with `scale` device pixels for each pixel of the page."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False},
        )

    def colours(self, scheme):
        """What the system of the browser is set to: light or dark, and nothing moves."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                ]
            },
        )

    def picture(self, name):
        """Saves what is seen, all of the page, where pictures are wanted."""
        folder = os.environ.get("DEALERLESS_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.driver.save_screenshot(os.path.join(folder, name + ".png"))

    def as_page(self, method, path, body="", headers=None):
        """A request as the page's own script would send it. Gives the status and the answer."""
        script = """
        const [method, path, body, headers, done] = arguments;
        const key = { "Dealerless-Key": localStorage.getItem("dealerless-key") ?? "" };
        fetch(path, { method, body: method === "GET" ? undefined : body, headers: { ...key, ...headers } })
          .then(async (answer) => done([answer.status, await answer.text()]), (error) => done([0, String(error)]));
        """
        status, said = self.driver.execute_async_script(script, method, path, body, headers or {})
        return status, json.loads(said) if said.startswith("{") else said
