// The lobby: forms to host and join, the fingerprint, known players, open and past matches.

import { announce, buttonTo, clear, confirmed, errorLine, h, panel, quiet, setAttribute, setText } from "./dom.js";
import { copyButton, dateOf } from "./invite.js";
import { badAddress, PLACES, placesIn } from "./places.js";
import { IN_PAGE, keep, kept, moving } from "./server.js";
import { many } from "./verify.js";
import { amount, forgive, problem } from "./words.js";

/** After this many failed attempts in a row, the program asks before it connects. */
const MANY_ATTEMPTS = 8;

/**
 * A field with its label, hint and error message.
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

/** @param {Input} input @param {string} problem empty if the value is valid */
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

/** A field for the player's name in each form. Both hold the same text. */
function nameFields() {
  const fields = ["host-name", "join-name"].map((id) => line(id, "", IN_PAGE ? "" : "your name on this system"));
  const [host, join] = fields;
  for (const [from, to] of [fields, [join, host]]) from.addEventListener("input", () => { to.value = from.value; });
  return {
    host, join,
    /** Fills in `name` where no name was entered. @param {string} name */
    prefill(name) {
      for (const field of fields) field.value ||= name;
    },
  };
}

/** @param {HTMLInputElement} field */
function named({ value }) {
  return value.trim() ? { name: value.trim() } : {};
}

/** @param {string} id @param {Record<string, string>} options the label of each value */
function select(id, options) {
  return h("select", { id }, ...Object.entries(options).map(([value, words]) => h("option", { value }, words)));
}

/** @param {string} text @param {number} least @param {number} most */
function badNumber(text, least, most) {
  const valid = /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most;
  return valid ? "" : `Enter a whole number from ${amount(least)} to ${amount(most)}.`;
}

/** Checks only the syntax; the program checks the rest. @param {string} text */
function badKinds(text) {
  const valid = /^(([\w-]{1,24}=)?[1-9]\d{0,3}(,|$))+$/.test(text) && !text.endsWith(",");
  return valid ? "" : "Enter each kind with its number of cards: knight=14, castle=5, road=2.";
}

/**
 * The invite, name or fingerprint in a pasted text, such as a `dealerless join …` command.
 * @param {string} pasted
 */
function whomOf(pasted) {
  const invite = /dealerless\d+-[0-9a-z]+/i.exec(pasted);
  return invite ? invite[0] : pasted.trim().replace(/^(\S*dealerless(\.exe)?\s+)?join\s+/, "").trim();
}

/**
 * Folded address fields.
 * @param {string} id
 * @param {[string, AddressField[]]} fields the title and the fields
 * @param {boolean} [isNeeded] whether each field needs an address
 */
function addresses(id, [title, places], isNeeded = false) {
  const inputs = places.map(([name, , example, , last]) => line(`${id}-${name}`, last ?? "", example));
  const root = h("details.more", h("summary", title),
    h("div.fields", ...places.map(([, label, , hint], at) => field(label, inputs[at], hint))));
  const ask = (at = 0) => {
    root.open = true;
    inputs[at].focus();
  };
  /** Fills in `request`. Returns whether the fields are valid. @param {Record<string, unknown>} request */
  const read = (request) => {
    inputs.forEach((input, at) => {
      const value = input.value.trim();
      mark(input, value || isNeeded ? badAddress(value) : "");
      if (value) request[places[at][0]] = value;
    });
    const wrong = inputs.findIndex((input) => input.hasAttribute("aria-invalid"));
    if (wrong >= 0) ask(wrong);
    return wrong < 0;
  };
  return { root, ask, read };
}

/**
 * @param {string} label the label of the button
 * @param {() => Promise<void> | undefined} act starts the program; returns undefined if a field is invalid
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

/** @param {App["begin"]} begin @param {HTMLInputElement} name */
function hostForm(begin, name) {
  const game = select("host-game", {
    holdem: "Texas hold’em, no limit",
    "fixed-holdem": "Texas hold’em, fixed limit",
    draw: "Five-card draw",
    deck: "A deck without rules, and dice",
    bridge: "Boards of bridge",
  });
  const posts = select("host-posts", { blinds: "Blinds", ante: "An ante from each player" });
  const numbers = Object.entries(
    { seats: 2, leave: 0, hands: 10, stack: 200, low: 1, high: 2, cards: 52, draw: "", boards: 24, move: 30, bank: 120 },
  ).map(([name, value]) => line(`host-${name}`, String(value)));
  const [seats, leave, hands, stack, low, high, cards, draw, boards, move, bank] = numbers;
  [draw.placeholder, move.placeholder, bank.placeholder] = ["all", "no limit", "none"];
  for (const input of numbers) input.inputMode = "numeric";
  const kinds = line("host-kinds", "", "knight=14, castle=5, road=2");
  const places = addresses("host", PLACES.host, IN_PAGE);

  const [isPoker, isDeck] = [() => !["deck", "bridge"].includes(game.value), () => game.value === "deck"];
  const isSeveral = () => isPoker() && Number(seats.value) > 2;
  // Two sets of players who open cards need not have an honest player in common.
  const isRisky = () => isSeveral() && Number(leave.value) > 0 && Number(seats.value) - 2 * Number(leave.value) <= 1;
  const accept = select("host-accept", { no: "No", yes: "Yes, accept this" });
  const open = h("input", { id: "host-open", type: "checkbox", "aria-describedby": "host-open-hint" });
  /** Each field, and whether it is shown. @type {[HTMLElement, () => boolean][]} */
  const fields = [
    [field("Players", seats), isPoker],
    [field("Players who may disappear", leave, "In a hand, which the others then finish. It needs a limit on the time. Fewer players together can then read all cards."), isSeveral],
    [field("One player may cheat", accept, "If that player can also cut the connections between others, it can play two tables at once with them."), isRisky],
    [h("div.field.wide", h("label.choice", open, "Let everybody who has the link sit down, without asking me"),
      h("p.field-hint", { id: "host-open-hint" }, "Whoever has the link can then take every free seat, with several identities. Seats of one person see each other’s cards.")), isSeveral],
    [field("Hands", hands), () => true],
    [field("Chips per player", stack), isPoker],
    [field("Forced bets", posts), isPoker],
    [field("Small blind", low), isPoker],
    [field("Big blind", high), isPoker],
    [field("Cards in the deck", cards, "52: the standard deck. Other decks have numbered cards."), () => isDeck() && !kinds.value],
    [field("Or kinds of cards", kinds, "Each kind with its number of cards."), isDeck],
    [field("Cards that can be opened", draw, "Fewer cards shuffle faster."), isDeck],
    [field("Boards", boards, "Sealed together, 1 to 100."), () => game.value === "bridge"],
    [field("Seconds per move", move), () => true],
    [field("Seconds in the bank", bank), () => true],
  ];
  const label = (/** @type {Input} */ of, /** @type {string} */ text) => {
    const found = /** @type {HTMLElement} */ (of.parentElement).querySelector("label");
    if (found) setText(found, text);
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
  seats.addEventListener("input", () => {
    // A table lasts until its players leave.
    if (["10", "1000"].includes(hands.value)) hands.value = isSeveral() ? "1000" : "10";
  });
  for (const choice of [game, posts, kinds, seats, leave]) choice.addEventListener("input", arrange);

  const read = () => {
    /** @type {Record<string, unknown>} */
    const request = { game: game.value };
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
    request.hands = whole(hands, 1, 1_000_000);
    if (isPoker()) {
      const chips = whole(stack, 1, 1_000_000_000);
      const [smaller, larger] = [low, high].map((input) => whole(input, 1, chips || 1));
      if (!wrong && smaller > larger) judge(low, "The small blind or ante must not be larger than the other bet.");
      Object.assign(request, { seats: whole(seats, 2, game.value === "draw" ? 5 : 10), stack: chips, [posts.value]: `${smaller}/${larger}` });
      request.open = isSeveral() && open.checked;
      if (isSeveral()) request.may_leave = whole(leave, 0, Number(seats.value) - 2);
      request.accept_two_tables = isRisky() && accept.value === "yes";
      if (isRisky()) judge(accept, request.accept_two_tables ? "" : "Accept this, or let fewer players disappear.");
    }
    if (isDeck() && !kinds.value) request.cards = whole(cards, 2, 4096);
    if (isDeck() && kinds.value) {
      request.kinds = kinds.value.replace(/\s/g, "");
      judge(kinds, badKinds(String(request.kinds)));
    }
    if (isDeck() && draw.value.trim()) request.draw = whole(draw, 1, Number(request.cards ?? 4096) || 4096);
    if (game.value === "bridge") request.boards = whole(boards, 1, 100);
    if (!move.value && !bank.value) {
      request.time = "none";
      if (Number(request.may_leave) > 0) judge(move, "Enter a time: it decides when a silent player has disappeared.");
    } else {
      const [seconds, rest] = [move, bank].map((input) => (input.value ? whole(input, 0, 1_000_000) : 0));
      if (!wrong && seconds + rest === 0) judge(move, "At least one of the two times must be more than 0.");
      request.time = `${seconds}+${rest}`;
    }
    const reached = places.read(request);
    /** @type {Input | null} */ (wrong)?.focus();
    return wrong || !reached ? null : request;
  };
  const terms = [game, posts, kinds, ...numbers];
  const last = kept("terms");
  for (const input of terms) if (typeof last[input.id] === "string") input.value = /** @type {string} */ (last[input.id]);
  // The stored game may not exist now.
  game.value ||= "holdem";
  posts.value ||= "blinds";
  const root = form("Host", () => {
    const request = read();
    if (!request) return undefined;
    keep("terms", Object.fromEntries(terms.map((input) => [input.id, input.value])));
    return begin("/host", { ...named(name), ...request });
  }, field("Your name", name), field("Game", game), h("div.fields", ...fields.map(([shown]) => shown)), places.root);
  arrange();
  return root;
}

/** @param {App["begin"]} begin @param {HTMLInputElement} name */
function joinForm(begin, name) {
  const whom = h("textarea", {
    id: "join-whom", rows: 3, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "dealerless2-…",
  });
  const places = addresses("join", PLACES.join);
  const root = form("Join", () => {
    const request = { ...placesIn(whom.value), ...named(name), whom: whomOf(whom.value) };
    mark(whom, request.whom ? "" : "Paste an invite, or enter a code or a name.");
    const reached = places.read(request);
    if (request.whom && reached) return begin("/join", request);
    if (!request.whom) whom.focus();
    return undefined;
  }, field("Invite", whom, "The invite or the code from the host, or the name of a player you have met who is hosting now."),
  field("Your name", name), places.root);
  /** @param {Listed} peer */
  const ask = (peer) => {
    whom.value = peer.fingerprint;
    places.ask();
    announce(`Enter the address where ${peer.called} is hosting now.`);
  };
  return { root, ask };
}

/** @param {Child[]} texts @param {Child[]} buttons */
function item(texts, buttons) {
  return h("li.item", h("div.item-text", ...texts),
    buttons.some(Boolean) && h("div.row", ...buttons));
}

/**
 * @param {App["begin"]} begin
 * @param {Listed} peer
 * @param {(peer: Listed) => void} ask asks the user for the player's address
 */
function peerItem(begin, peer, ask) {
  const failed = errorLine();
  const again = () => {
    if (peer.addresses.length === 0) return ask(peer);
    return begin("/join", { whom: peer.fingerprint }).catch((error) => setText(failed, problem(error)));
  };
  const why = peer.failed_checks > 0
    ? `${many(peer.failed_checks, "check")} failed with these keys: the player tried to cheat.`
    : `The last ${peer.in_a_row} attempts failed, because of a bad connection or attempts to cheat.`;
  return item([
    h("p.item-title", peer.called),
    h("p.code", peer.fingerprint),
    quiet(`${many(peer.hands, "hand")} played · last seen ${dateOf(peer.last_seen)}`),
    (peer.failed_checks > 0 || peer.in_a_row >= MANY_ATTEMPTS) && h("p.warning", `${why} Your program refuses to connect, or asks you first. ${forgive(peer.fingerprint)}`),
    failed,
  ], [buttonTo("Play again", again, { "aria-label": `Play again with ${peer.called}, who must be hosting` })]);
}

/** @param {App} app @param {App["begin"]} begin @param {Listed} open @param {() => void} renew */
function openItem(app, begin, open, renew) {
  const failed = errorLine();
  const fail = (/** @type {unknown} */ error) => setText(failed, problem(error));
  const host = open.seat === 0;
  const places = addresses(`open-${open.match}`, host ? PLACES.openHost : PLACES.openGuest);
  const resume = () => {
    const request = { match: open.match };
    if (places.read(request)) begin("/resume", request).catch(fail);
  };
  const close = async () => {
    const text = "No chips move, and the match can be resumed. "
      + "The record notes that you closed it, but nothing proves that note.";
    if (!await confirmed(`Close the match with ${open.peer}?`, text, "Close here")) return;
    try {
      await app.post("/resume", { match: open.match, close: true });
      // The server answers this after the program has ended.
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
    !open.closed && buttonTo("Close", close, { "aria-label": `Close the match with ${open.peer}` }),
    buttonTo("Resume", resume, { class: "main", "aria-label": `Resume the match with ${open.peer}` }),
  ]);
}

/** @param {App} app @param {Listed} past */
function pastItem(app, past) {
  const { won = null, hands } = past;
  const when = dateOf(past.changed);
  const name = past.called ?? past.peer;
  const shown = won === 0 && past.undecided ? null : won;
  const played = [past.game, hands !== undefined && many(hands, "hand"), when].filter(Boolean).join(" · ");
  return item([
    h("p.item-title", `with ${name}`, shown !== null && h("span", { class: shown < 0 ? "lost" : shown > 0 && "won" },
      ` · you ${shown < 0 ? "lost" : "won"} ${amount(Math.abs(shown))}`)),
    h("p", played),
    h("p", { class: past.state === "damaged" ? "warning" : "muted" }, past.message),
  ], [["over", "settled"].includes(past.state) && buttonTo("Hands", () => app.go("after", past.match), {
    "aria-label": `Hands of the match with ${name}, ${when}`,
  })]);
}

/** @param {App} app @returns {Page} */
export function lobby(app) {
  let left = false;
  /** @type {App["begin"]} */
  const begin = async (path, request) => {
    // Other requests would wait for the end of the program.
    left = true;
    await app.begin(path, request).catch((error) => {
      left = false;
      void renew();
      throw error;
    });
  };
  const names = nameFields();
  const join = joinForm(begin, names.join);
  const running = panel("running", "A match is being played",
    h("p", "Your files are in use until the match ends, so the lobby shows nothing else."),
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
   * Fills `into` with the server's answer, or with the error.
   * @param {HTMLElement} into
   * @param {string} path
   * @param {(answer: any) => Child} show
   */
  const fill = async (into, path, show) => {
    if (left) return;
    try {
      clear(into, show(await app.get(path)));
    } catch (error) {
      clear(into, h("p.error", problem(error)));
    }
  };
  const showOwn = (/** @type {Listed} */ identity) => {
    const { fingerprint, player } = identity;
    names.prefill(player ?? "");
    return h("div",
    h("p", "Your fingerprint. Send it to others over a channel you both trust."),
    h("p.code.fingerprint", fingerprint),
    h("div.row", copyButton("Copy", () => fingerprint, "Copy your fingerprint")), moving(app, identity, () => void renew()));
  };
  const showOpen = (/** @type {{ matches: Listed[] }} */ { matches }) => matches.length > 0
    && panel("open", "Open matches", h("ul.items", ...matches.map((one) => openItem(app, begin, one, renew))));
  const showPeers = (/** @type {{ peers: Listed[] }} */ { peers: met }) => (met.length === 0
    ? quiet("Nobody yet. Players who have met need no invite.")
    : h("div", quiet("When you host, they can join by your name or fingerprint, without an invite."),
      h("ul.items", ...met.map((peer) => peerItem(begin, peer, join.ask)))));
  const showPast = (/** @type {{ matches: Listed[] }} */ answer) => {
    const matches = answer.matches.filter((one) => one.state !== "open");
    return matches.length === 0 ? quiet("None yet.") : h("ul.items", ...matches.map((one) => pastItem(app, one)));
  };

  const renew = async () => {
    const busy = await app.refresh().then((state) => Boolean(state.program?.running), () => false);
    running.hidden = !busy;
    idle.hidden = busy;
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
