"""A relay that does with the messages of a page what a test wants: it stands before a real relay."""

import socket
import threading


class Cut(Exception):
    """The end of a connection."""


def receive(source, length):
    """Exactly so many bytes."""
    data = b""
    while len(data) < length:
        part = source.recv(length - len(data))
        if not part:
            raise Cut
        data += part
    return data


def receive_frame(source):
    """A frame of a WebSocket, as it was sent, and the length of its head. Nothing else is read from it."""
    frame = receive(source, 2)
    length = frame[1] & 0x7F
    if length > 125:
        more = receive(source, 2 if length == 126 else 8)
        frame, length = frame + more, int.from_bytes(more, "big")
    if frame[1] & 0x80:
        frame += receive(source, 4)
    return frame + receive(source, length), len(frame)


def receive_head(source):
    """The HTTP head, after which frames are sent."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += receive(source, 1)
    return head


class Message:
    """A binary message on its way."""

    def __init__(self, number, to_page, frame, head):
        self.number = number
        self.to_page = to_page
        self.frame = frame
        self.head = head

    def flipped(self, at):
        """The message with another byte at a place of its contents, from the end if it is negative."""
        at = self.head + at if at >= 0 else len(self.frame) + at
        frame = bytearray(self.frame)
        frame[max(at, self.head)] ^= 0x20
        return bytes(frame)


class Between:
    """A server before a relay. `act` is asked about each message, whose numbers begin at 0 after each `begin`.
    It returns the frames to send in its place, or raises `Cut`. It may keep frames for later."""

    def __init__(self, test, relay):
        host, port = relay.url.removeprefix("ws://").rstrip("/").split(":")
        self.to = (host, int(port))
        self.lock = threading.Lock()
        self.begin()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self.server.getsockname()[1]}/"
        test.addCleanup(self.server.close)
        threading.Thread(target=self.accept, daemon=True).start()

    def begin(self, act=None):
        """Begins to count anew. Without `act`, the relay is honest."""
        with self.lock:
            self.act = act or (lambda message: [message.frame])
            self.count = 0

    def accept(self):
        while True:
            try:
                page, _ = self.server.accept()
            except OSError:
                return  # The test has ended.
            try:
                relay = socket.create_connection(self.to)
            except OSError:
                page.close()
                continue
            threading.Thread(target=self.join, args=(page, relay), daemon=True).start()

    def join(self, page, relay):
        with page, relay:
            back = threading.Thread(target=self.carry, args=(relay, page, True), daemon=True)
            back.start()
            self.carry(page, relay, False)
            back.join()

    def carry(self, source, target, to_page):
        try:
            target.sendall(receive_head(source))
            while True:
                frame, head = receive_frame(source)
                if frame[0] & 0x0F != 2:  # Not a binary message.
                    target.sendall(frame)
                    continue
                with self.lock:
                    message = Message(self.count, to_page, frame, head)
                    self.count += 1
                    frames = self.act(message)
                for frame in frames:
                    target.sendall(frame)
        except (Cut, OSError):
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
