"""A relay that lies: it pairs two connections with one token and different sides, and forwards their bytes, except for
one lie.

    relay.py PORT LIE


    flip      changes a bit in each direction after some time
    drop      leaves bytes out
    replay    forwards the same bytes twice
    swap      connects a guest to the host of another token, if one waits
    echo      answers each player itself, as if it were paired, with the player's own bytes
    mute      accepts connections and is silent
"""

import asyncio
import sys

# The bytes that pass a relay with a lie before it lies: the meeting and the start of a match.
HONEST = 30_000


class Relay:
    def __init__(self, lie):
        self.lie = lie
        self.waiting = {}

    def partner(self, token, side):
        """A waiting connection, and its removal from the list."""
        tokens = [token]
        if self.lie == "swap":
            tokens = [other for other in self.waiting if other != token] + tokens
        for other in tokens:
            found = self.waiting.get(other, [])
            for entry in found:
                if entry[0] != side:
                    found.remove(entry)
                    return entry
        return None

    async def serve(self, reader, writer):
        try:
            line = await reader.readuntil(b"\n")
            words = line.decode().split()
            is_request = len(words) == 6 and words[:2] == ["please", "relay"] and words[3:5] == ["for", "side"]
            if self.lie == "mute":
                await reader.read()
            elif not is_request:
                writer.write(b"bad handshake\n")
            elif self.lie == "echo":
                writer.write(b"ok\n")
                await self.carry(reader, writer)
            else:
                await self.pair(words[2], words[5], reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def pair(self, token, side, reader, writer):
        partner = self.partner(token, side)
        if partner is None:
            done = asyncio.get_running_loop().create_future()
            entry = (side, reader, writer, done)
            # A side that connects again replaces its older connection.
            older = [other for other in self.waiting.get(token, []) if other[0] == side]
            for other in older:
                self.waiting[token].remove(other)
                other[3].set_result(None)
            self.waiting.setdefault(token, []).append(entry)
            return await done
        _, other_reader, other_writer, done = partner
        for end in (writer, other_writer):
            end.write(b"ok\n")
        try:
            await asyncio.gather(self.carry(reader, other_writer), self.carry(other_reader, writer))
        finally:
            done.set_result(None)

    async def carry(self, reader, writer):
        passed, has_lied = 0, False
        try:
            while data := await reader.read(4096):
                is_late = passed + len(data) > HONEST
                passed += len(data)
                if is_late and not has_lied and self.lie in ("flip", "drop", "replay"):
                    has_lied = True
                    if self.lie == "flip":
                        data = data[:-1] + bytes([data[-1] ^ 1])
                    elif self.lie == "drop":
                        data = data[:-1]
                    else:
                        data += data
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


async def main(port, lie):
    relay = Relay(lie)
    # On all addresses of both families.
    server = await asyncio.start_server(relay.serve, None, int(port))
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
