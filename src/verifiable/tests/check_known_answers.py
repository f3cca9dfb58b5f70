#!/usr/bin/env python3
"""Verifies the known answers of the verifiable deck with a second implementation, written from
docs/verifiable.md. Standard library only. Run `python3 src/verifiable/tests/check_known_answers.py`."""

import json
import os
import struct

# BLAKE3 in key-derivation mode.
IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
COLUMNS = [(i, i + 4, i + 8, i + 12) for i in range(4)]
DIAGONALS = [(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12) for i in range(4)]
CHUNK_START, CHUNK_END, PARENT, ROOT, CONTEXT, MATERIAL = 1, 2, 4, 8, 32, 64


def rotated(word, bits):
    return (word >> bits | word << 32 - bits) % 2**32


def compress(chaining, block, counter, flags):
    words = struct.unpack("<16I", block.ljust(64, b"\0"))
    state = chaining + IV[:4] + [counter, 0, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(COLUMNS + DIAGONALS):
            for word, first, second in ((words[2 * i], 16, 12), (words[2 * i + 1], 8, 7)):
                state[a] = (state[a] + state[b] + word) % 2**32
                state[d] = rotated(state[d] ^ state[a], first)
                state[c] = (state[c] + state[d]) % 2**32
                state[b] = rotated(state[b] ^ state[c], second)
        words = [words[i] for i in ORDER]
    return [a ^ b for a, b in zip(state, state[8:] + chaining)]


def blake3(key, data, flags, length):
    def last(data, counter):
        """The arguments of the last compression of a subtree, whose first chunk has this number."""
        if len(data) > 1024:
            left = 1 << ((len(data) - 1) // 1024).bit_length() - 1
            halves = last(data[: 1024 * left], counter), last(data[1024 * left :], counter + left)
            words = [word for half in halves for word in compress(*half)[:8]]
            return key, struct.pack("<16I", *words), 0, flags | PARENT
        chaining, start = key, CHUNK_START
        while len(data) > 64:
            chaining = compress(chaining, data[:64], counter, flags | start)[:8]
            data, start = data[64:], 0
        return chaining, data, counter, flags | start | CHUNK_END

    chaining, block, _, flags = last(data, 0)
    blocks = [compress(chaining, block, i, flags | ROOT) for i in range(-(-length // 64))]
    return b"".join(struct.pack("<16I", *words) for words in blocks)[:length]


# ristretto255, RFC 9496.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT_OF_MINUS_ONE = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235


def absolute(x):
    return -x % P if x % P & 1 else x % P


def sqrt_ratio(u, v):
    root = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    check = v * root * root % P
    if check in (-u % P, -u * ROOT_OF_MINUS_ONE % P):
        root = root * ROOT_OF_MINUS_ONE
    return check in (u % P, -u % P), absolute(root)


class Point:
    def __init__(self, x, y, z, t):
        self.at = x % P, y % P, z % P, t % P

    def __add__(self, other):
        (x1, y1, z1, t1), (x2, y2, z2, t2) = self.at, other.at
        a, b, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * D * t1 * t2, 2 * z1 * z2
        e, f, g, h = (b - a) % P, (d - c) % P, (d + c) % P, (b + a) % P
        return Point(e * f, g * h, f * g, e * h)

    def __sub__(self, other):
        x, y, z, t = other.at
        return self + Point(-x, y, z, -t)

    def __rmul__(self, scalar):
        total, double, scalar = ZERO, self, scalar % L
        while scalar:
            total = total + double if scalar & 1 else total
            double, scalar = double + double, scalar >> 1
        return total

    def __bytes__(self):
        x, y, z, t = self.at
        u1, u2 = (z + y) * (z - y), x * y
        inverse = sqrt_ratio(1, u1 * u2**2 % P)[1]
        first, second = inverse * u1, inverse * u2
        z_inverse = first * second * t % P
        if t * z_inverse % P & 1:
            x, y, second = y * ROOT_OF_MINUS_ONE, x * ROOT_OF_MINUS_ONE, first * sqrt_ratio(1, -1 - D)[1]
        y = -y if x * z_inverse % P & 1 else y
        return absolute(second * (z - y)).to_bytes(32, "little")

    def __eq__(self, other):
        return bytes(self) == bytes(other)


def elligator(encoded):
    t = int.from_bytes(encoded, "little") % 2**255
    r = ROOT_OF_MINUS_ONE * t * t % P
    v = (-1 - r * D) * (r + D) % P
    square, s = sqrt_ratio((r + 1) * (1 - D * D) % P, v)
    s, c = (s, -1) if square else (-absolute(s * t), r)
    n = c * (r - 1) * (D - 1) ** 2 - v
    w = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return Point(w[0] * w[3], w[2] * w[1], w[1] * w[3], w[0] * w[2])


# Encodings and hashes.
def point(encoded):
    s = int.from_bytes(encoded, "little")
    u1, u2 = 1 - s * s, 1 + s * s
    v = (-D * u1 * u1 - u2 * u2) % P
    square, inverse = sqrt_ratio(1, v * u2**2 % P)
    x, y = absolute(2 * s * inverse * u2), u1 * inverse**2 * u2 * v % P
    assert 0 < s < P and s % 2 == 0 and square and x * y % P % 2 == 0 and y != 0
    return Point(x, y, 1, x * y)


def scalar(encoded):
    number = int.from_bytes(encoded, "little")
    assert number < L
    return number


def read(part, *shape):
    """A list for each pair of the shape: so many points, scalars or strings of 32 bytes."""
    assert len(part) == 32 * sum(count for _, count in shape)
    blocks = iter([part[i : i + 32] for i in range(0, len(part), 32)])
    return [[kind(next(blocks)) for _ in range(count)] for kind, count in shape]


def H(tag, length, *fields):
    def field(value):
        if isinstance(value, list):
            return b"".join(map(bytes, value))
        return value.to_bytes(8, "little") if isinstance(value, int) else bytes(value)

    encoded = [field(value) for value in fields]
    data = b"".join(len(value).to_bytes(8, "little") + value for value in encoded)
    key = blake3(IV, f"dealerless-verifiable 2026-11 {tag} v1".encode(), CONTEXT, 32)
    return blake3(list(struct.unpack("<8I", key)), data, MATERIAL, length)


def hashed(tag, count, *fields):
    wide = H(tag, 64 * count, *fields)
    return [int.from_bytes(wide[i : i + 64], "little") % L for i in range(0, 64 * count, 64)]


def H2G(tag, *fields):
    wide = H(tag, 64, *fields)
    return elligator(wide[:32]) + elligator(wide[32:])


ZERO = Point(0, 1, 1, 0)
G = point(bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"))


def total(scalars, points):
    return sum((scalar * point for scalar, point in zip(scalars, points)), ZERO)


def lagrange(seats):
    weights = dict.fromkeys(seats, 1)
    for j, k in ((j, k) for j in seats for k in seats if j != k):
        weights[j] = weights[j] * (k + 1) * pow(k - j, -1, L) % L
    return weights


class Hand:
    """Verifies all parts of a hand."""

    def __init__(self, answers):
        self.match, self.leaver = bytes.fromhex(answers["match"]), answers["leaver"]
        self.hand, self.m, self.n = answers["hand"], answers["threshold"], len(answers["keys"])
        self.seats = range(self.n)
        self.e, self.x = ([scalar(bytes.fromhex(key)) for key in answers[name]] for name in "ex")
        self.keys = [self.refuses(64, self.read_keys, *part) for part in enumerate(answers["keys"])]
        self.E, at = [key for key, _ in self.keys], 32 * (self.m + 1)
        self.dealings = [self.refuses(at, self.dealing, *part) for part in enumerate(answers["dealings"])]
        assert self.refuses(65, self.judge, 2, answers["complaint of seat 2"]) == 2
        self.key = sum((coefficients[0] for coefficients, _ in self.dealings), ZERO)
        self.Y = [sum((self.image(i, j) for i in self.seats), ZERO) for j in self.seats]
        for j in self.seats:
            shares = [self.share(i, j, self.e[j] * self.E[i]) for i in self.seats if i != j]
            assert None not in shares and (self.x[j] - sum(shares)) * G == self.image(j, j)
            assert self.x[j] * G == self.Y[j] and self.e[j] * G == self.E[j]
        self.roster = H("roster", 32, self.match, self.n, self.m, self.key, self.Y, self.E)
        assert self.roster.hex() == answers["roster"]

        names = answers["decks"]
        self.h, self.hs = H2G("generator h"), [H2G("generator h_i", i) for i in range(max(n for _, n in names))]
        self.cards = [[H2G("card", name.encode(), i) for i in range(n)] for name, n in names]
        self.decks = [[(ZERO, card) for card in cards] for cards in self.cards]
        for of in answers["shuffles"]:
            self.decks[of["deck"]] = self.refuses(-32, self.shuffle, of, self.decks[of["deck"]], of["part"])
        points = [[point for pair in deck for point in pair] for deck in self.decks]
        self.digest = H("decks", 32, len(points), *points)
        slots = [tuple(slot) for *slot, _ in answers["opened cards"]]
        self.partials = {slot: {} for slot in slots}
        for of in answers["openings"]:
            own = [slot for slot in slots if of["seat"] in self.openers(slot)]
            for slot, partial in zip(own, self.refuses(-32, self.opening, of, own, of["part"])):
                self.partials[slot][of["seat"]] = partial
        if self.leaver is not None:
            for (deck, position, _), partials in self.partials.items():
                partials[self.leaver] = [self.x[self.leaver] * self.decks[deck][position][0]]
        assert [[*slot, self.opened(slot)] for slot in slots] == answers["opened cards"]
        cards = {(deck, position): card for deck, position, _, card in answers["opened cards"]}
        for of in answers["shows"]:
            shown = self.refuses(-32, self.show, of, of["part"])
            assert shown == [cards[tuple(place)] for place in of["cards"]]

        if answers["goods"] is not None:
            self.check_goods(answers["goods"])

    def check_goods(self, goods):
        """A mix of goods, then the opening of one of them and of a coin."""
        kinds = [H2G("card", b"goods", i) for i in range(goods["kinds"])]
        held = [(ZERO, kinds[kind]) for kind in goods["gained"]]
        mix, given = goods["mix"], goods["given"]
        hand = [held[i] for i in mix["positions"]]
        assert mix["deck"] == len(self.decks)
        for i, good in zip(mix["positions"], self.refuses(-32, self.shuffle, mix, hand, mix["part"])):
            held[i] = good
        self.cards.append(kinds)
        self.decks.append(held)
        points = [[point for pair in deck for point in pair] for deck in self.decks]
        self.digest = H("decks", 32, len(points), *points)
        slots = [tuple(slot) for slot in given["slots"]]
        self.partials.update((slot, {}) for slot in slots)
        for of in given["openings"]:
            own = [slot for slot in slots if of["seat"] in self.openers(slot)]
            for slot, partial in zip(own, self.refuses(-32, self.opening, of, own, of["part"])):
                self.partials[slot][of["seat"]] = partial
        good, coin = slots
        assert self.opened(good) == given["kind"]
        weights = lagrange(list(self.partials[coin]))
        value = total([weights[seat] for seat in self.partials[coin]], [C for C, in self.partials[coin].values()])
        for below, numbers in given["numbers"]:
            output = H("coin faces", 4 * 64, value, below)
            words = struct.unpack("<64I", output)
            fair = [word % below for word in words if word < 2**32 - 2**32 % below]
            assert fair[: len(numbers)] == numbers

    def base(self, deck, position):
        """The first component of a ciphertext, or the point of a coin."""
        if deck == len(self.decks):
            return H2G("coin", self.roster, self.hand, position)
        return self.decks[deck][position][0]

    @staticmethod
    def refuses(at, verify, *arguments):
        """What the part, the last argument, gives. With another bit at a place it must be refused."""
        part = bytearray.fromhex(arguments[-1])
        result = verify(*arguments[:-1], bytes(part))
        part[at] ^= 1
        try:
            verify(*arguments[:-1], bytes(part))
        except AssertionError:
            return result
        raise SystemExit(f"a changed part is accepted: {verify.__name__}")

    def possession(self, tag, seat, key, z, s):
        assert [z] == hashed(tag, 1, self.match, seat, key, s * G - z * key)

    def read_keys(self, seat, part):
        (key,), proof, (commitment,) = read(part, (point, 1), (scalar, 2), (bytes, 1))
        self.possession("pop E", seat, key, *proof)
        return key, commitment

    def dealing(self, seat, part):
        A, proof, pads = read(part, (point, self.m), (scalar, 2), (bytes, self.n - 1))
        self.possession("pop A", seat, A[0], *proof)
        encoded = part[32 * self.m :][:64]
        assert self.keys[seat][1] == H("dkg commit", 32, self.match, seat, A, encoded)
        return A, dict(zip((j for j in self.seats if j != seat), pads))

    def image(self, dealer, seat):
        return total([(seat + 1) ** k for k in range(self.m)], self.dealings[dealer][0])

    def share(self, dealer, receiver, key):
        pad = H("dkg pad", 32, self.match, dealer, receiver, key)
        share = int.from_bytes(pad, "little") ^ int.from_bytes(self.dealings[dealer][1][receiver], "little")
        return share if share < L and share * G == self.image(dealer, receiver) else None

    def judge(self, seat, part):
        dealer, own, ((key,), (z, s)) = part[0], self.E[seat], read(part[1:], (point, 1), (scalar, 2))
        assert dealer in self.seats and dealer != seat
        statement = [self.match, seat, own, self.E[dealer], key]
        assert [z] == hashed("dkg dleq", 1, *statement, s * G - z * own, s * self.E[dealer] - z * key)
        return dealer if self.share(dealer, seat, key) is None else seat

    def context(self, of):
        before = bytes.fromhex(of["before"])
        chain = bytes.fromhex(of["chain"])
        return self.match, chain, self.hand, of["deck"], of["step"], before, of["seat"], self.roster

    def shuffle(self, of, old, part):
        ctx, n = self.context(of), len(old)
        shape = (point, 2 * n), (point, n), (point, n), (point, n), (point, 5), (scalar, 4), (scalar, n), (scalar, n)
        points, c, C, T, firsts, (s1, s2, s3, s4), S, s = read(part, *shape)
        new, h, (t1, t2, t3, t4b, t4a) = list(zip(points[::2], points[1::2])), self.hs[:n], firsts
        d = H("shuffle", 32, *ctx, n, [point for pair in old for point in pair], points)
        u = hashed("shuffle u", n, *ctx, d, c)
        (z,) = hashed("shuffle c", 1, *ctx, d, c, C, T, firsts)
        product = 1
        for factor in u:
            product = product * factor % L
        assert s1 * G == t1 + z * (sum(c, ZERO) - sum(h, ZERO))
        assert s2 * G == t2 + z * (C[-1] - product * self.h)
        assert s3 * G + total(s, h) == t3 + z * total(u, c)
        (a, b), (new_a, new_b) = zip(*old), zip(*new)
        assert total(s, new_b) - s4 * self.key == t4b + z * total(u, b)
        assert total(s, new_a) - s4 * G == t4a + z * total(u, a)
        for i, before in enumerate([self.h, *C[:-1]]):
            assert S[i] * G + s[i] * before == T[i] + z * C[i]
        return new

    def openers(self, slot):
        in_order = [(slot[1] + i) % self.n for i in self.seats]
        needed = self.m - (slot[2] > 0) - (self.leaver is not None)
        return [seat for seat in in_order if seat not in (slot[2] - 1, self.leaver)][:needed]

    def opening(self, of, slots, part):
        ctx, receivers = [*self.context(of), self.digest], sorted({slot[2] - 1 for slot in slots} - {-1})
        shape = [(point, 1 + (slot[2] > 0)) for slot in slots] + [(scalar, 2 + len(receivers))]
        *given, (z, share, *sigmas) = read(part, *shape)
        o = H("open", 32, *ctx, len(slots), *sum(slots, ()), sum(given, []))
        w = hashed("open w", len(slots), *ctx, o)
        firsts = [share * G - z * self.Y[of["seat"]]]
        for j, sigma in zip(receivers, sigmas):
            masks = [weight * points[0] for weight, points, slot in zip(w, given, slots) if slot[2] == j + 1]
            firsts.append(sigma * G - z * sum(masks, ZERO))
        cards = total(w, [self.base(deck, position) for deck, position, _ in slots])
        encrypted = total(sigmas, [self.E[j] for j in receivers])
        firsts.append(share * cards + encrypted - z * total(w, [points[-1] for points in given]))
        assert [z] == hashed("open c", 1, *ctx, o, firsts)
        return given

    def opened(self, slot):
        (deck, position, receiver), partials = slot, self.partials[slot]
        (a, b), own = self.decks[deck][position], [receiver - 1] if receiver else []
        weights = lagrange([*partials, *own])
        for j in own:
            b -= self.x[j] * weights[j] * a
        for seat, (*mask, C) in partials.items():
            b -= weights[seat] * (C - (self.e[receiver - 1] * mask[0] if mask else ZERO))
        return self.cards[deck].index(b)

    def show(self, of, part):
        ctx, seat, to = [*self.context(of), self.digest], of["seat"], of["receiver"]
        places, masked = [tuple(place) for place in of["cards"]], int(of["receiver"] > 0)
        shape = [(point, 1 + masked)] * len(places) + [(scalar, 3 + masked)]
        *sent, (z, share, key, *sigma) = read(part, *shape)
        partials, fields = [self.partials[(*place, seat + 1)] for place in places], [to, len(places)]
        for place, own in zip(places, partials):
            fields += [*place, len(own), *(field for pair in own.items() for field in pair)]
        o = H("show", 32, *ctx, *fields, sum(sent, []))
        w = hashed("show w", len(places), *ctx, o)
        firsts = [share * G - z * self.Y[seat], key * G - z * self.E[seat], ZERO]
        for weight, (deck, position), own, (*_, D) in zip(w, places, partials, sent):
            weights = lagrange([*own, seat])
            cards = share * weights[seat] * self.decks[deck][position][0] - z * D
            for k, (*mask, C) in own.items():
                cards += weights[k] * (z * C - (key * mask[0] if mask else ZERO))
            firsts[2] += weight * cards
        if to:
            firsts[2] += sigma[0] * self.E[to - 1]
            firsts.append(sigma[0] * G - z * total(w, [R for R, _ in sent]))
        assert [z] == hashed("show c", 1, *ctx, o, firsts)
        hidden = [self.e[to - 1] * mask[0] if to else ZERO for *mask, _ in sent]
        pairs = zip(places, sent, hidden)
        return [self.cards[deck].index(self.decks[deck][i][1] - D + m) for (deck, i), (*_, D), m in pairs]


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_answers.json")
    with open(path, encoding="utf-8") as file:
        hands = [Hand(answers) for answers in json.load(file)]
    print(f"all parts of {len(hands)} hands verify")
