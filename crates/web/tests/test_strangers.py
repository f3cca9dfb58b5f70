"""Attacks on the page of a guest by a page of another origin, and by a second person with the same link."""

import http.server
import json
import os
import threading

from guests import Guests
from served import PAGE

VERSION = next((name for name in os.listdir(PAGE) if name.startswith("v-")), "") if PAGE else ""
# A page of another origin, on the same machine. It knows the address of ours.
OTHER_PAGE = """<!doctype html><title>other</title><body><script>
const version = TARGET + VERSION + "/";
const outcome = async (attack) => {
  try {
    return await attack();
  } catch {
    return "refused";
  }
};
const loads = (name, props) => new Promise((done) => {
  const element = Object.assign(document.createElement(name), props);
  element.onload = () => done("loaded");
  element.onerror = () => done("refused");
  document.body.append(element);
});
const reads = (url, init) => outcome(async () => (await fetch(url, init)).text());
const starts = (script, options) => outcome(() => new Promise((done) => {
  const worker = new Worker(script, options);
  worker.onerror = () => done("refused");
  worker.onmessage = ({ data }) => done(data);
  worker.postMessage({ kind: "request", id: 1, isPost: false, path: "/identity", body: new Uint8Array() });
}));
let framed = null;
const attack = async () => ({
  page: await reads(TARGET),
  program: await reads(version + "worker.js"),
  blind: await reads(TARGET, { mode: "no-cors" }),
  module: await loads("script", { type: "module", src: version + "seat.js" }),
  script: await loads("script", { src: version + "words.js" }),
  picture: await loads("img", { src: version + "icon.svg" }),
  imported: await outcome(async () => Object.keys(await import(version + "link.js"))),
  worker: await starts(version + "worker.js", { type: "module" }),
  blobWorker: await starts(URL.createObjectURL(new Blob([`import "${version}worker.js"`], { type: "text/javascript" })), { type: "module" }),
  serviceWorker: await outcome(async () => String(await navigator.serviceWorker.register(TARGET + "sw.js"))),
});
// What this origin finds where ours keeps its things.
const stored = async () => {
  const folder = await navigator.storage.getDirectory();
  const names = [];
  for await (const name of folder.keys()) names.push(name);
  return { files: names, local: Object.keys(localStorage), session: Object.keys(sessionStorage), caches: await caches.keys(),
    databases: await indexedDB.databases(), cookies: document.cookie, workers: (await navigator.serviceWorker.getRegistrations()).length };
};
// What a frame of ours shows to this page.
const frame = () => new Promise((done) => {
  framed = document.createElement("iframe");
  framed.onload = async () => done({
    document: await outcome(() => framed.contentDocument?.body.innerText ?? "refused"),
    storage: await outcome(() => framed.contentWindow.localStorage.length),
    location: await outcome(() => framed.contentWindow.location.href),
  });
  framed.src = TARGET;
  document.body.append(framed);
});
// Messages, in each way that reaches pages: to windows, channels and locks of the same name.
const post = async () => {
  const orders = ["release", "activate", { kind: "close", id: 1 }, { kind: "command", line: '{"do":"fold"}', id: 2 }];
  const channel = new BroadcastChannel("dealerless-plays");
  const opened = window.open(TARGET, "dealerless");
  await new Promise((done) => setTimeout(done, 1500));
  for (const order of orders) {
    channel.postMessage(order);
    for (const target of [opened, framed?.contentWindow]) target?.postMessage(order, "*");
  }
  navigator.locks.request("dealerless-plays", { steal: true }, () => new Promise(() => {}));
  return opened === null || opened.closed ? "severed" : await outcome(() => opened.document.title);
};
</script>
"""


class OtherOrigin:
    """Serves a page of another origin, at another port of this machine."""

    def __init__(self, test, target):
        text = OTHER_PAGE.replace("TARGET", json.dumps(target)).replace("VERSION", json.dumps(VERSION))

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
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
        self.address = f"http://127.0.0.1:{server.server_port}/"


class Strangers(Guests):
    def at_a_turn(self):
        """A guest at its turn, and its host."""
        host, link = self.host_of("--hands=1", "--time=none")
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        return guest, host, link

    def test_page_of_another_origin_reads_nothing_and_commands_nothing(self):
        guest, host, _ = self.at_a_turn()
        guest.driver.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
        # Chromium reports each refusal.
        self.provoked.append(".*")
        cards = self.own_cards(guest)
        ours = guest.driver.current_window_handle
        guest.driver.switch_to.new_window("tab")
        guest.open(OtherOrigin(self, self.site.address).address)
        call = "const done = arguments[0]; {}().then(done)"
        for name, result in guest.driver.execute_async_script(call.format("attack")).items():
            self.assertEqual(result, "refused", name)
        for name, found in guest.driver.execute_async_script(call.format("stored")).items():
            self.assertFalse(found, f"{name}: {found}")
        for name, result in guest.driver.execute_async_script(call.format("frame")).items():
            self.assertEqual(result, "refused", name)
        guest.driver.switch_to.frame(guest.find("iframe", ".*"))
        self.assertEqual(guest.run("return location.protocol"), "chrome-error:")
        guest.driver.switch_to.default_content()
        self.assertEqual(guest.driver.execute_async_script(call.format("post")), "severed")
        guest.driver.switch_to.window(ours)
        self.assertEqual(self.own_cards(guest), cards)
        guest.press("Check")
        host.until("chose", do="check")

    def test_link_opened_twice_seats_one_and_the_host_is_told(self):
        guest, host, link = self.at_a_turn()
        second = self.browser()
        second.open(link)
        second.fill("Your name", "Eve")
        second.press("Continue")
        second.find("h2", "You do not have a seat at this table")
        second.reads("The invite was used by somebody else, or by you on another device: tell the host, and ask for a new one")
        second.picture("guest-second")
        self.assertIn("A second player used the invite", host.until("notice")["text"])
        # The link is of no more use, and is not offered again.
        second.driver.refresh()
        second.find("h2", "You")
        guest.press("Check")
        host.until("chose", do="check")
