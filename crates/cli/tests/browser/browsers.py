"""A real browser, used as a person uses it: elements are found by their accessible names."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    SessionNotCreatedException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

from programs import DEADLINE

# Errors that occur while the page changes. `until` then tries again.
PASSING = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    StaleElementReferenceException,
)

# Finds visible elements by selector and accessible name, inside the modal dialog if one is open.
FIND = """
const [selector, pattern] = arguments;
const wanted = new RegExp(`^(?:${pattern})$`, "u");
const words = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
// The accessible text of an element.
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

# Chooses an option of a `select`, and sends the events that the driver would not send.
CHOOSE = """
const [select, text] = arguments;
const option = [...select.options].find((one) => one.text === text);
if (!option) return false;
option.selected = true;
for (const kind of ["input", "change"]) select.dispatchEvent(new Event(kind, { bubbles: true }));
return true;
"""

# Whether an element has stopped moving, and the page has been visible long enough for a deliberate
# key press or click.
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


def is_pressable(button):
    return button.is_enabled() and button.get_attribute("aria-disabled") != "true"


def started(options):
    """Starts a browser. Tries twice, because a busy machine may be too slow the first time."""
    driver = executable("DEALERLESS_CHROMEDRIVER", "chromedriver")
    try:
        return webdriver.Chrome(options=options, service=Service(driver))
    except SessionNotCreatedException:
        return webdriver.Chrome(options=options, service=Service(driver))


class Browser:
    """A browser with its own profile, or with the profile of a browser that has ended."""

    def __init__(self, test, *arguments, size=(1280, 900), profile=None):
        self.test = test
        if profile is None:
            profile = tempfile.mkdtemp(prefix="dealerless-browser-")
            test.addCleanup(shutil.rmtree, profile, ignore_errors=True)
        self.profile = profile
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
            # Chromium needs this to run as root.
            options.add_argument("--no-sandbox")
        self.driver = started(options)
        test.addCleanup(self.driver.quit)
        self.driver.set_page_load_timeout(DEADLINE)
        self.driver.set_script_timeout(DEADLINE)
        self.log = []

    def open(self, address):
        self.driver.get(address)

    def process(self):
        lock = os.readlink(os.path.join(self.profile, "SingletonLock"))
        return int(lock.rsplit("-", 1)[1])

    def kill(self):
        """Kills the browser. Its profile can be used again."""
        os.kill(self.process(), signal.SIGKILL)

    def sleep(self):
        """Stops all processes of the browser, as a phone does that sleeps. Until it wakes, no other function works."""
        self.signal(signal.SIGSTOP)

    def wake(self):
        self.signal(signal.SIGCONT)

    def signal(self, number):
        listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.splitlines())}
        of_this = {self.process()}
        while found := {pid for pid, parent in parents.items() if parent in of_this} - of_this:
            of_this |= found
        for pid in of_this:
            os.kill(pid, number)

    def crash_tab(self):
        """Ends the process of the current tab, and goes on in a new tab."""
        tab = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        other = self.driver.current_window_handle
        self.driver.switch_to.window(tab)
        try:
            self.driver.execute_cdp_cmd("Page.crash", {})
        except WebDriverException:
            pass  # The tab has crashed.
        self.driver.switch_to.window(other)

    def run(self, script, *arguments):
        """Runs a script in the page and returns its result."""
        return self.driver.execute_script(script, *arguments)

    def before_each_page(self, script):
        """Adds a script that runs before the page's own scripts."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def text(self):
        """The visible text of the page."""
        return self.run("return document.body?.innerText ?? ''")

    def until(self, condition, what, seconds=DEADLINE):
        """Waits until a condition is true, and returns its value."""
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
        """Waits until the page shows text that matches a regular expression."""
        wanted = re.compile(pattern, re.DOTALL)
        return self.until(lambda: wanted.search(self.text()), f"the text {pattern!r}", seconds)

    def all(self, selector, pattern):
        return self.run(FIND, selector, pattern)

    def find(self, selector, pattern, seconds=DEADLINE):
        """Waits for the first visible element with this selector and name."""
        what = f"{selector} called {pattern!r}"
        return self.until(lambda: self.all(selector, pattern), what, seconds)[0]

    def name(self, selector, pattern):
        """The full name of the element whose name matches a pattern."""
        return self.until(
            lambda: self.find(selector, pattern).accessible_name, f"the name of {pattern!r}"
        )

    def has_button(self, pattern):
        """Whether a matching button exists and is enabled."""
        return any(is_pressable(button) for button in self.all(BUTTONS, pattern))

    def press(self, pattern, seconds=DEADLINE):
        """Presses a button as soon as it is enabled."""

        def pressed():
            for button in self.all(BUTTONS, pattern):
                if is_pressable(button) and self.driver.execute_async_script(RESTS, button):
                    button.click()
                    return True
            return False

        self.until(pressed, f"a button called {pattern!r} that can be pressed", seconds)

    def tap(self, pattern):
        """Touches a button as soon as it is enabled."""

        def touched():
            for button in self.all(BUTTONS, pattern):
                if is_pressable(button) and self.driver.execute_async_script(RESTS, button):
                    box = self.run("return arguments[0].getBoundingClientRect().toJSON()", button)
                    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
                    for kind, points in (("touchStart", [point]), ("touchEnd", [])):
                        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
                    return True
            return False

        self.until(touched, f"a button called {pattern!r} that can be touched")

    def fill(self, label, text):
        """Fills in a field, or chooses from a list."""

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
        """Unfolds a `details` element by clicking its title."""
        self.find("summary", title).click()

    def key(self, key):
        """Presses a key at the current focus."""
        webdriver.ActionChains(self.driver).send_keys(key).perform()

    def console(self):
        """All console messages so far."""
        self.log += self.driver.get_log("browser")
        return self.log

    def resize(self, width, height, scale=1):
        """Emulates a screen size, with `scale` device pixels for each CSS pixel."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False},
        )

    def phone(self, width, height):
        """Emulates a phone with a touch screen."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True},
        )
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def colours(self, scheme):
        """Emulates a system setting: light or dark, with reduced motion."""
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
        """Saves a screenshot, if DEALERLESS_PICTURES names a folder."""
        folder = os.environ.get("DEALERLESS_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.driver.save_screenshot(os.path.join(folder, name + ".png"))

    def as_page(self, method, path, body="", headers=None):
        """Sends a request as the page's own script would. Returns the status and the response."""
        script = """
        const [method, path, body, headers, done] = arguments;
        const key = { "Dealerless-Key": localStorage.getItem("dealerless-key") ?? "" };
        fetch(path, { method, body: method === "GET" ? undefined : body, headers: { ...key, ...headers } })
          .then(async (answer) => done([answer.status, await answer.text()]), (error) => done([0, String(error)]));
        """
        status, text = self.driver.execute_async_script(script, method, path, body, headers or {})
        return status, json.loads(text) if text.startswith("{") else text
