"""The built page on a server of static files, and a relay."""

import functools
import http.server
import json
import os
import subprocess
import threading

from programs import PROGRAM

PAGE = os.environ.get("DEALERLESS_PAGE", "")


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves files with the headers that the file `_headers` names."""

    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    def end_headers(self):
        applies, headers = False, {}
        with open(os.path.join(self.directory, "_headers"), encoding="utf-8") as file:
            for line in file:
                if not line.startswith(" "):
                    applies = self.path.startswith(line.strip().removesuffix("*"))
                elif applies:
                    name, value = line.strip().split(": ", 1)
                    headers[name] = value
        for name, value in headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_):
        pass


class Site:
    """A server of the files in a folder, until the end of the test."""

    def __init__(self, test, folder=PAGE):
        self.serve(folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: self.handler(*args))
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        test.addCleanup(self.end)

    def serve(self, folder):
        """Serves another folder from now on."""
        self.handler = functools.partial(Files, directory=folder)

    def end(self):
        self.server.shutdown()
        self.server.server_close()


class Relay:
    """`dealerless relay`, for TCP and WebSocket at one address, until the end of the test."""

    def __init__(self, test, *args):
        self.process = subprocess.Popen(
            [PROGRAM, "relay", "--listen=127.0.0.1:0", "--json", *args], stdout=subprocess.PIPE, text=True
        )
        test.addCleanup(self.end)
        self.tcp = json.loads(self.process.stdout.readline())["addresses"][0]
        self.url = f"ws://{self.tcp}/"

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
