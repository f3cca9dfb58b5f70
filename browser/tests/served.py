"""The built page on a server of static files, and a relay."""

import functools
import http.server
import os
import socket
import subprocess
import threading
import time

from programs import free_address

PAGE = os.environ.get("DEALERLESS_PAGE", "")
TWIST = os.environ.get("DEALERLESS_TWIST", "twist")


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
    """The public relay server, for TCP and WebSocket."""

    def __init__(self, test):
        self.tcp, websocket = free_address(), free_address()
        self.url = f"ws://{websocket}/"
        ports = [f"--port=tcp:{self.tcp.split(':')[1]}:interface=127.0.0.1", f"--websocket=tcp:{websocket.split(':')[1]}:interface=127.0.0.1"]
        self.process = subprocess.Popen(
            [TWIST, "--log-level=error", "transitrelay", *ports], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        test.addCleanup(self.end)
        for address in [self.tcp, websocket]:
            self.wait_for(address)

    def wait_for(self, address):
        host, port = address.split(":")
        for _ in range(100):
            try:
                socket.create_connection((host, int(port)), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"no relay at {address}")

    def end(self):
        self.process.kill()
        self.process.wait()
