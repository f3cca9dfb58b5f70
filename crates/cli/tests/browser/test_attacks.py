"""Attacks by other pages, host names and tabs, and by a peer whose name is markup. All fail."""

import http.server
import threading

from selenium.common.exceptions import NoAlertPresentException

from case import Case

DECK = "A deck without rules, and dice"
MARKUP = "<img src=x onerror=alert(1)>"

# A page of another origin that tries to reach ours. It knows the port.
OTHER_PAGE = """<!doctype html><title>other</title><body><script>
const read = async (path, init) => {
  try {
    const answer = await fetch(TARGET + path, { credentials: "include", ...init });
    return [answer.type, answer.status, await answer.text()];
  } catch {
    return "refused";
  }
};
const loaded = (name, props) => new Promise((done) => {
  const element = Object.assign(document.createElement(name), props);
  element.onload = () => done("loaded");
  element.onerror = () => done("refused");
  document.body.append(element);
});
const stolen = [];
const parsed = JSON.parse;
JSON.parse = (text) => { stolen.push(text); return parsed(text); };
const attack = async () => ({
  state: await read("/state"),
  stateWithKey: await read("/state", { headers: { "Dealerless-Key": "0".repeat(32) } }),
  blind: await read("/state", { mode: "no-cors" }),
  command: await read("/command", { method: "POST", body: '{"do":"pass"}' }),
  blindCommand: await read("/command", { method: "POST", mode: "no-cors", body: '{"do":"pass"}' }),
  blindEnd: await read("/end", { method: "POST", mode: "no-cors" }),
  blindSession: await read("/session", { method: "POST", mode: "no-cors", body: TOKEN }),
  blindHost: await read("/host", { method: "POST", mode: "no-cors", body: '{"game":"deck"}' }),
  play: await loaded("script", { src: TARGET + "/play" }),
  playTaken: await loaded("script", { src: TARGET + "/play?take" }),
  ownScript: await loaded("script", { src: TARGET + "/main.js", type: "module" }),
  picture: await loaded("img", { src: TARGET + "/icon.svg" }),
  stolen: stolen.length,
});
</script><iframe src="TARGET/"></iframe>
<form method="post" enctype="text/plain" action="TARGET/command"><input name='{"do":"pass","x":"' value='"}'></form>
"""


class OtherServer:
    """Serves a page of another origin, at another port of this machine."""

    def __init__(self, test, target, token):
        text = OTHER_PAGE.replace('src="TARGET', f'src="{target}').replace('action="TARGET', f'action="{target}')
        text = text.replace("TARGET", f'"{target}"').replace("TOKEN", f'"{token}"')
        cookies = self.cookies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                cookies.append(self.headers.get("Cookie"))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]


class Attacks(Case):
    def seated(self, name="Bert"):
        """Anna at a table at her turn, and a guest that is a script."""
        anna = self.lobby("Anna")
        invite = self.host(anna, DECK, Cards_that_can_be_opened="4")
        guest = self.guest(invite, name)
        anna.find("button", "Roll")
        anna.until(lambda: anna.has_button("Roll"), "Anna's turn")
        return anna, guest

    def still_plays(self, anna, guest):
        """Asserts that Anna still has her turn, and that her command works."""
        anna.press("Roll")
        guest.until("rolled", seat=0)
        anna.reads(r"You roll 2d6: \d+")

    def test_page_of_another_origin_reads_and_changes_nothing(self):
        anna, guest = self.seated()
        page = anna.page
        other = OtherServer(self, page.origin, page.token)
        table = anna.driver.current_window_handle
        for host in ("127.0.0.1", "localhost"):
            with self.subTest(host=host):
                anna.driver.switch_to.new_window("tab")
                anna.open(f"http://{host}:{other.port}/")
                tried = anna.driver.execute_async_script("attack().then(arguments[0])")
                for name in ("state", "stateWithKey", "command", "play", "playTaken", "ownScript"):
                    self.assertEqual(tried.pop(name), "refused", name)
                # Other pages cannot show our pictures either.
                self.assertEqual(tried.pop("picture"), "refused")
                self.assertEqual(tried.pop("stolen"), 0)
                # These requests may be sent without a readable response; the server refuses them.
                for name, got in tried.items():
                    self.assertIn(got, ("refused", ["opaque", 0, ""]), name)
                anna.driver.switch_to.frame(0)
                self.assertTrue(anna.run("return location.href").startswith("chrome-error:"))
                anna.driver.switch_to.default_content()

                # A form navigates to the error page of the refused request.
                anna.run("document.forms[0].submit()")
                anna.reads("this request was sent by another page")

                # The other page cannot control a window with our page.
                anna.open(f"http://{host}:{other.port}/")
                before = set(anna.driver.window_handles)
                anna.run(f"window.opened = window.open('{page.origin}/')")
                anna.until(lambda: anna.run("return window.opened.closed"), "a window that cannot be reached")
                (window,) = set(anna.driver.window_handles) - before
                anna.driver.switch_to.window(window)
                self.assertIsNone(anna.run("return window.opener"))
                # That window does not accept keys meant for the other page either.
                anna.reads("another page has opened this one")
                anna.driver.close()
                anna.driver.switch_to.window(anna.driver.window_handles[-1])
                anna.driver.close()
                anna.driver.switch_to.window(table)
        self.assertEqual(anna.as_page("GET", "/state")[1]["program"]["running"], True)
        self.provoked = [f"(localhost|127.0.0.1):{other.port}", "403", "ERR_BLOCKED_BY_RESPONSE", "ERR_FAILED", "frame-ancestors"]
        self.still_plays(anna, guest)

    def test_other_host_names_for_this_address_are_refused(self):
        anna, guest = self.seated()
        port = anna.page.origin.rsplit(":", 1)[1]
        other = self.browser("--host-resolver-rules=MAP evil.example 127.0.0.1")
        for host in ("evil.example", "localhost"):
            for path in ("/", "/state", "/main.js", f"/#{anna.page.token}"):
                other.open(f"http://{host}:{port}{path}")
                other.reads("this page is only served at its own address")
        # The connection is not encrypted, so browsers ignore one of the security headers.
        self.provoked = ["403", "Cross-Origin-Opener-Policy header has been ignored"]
        self.still_plays(anna, guest)

    def test_address_without_token_or_with_a_used_token_is_refused(self):
        anna, guest = self.seated()
        page = anna.page
        self.assertEqual(anna.driver.current_url, page.origin + "/")
        thief = self.browser()
        thief.open(page.origin + "/")
        thief.reads("This page cannot be used.*Open the address that the program printed")
        thief.picture("no-seat")
        thief.open("about:blank")
        thief.open(page.address)
        thief.reads("This page cannot be used.*already been used")
        for path in ("/state", "/play", "/identity", "/peers", "/matches", "/history", "/show?match=0"):
            self.assertEqual(thief.as_page("GET", path)[0], 403, path)
        for path in ("/command", "/end", "/host", "/join", "/resume", "/verify?lengths=1", "/qr"):
            self.assertEqual(thief.as_page("POST", path, "{}")[0], 403, path)
        # The key without the cookie is refused too.
        key = anna.run("return localStorage.getItem('dealerless-key')")
        self.assertEqual(thief.as_page("GET", "/state", headers={"Dealerless-Key": key})[0], 403)
        # Scripts can read the stored settings, but not the secret cookie, whose name has the port.
        self.assertNotRegex(anna.run("return document.cookie"), r"dealerless-\d")
        self.provoked = ["40[39]", "410"]
        # The browser that was accepted may open the address again.
        anna.open("about:blank")
        anna.open(page.address)
        self.still_plays(anna, guest)

    def test_second_tab_watches_until_it_takes_the_seat(self):
        anna, guest = self.seated()
        self.provoked = ["409"]
        page, driver = anna.page, anna.driver
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        second = driver.current_window_handle
        anna.open(page.origin + "/")
        anna.reads("Another page is playing")
        self.assertFalse(anna.has_button("Roll"))
        driver.switch_to.window(first)
        self.still_plays(anna, guest)
        driver.switch_to.window(second)
        anna.reads(r"You roll 2d6: \d+")
        guest.until("your-turn")
        guest.say("roll", dice="1d8")
        anna.reads("1d8")
        self.assertFalse(anna.has_button("Roll"))
        anna.picture("another-page-plays")

        anna.press("Play here")
        anna.press("Roll")
        self.assertEqual(guest.until("rolled", seat=0)["dice"], "2d6")
        guest.until("your-turn")
        driver.switch_to.window(first)
        anna.reads("Another page is playing")
        self.assertFalse(anna.has_button("Roll"))
        status, response = anna.as_page("POST", "/command", '{"do":"pass"}', {"Dealerless-Page": "1"})
        self.assertEqual((status, response["error"]["message"]), (409, "this page is not playing"))

        # Closing a tab frees its seat.
        driver.switch_to.window(second)
        driver.close()
        driver.switch_to.window(first)
        played = lambda: anna.as_page("GET", "/state")[1]["program"]["played"]
        anna.until(lambda: not played(), "a free seat")
        guest.say("roll", dice="1d4")
        anna.press("Play here")
        self.still_plays(anna, guest)

        # A reloaded page keeps its seat.
        guest.until("your-turn")
        guest.say("roll", dice="1d4")
        driver.refresh()
        anna.reads("You roll 2d6")
        self.still_plays(anna, guest)

    def test_ten_megabyte_messages_are_refused(self):
        anna, guest = self.seated()
        for path in ("/command", "/session", "/host", "/qr"):
            script = """
            const [path, done] = arguments;
            const key = { "Dealerless-Key": localStorage.getItem("dealerless-key"), "Dealerless-Page": "1" };
            const body = JSON.stringify({ do: "x".repeat(10_000_000) });
            fetch(path, { method: "POST", body, headers: key })
              .then((answer) => done(answer.status), () => done(0));
            """
            # The response may come while the browser is still sending, which counts as an error.
            status = anna.driver.execute_async_script(script, path)
            self.assertIn(status, (413, 0), path)
        for body in ('{"do":"pass"}\n{"do":"pass"}', '{"do":"pass"}\r'):
            status, _ = anna.as_page("POST", "/command", body, {"Dealerless-Page": "1"})
            self.assertEqual(status, 400)
        for body in ("", "{", "null", '{"do":"pass","to":1}', '{"do":"<b>"}'):
            status, _ = anna.as_page("POST", "/command", body, {"Dealerless-Page": "1"})
            self.assertEqual(status, 204, body)
        self.provoked = ["413", "400", "ERR_CONNECTION_(RESET|ABORTED)", "ERR_EMPTY_RESPONSE"]
        self.still_plays(anna, guest)

    def test_name_of_markup_is_shown_as_text(self):
        anna, guest = self.seated(MARKUP)
        self.is_text(anna)
        anna.press("Roll")
        guest.until("rolled")
        guest.until("your-turn")
        guest.say("propose", cards=[{"position": 0, "to": 1}])
        anna.press("Agree")
        self.is_text(anna)
        guest.until("your-turn")
        guest.say("leave")
        anna.reads("left the match")
        self.is_text(anna)
        for page in ("Lobby", "Hands.*", "Verify"):
            anna.press(page)
            if page == "Verify":
                anna.driver.find_element("id", "records").send_keys(anna.page.folder.record())
            self.is_text(anna)

    def is_text(self, browser):
        browser.until(lambda: MARKUP in browser.text(), "the name as text")
        self.assertEqual(browser.run("return document.querySelectorAll('img').length"), 0)
        with self.assertRaises(NoAlertPresentException):
            browser.driver.switch_to.alert.accept()
