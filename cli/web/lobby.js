// The lobby: host, join, known players, open and past matches, one's own fingerprint.

import { announce, buttonTo, clear, confirmed, errorLine, h, panel, quiet, setAttribute, setText } from "./dom.js";
import { copyButton, dateOf } from "./invite.js";
import { keep, kept } from "./settings.js";
import { many } from "./verify.js";
import { amount, called, forgive, problem } from "./words.js";

/** After so many attempts in a row that did not end well, the program asks. */
const MANY_ATTEMPTS = 8;

/**
 * A field with its label, what it is for, and room for what is wrong with it.
 * @param {string} label
 * @param {Input} input
 * @param {string} [hint]
 */
function field(label, input, hint) {
  const error = h("p.error", { id: `${input.id}-error`, hidden: true });
  setAttribute(input, "aria-describedby", hint ? `${input.id}-hint ${error.id}` : error.id);
  return h("div.field", h("label", { for: input.id }, label), input,
    hint && h("p.field-hint", { id: `${input.id}-hint` }, hint), error);
}

/** @param {Input} input @param {string} problem empty if it is right */
function mark(input, problem) {
  const error = /** @type {HTMLElement} */ (document.getElementById(`${input.id}-error`));
  setText(error, problem);
  error.hidden = problem === "";
  setAttribute(input, "aria-invalid", problem ? "true" : null);
}

/** @param {string} id @param {string} value @param {string} [placeholder] */
function line(id, value, placeholder) {
  return h("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value, placeholder });
}

/** The fields of one's name, in both forms: they say the same. */
function nameFields() {
  const fields = ["host-name", "join-name"].map((id) => line(id, "", "as this system calls you"));
  const [host, join] = fields;
  for (const [from, to] of [fields, [join, host]]) from.addEventListener("input", () => { to.value = from.value; });
  return {
    host, join,
    /** @param {string} name unless another one is being written */
    prefill(name) {
      for (const field of fields) field.value ||= name;
    },
  };
}

/** @param {HTMLInputElement} field */
function named({ value }) {
  return value.trim() ? { name: value.trim() } : {};
}

/** @param {string} id @param {Record<string, string>} options the words of each value */
function select(id, options) {
  return h("select", { id }, ...Object.entries(options).map(([value, words]) => h("option", { value }, words)));
}

/** What is wrong with a whole number; empty if nothing is. @param {string} said @param {number} least @param {number} most */
function badNumber(said, least, most) {
  const fits = /^\d{1,10}$/.test(said) && Number(said) >= least && Number(said) <= most;
  return fits ? "" : `A whole number from ${amount(least)} to ${amount(most)} is needed.`;
}

/** @param {string} said */
function badAddress(said) {
  const parts = /^(\[[0-9a-f:.%a-z]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(said);
  return parts && Number(parts[2]) < 65536 ? "" : "A host and a port are needed: table.example.org:5252, for example.";
}

/** What is wrong with the form of a list of kinds: the program says what else is. @param {string} said */
function badKinds(said) {
  const fits = /^(([\w-]{1,24}=)?[1-9]\d{0,3}(,|$))+$/.test(said) && !said.endsWith(",");
  return fits ? "" : "Write each kind with its number of cards: knight=14, castle=5, road=2.";
}

/** The invite, name or fingerprint in what was pasted, which may be a whole `dealerless join …` line. @param {string} pasted */
function whomOf(pasted) {
  const invite = /dealerless\d+-[0-9a-z]+/i.exec(pasted);
  return invite ? invite[0] : pasted.trim().replace(/^(\S*dealerless(\.exe)?\s+)?join\s+/, "").trim();
}

const LISTEN = /** @type {AddressField} */ (["listen", "Wait at", "0.0.0.0:5252", "Empty: port 5252, from everywhere."]);
const AT = /** @type {AddressField} */ (["at", "Where the host is now", "192.0.2.1:5252", "Empty: where you met last."]);
const RELAY = /** @type {AddressField} */ (["relay", "Relay", "transit.example.org:4001",
  "A transit relay of Magic Wormhole for both, where neither can reach the other. It sees nothing."]);

/**
 * Addresses, which few need to give.
 * @param {string} id
 * @param {string} title
 * @param {AddressField[]} places
 */
function addresses(id, title, places) {
  const inputs = places.map(([name, , example]) => line(`${id}-${name}`, "", example));
  const root = h("details.more", h("summary", title),
    h("div.fields", ...places.map(([, label, , hint], at) => field(label, inputs[at], hint))));
  const ask = (at = 0) => {
    root.open = true;
    inputs[at].focus();
  };
  /** Reads what is given into a wish. Gives whether it is right. @param {Record<string, unknown>} wish */
  const read = (wish) => {
    inputs.forEach((input, at) => {
      const said = input.value.trim();
      mark(input, said && badAddress(said));
      if (said) wish[places[at][0]] = said;
    });
    const wrong = inputs.findIndex((input) => input.hasAttribute("aria-invalid"));
    if (wrong >= 0) ask(wrong);
    return wrong < 0;
  };
  return { root, ask, read };
}

/**
 * A form, with its button and room for why it was refused.
 * @param {string} label of the button
 * @param {() => Promise<void> | undefined} act starts what was asked for; undefined if something is wrong
 * @param {...Child} fields
 */
function form(label, act, ...fields) {
  const failed = errorLine();
  const button = h("button", { type: "submit", class: "main" }, label);
  const root = h("form.form", { novalidate: true }, ...fields, failed, h("div.row", button));
  root.addEventListener("submit", async (event) => {
    event.preventDefault();
    setText(failed, "");
    button.disabled = true;
    await act()?.catch((error) => setText(failed, problem(error)));
    button.disabled = false;
  });
  return root;
}

/** Where the terms of the last match that was hosted here are kept. */
const TERMS = "dealerless-terms";

/** @param {App["begin"]} begin @param {HTMLInputElement} name */
function hostForm(begin, name) {
  const game = select("host-game", {
    holdem: "Texas hold’em, no limit",
    "fixed-holdem": "Texas hold’em, fixed limit",
    draw: "Five-card draw",
    deck: "A deck without rules, and dice",
    bridge: "Boards of bridge",
  });
  const posts = select("host-posts", { blinds: "Blinds", ante: "An ante from each" });
  const numbers = Object.entries(
    { hands: 10, stack: 200, low: 1, high: 2, cards: 52, draw: "", boards: 24, move: 30, bank: 120 },
  ).map(([name, value]) => line(`host-${name}`, String(value)));
  const [hands, stack, low, high, cards, draw, boards, move, bank] = numbers;
  [draw.placeholder, move.placeholder, bank.placeholder] = ["all", "no limit", "none"];
  for (const input of numbers) input.inputMode = "numeric";
  const kinds = line("host-kinds", "", "knight=14, castle=5, road=2");
  const places = addresses("host", "How others reach this machine", [
    LISTEN,
    ["advertise", "Address in the invite", "table.example.org:5252", "That of a forwarded port, for example."],
    RELAY,
  ]);

  const [isPoker, isDeck] = [() => !["deck", "bridge"].includes(game.value), () => game.value === "deck"];
  /** @type {[HTMLElement, () => boolean][]} each field, and whether it belongs to what is chosen */
  const fields = [
    [field("Hands", hands), () => true],
    [field("Chips for each", stack), isPoker],
    [field("Before the cards", posts), isPoker],
    [field("Small blind", low), isPoker],
    [field("Big blind", high), isPoker],
    [field("Cards in the deck", cards, "52 are the usual cards. Others are numbered."), () => isDeck() && !kinds.value],
    [field("Or kinds of cards", kinds, "Name and number of each."), isDeck],
    [field("Cards that can be opened", draw, "Fewer are shuffled faster."), isDeck],
    [field("Boards", boards, "Sealed together, 1 to 100."), () => game.value === "bridge"],
    [field("Seconds for each move", move), () => true],
    [field("And in the bank", bank), () => true],
  ];
  const label = (/** @type {Input} */ of, /** @type {string} */ said) => {
    const found = /** @type {HTMLElement} */ (of.parentElement).querySelector("label");
    if (found) setText(found, said);
  };
  const arrange = () => {
    for (const [shown, belongs] of fields) shown.hidden = !belongs();
    const ante = posts.value === "ante";
    label(hands, game.value === "bridge" ? "Sets of boards" : "Hands");
    label(low, ante ? "Ante" : "Small blind");
    label(high, ante ? "Smallest bet" : "Big blind");
  };
  game.addEventListener("input", () => {
    hands.value = isPoker() ? "10" : "1";
    posts.value = game.value === "draw" ? "ante" : "blinds";
    [move.value, bank.value] = isPoker() ? ["30", "120"] : ["", ""];
  });
  for (const choice of [game, posts, kinds]) choice.addEventListener("input", arrange);

  const read = () => {
    /** @type {Record<string, unknown>} */
    const wish = { game: game.value };
    /** @type {Input | null} */
    let wrong = null;
    const judge = (/** @type {Input} */ input, /** @type {string} */ problem) => {
      mark(input, problem);
      if (problem) wrong ??= input;
    };
    const whole = (/** @type {Input} */ input, /** @type {number} */ least, /** @type {number} */ most) => {
      judge(input, badNumber(input.value.trim(), least, most));
      return Number(input.value);
    };
    for (const input of [draw, move, bank]) mark(input, "");
    wish.hands = whole(hands, 1, 1_000_000);
    if (isPoker()) {
      const chips = whole(stack, 1, 1_000_000_000);
      const [smaller, larger] = [low, high].map((input) => whole(input, 1, chips || 1));
      if (!wrong && smaller > larger) judge(low, "This must not be more than the other.");
      Object.assign(wish, { stack: chips, [posts.value]: `${smaller}/${larger}` });
    }
    if (isDeck() && !kinds.value) wish.cards = whole(cards, 2, 4096);
    if (isDeck() && kinds.value) {
      wish.kinds = kinds.value.replace(/\s/g, "");
      judge(kinds, badKinds(String(wish.kinds)));
    }
    if (isDeck() && draw.value.trim()) wish.draw = whole(draw, 1, Number(wish.cards ?? 4096) || 4096);
    if (game.value === "bridge") wish.boards = whole(boards, 1, 100);
    if (!move.value && !bank.value) {
      wish.time = "none";
    } else {
      const [seconds, rest] = [move, bank].map((input) => (input.value ? whole(input, 0, 1_000_000) : 0));
      if (!wrong && seconds + rest === 0) judge(move, "Nobody can play in no time at all.");
      wish.time = `${seconds}+${rest}`;
    }
    const reached = places.read(wish);
    /** @type {Input | null} */ (wrong)?.focus();
    return wrong || !reached ? null : wish;
  };
  const terms = [game, posts, kinds, ...numbers];
  const last = kept(TERMS);
  for (const input of terms) if (typeof last[input.id] === "string") input.value = /** @type {string} */ (last[input.id]);
  // A game that this page does not know.
  game.value ||= "holdem";
  posts.value ||= "blinds";
  const root = form("Host", () => {
    const wish = read();
    if (!wish) return undefined;
    keep(TERMS, Object.fromEntries(terms.map((input) => [input.id, input.value])));
    return begin("/host", { ...named(name), ...wish });
  }, field("Your name", name), field("Game", game), h("div.fields", ...fields.map(([shown]) => shown)), places.root);
  arrange();
  return root;
}

/** @param {App["begin"]} begin @param {HTMLInputElement} name */
function joinForm(begin, name) {
  const whom = h("textarea", {
    id: "join-whom", rows: 3, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "dealerless2-…",
  });
  const places = addresses("join", "A player whom you have met", [
    AT, RELAY,
  ]);
  const root = form("Join", () => {
    const wish = { ...named(name), whom: whomOf(whom.value) };
    mark(whom, wish.whom ? "" : "Paste an invite, or write a name.");
    const reached = places.read(wish);
    if (wish.whom && reached) return begin("/join", wish);
    if (!wish.whom) whom.focus();
    return undefined;
  }, field("Invite", whom, "What the host has sent you. Or the name of a player whom you have met, and who hosts."),
  field("Your name", name), places.root);
  /** @param {Told} peer */
  const ask = (peer) => {
    whom.value = peer.fingerprint;
    places.ask();
    announce(`Say where ${called(peer.name)} hosts now.`);
  };
  return { root, ask };
}

/** @param {Child[]} said @param {Child[]} buttons */
function item(said, buttons) {
  return h("li.item", h("div.item-text", ...said),
    buttons.some(Boolean) && h("div.row", ...buttons));
}

/** @param {App["begin"]} begin @param {Told} peer @param {(peer: Told) => void} ask where the player is */
function peerItem(begin, peer, ask) {
  const failed = errorLine();
  const again = () => {
    if (peer.addresses.length === 0) return ask(peer);
    return begin("/join", { whom: peer.fingerprint }).catch((error) => setText(failed, problem(error)));
  };
  const why = peer.failed_checks > 0
    ? `${many(peer.failed_checks, "check")} failed with these keys: the other side tried to cheat.`
    : `The last ${peer.in_a_row} attempts did not end well: a bad line, or tries to cheat.`;
  return item([
    h("p.item-title", peer.name),
    h("p.code", peer.fingerprint),
    quiet(`${many(peer.hands, "hand")} played · last seen ${dateOf(peer.last_seen)}`),
    (peer.failed_checks > 0 || peer.in_a_row >= MANY_ATTEMPTS) && h("p.warning", `${why} Your program refuses or asks first. ${forgive(peer.fingerprint)}`),
    failed,
  ], [buttonTo("Play again", again, { "aria-label": `Play again with ${called(peer.name)}, who hosts` })]);
}

/** @param {App} app @param {App["begin"]} begin @param {Told} open @param {() => void} renew */
function openItem(app, begin, open, renew) {
  const failed = errorLine();
  const fail = (/** @type {unknown} */ error) => setText(failed, problem(error));
  const host = open.seat === 0;
  const places = addresses(`open-${open.match}`, "Another address, or a relay", [
    host ? LISTEN : AT, RELAY,
  ]);
  const resume = () => {
    const wish = { match: open.match };
    if (places.read(wish)) begin("/resume", wish).catch(fail);
  };
  const close = async () => {
    const text = "No chips move, and the match can be resumed. "
      + "The record says that you have closed it, which is your word alone.";
    if (!await confirmed(`Close the match with ${called(open.peer)}?`, text, "Close here")) return;
    try {
      await app.post("/resume", { match: open.match, close: true });
      // The answer waits for the program to end.
      await app.get("/matches");
      announce("The match is closed here.");
      renew();
    } catch (error) {
      fail(error);
    }
  };
  return item([
    h("p.item-title", open.peer),
    h("p", open.state),
    quiet(`You are the ${host ? "host" : "guest"} · last change ${dateOf(open.changed)}`),
    places.root, failed,
  ], [
    !open.closed && buttonTo("Close", close, { "aria-label": `Close the match with ${called(open.peer)}` }),
    buttonTo("Resume", resume, { class: "main", "aria-label": `Resume the match with ${called(open.peer)}` }),
  ]);
}

/** @param {App} app @param {Told} past */
function pastItem(app, past) {
  const { won = null, hands } = past;
  const when = dateOf(past.changed);
  const name = past.with?.map(called).join(" and ") ?? called(past.peer);
  const shown = won === 0 && past.undecided ? null : won;
  const played = [past.game, hands !== undefined && many(hands, "hand"), when].filter(Boolean).join(" · ");
  return item([
    h("p.item-title", `with ${name}`, shown !== null && h("span", { class: shown < 0 ? "lost" : shown > 0 && "won" },
      ` · you ${shown < 0 ? "lost" : "won"} ${amount(Math.abs(shown))}`)),
    h("p", played),
    h("p", { class: past.state === "damaged" ? "warning" : "muted" }, past.message),
  ], [past.state === "over" && buttonTo("Hands", () => app.go("after", past.match), {
    "aria-label": `Hands of the match with ${name}, ${when}`,
  })]);
}

/** @param {App} app @returns {Page} */
export function lobby(app) {
  let left = false;
  /** @type {App["begin"]} */
  const begin = async (path, wish) => {
    // What is still to be read here would wait for the program, in vain.
    left = true;
    await app.begin(path, wish).catch((error) => {
      left = false;
      void renew();
      throw error;
    });
  };
  const names = nameFields();
  const join = joinForm(begin, names.join);
  const running = panel("running", "A match is being played",
    h("p", "Until it has ended, your files are in use, and nothing else is shown here."),
    h("div.row", buttonTo("Go to the table", () => app.go("table"), { class: "main" })));
  running.hidden = true;
  const [open, own, peers, past] = [h("div"), h("div", quiet("…")), h("div", quiet("…")), h("div", quiet("…"))];
  const idle = h("div.stack", open,
    h("div.columns",
      panel("host", "Host", hostForm(begin, names.host)),
      h("div.column", panel("join", "Join", join.root), panel("own", "You", own))),
    panel("peers", "Players you have met", peers),
    panel("past", "Past matches", past));
  const root = h("div.lobby.stack", h("h1.unseen", "Lobby"), running, idle);

  /**
   * Fills a part with what the program says, or with why it does not.
   * @param {HTMLElement} into
   * @param {string} path
   * @param {(said: any) => Child} show
   */
  const fill = async (into, path, show) => {
    if (left) return;
    try {
      clear(into, show(await app.get(path)));
    } catch (error) {
      clear(into, h("p.error", problem(error)));
    }
  };
  const showOwn = (/** @type {Told} */ { fingerprint, player }) => {
    names.prefill(player ?? "");
    return h("div",
    h("p", "Your fingerprint. Tell it to others over a channel that you both trust."),
    h("p.code.fingerprint", fingerprint),
    h("div.row", copyButton("Copy", () => fingerprint, "Copy your fingerprint")));
  };
  const showOpen = (/** @type {{ matches: Told[] }} */ { matches }) => matches.length > 0
    && panel("open", "Open matches", h("ul.items", ...matches.map((one) => openItem(app, begin, one, renew))));
  const showPeers = (/** @type {{ peers: Told[] }} */ { peers: met }) => (met.length === 0
    ? quiet("Nobody yet. Who has met needs no invite any more.")
    : h("div", quiet("If you host, they can join by your name or fingerprint, without an invite."),
      h("ul.items", ...met.map((peer) => peerItem(begin, peer, join.ask)))));
  const showPast = (/** @type {{ matches: Told[] }} */ said) => {
    const matches = said.matches.filter((one) => one.state !== "open");
    return matches.length === 0 ? quiet("None yet.") : h("ul.items", ...matches.map((one) => pastItem(app, one)));
  };

  const renew = async () => {
    const busy = await app.refresh().then((state) => Boolean(state.program?.running), () => false);
    running.hidden = !busy;
    idle.hidden = busy;
    // It may be about to end.
    if (busy && !left) setTimeout(() => left || renew(), 1000);
    if (busy) return;
    await fill(open, "/matches", showOpen);
    await fill(own, "/identity", showOwn);
    await fill(peers, "/peers", showPeers);
    await fill(past, "/history", showPast);
  };
  void renew();
  return { root, title: "Lobby", close: () => { left = true; } };
}
