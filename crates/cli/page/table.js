// The table page: the seats, the board and the pot, the player's choices, and the log.

import { announce, buttonTo, clear, confirmed, errorLine, h, isKey, keepsStill, quiet, setAttribute, setText } from "./dom.js";
import { cardView, seesTag } from "./cards.js";
import { actionsView } from "./actions.js";
import { logView } from "./log.js";
import { costView } from "./cost.js";
import { guestsView, inviteView } from "./invite.js";
import { membersView, settlementView } from "./between.js";
import { trouble } from "./trouble.js";
import { deckView } from "./deck.js";
import { boardsView } from "./boards.js";
import { areSeveral, hasEnded, isAtTable, isAway, isMyTurn, isOpen, isPlaying, isPoker, isShuffling, missingChips, pots, seatToChoose, seats, timeLeft, winningCards } from "./match.js";
import { amount, asSentence, cardName, didShort, forPage, mayDisappear, nameOf, problem, sentencesOf, shortAmount, spoken, timeWords, winsOf, won } from "./words.js";

/** The interval at which a clock is redrawn, in milliseconds. */
const TICK = 200;
/** The most sentences announced together. */
const MOST_ANNOUNCED = 4;

/** @param {App} app */
export function tablePage(app) {
  const log = logView();
  const cost = costView();
  const [guests, members, settlement] = [guestsView(app), membersView(), settlementView()];
  const felt = feltView(app);
  const actions = actionsView(app, { places: felt.picked });
  felt.connect(actions);
  const menu = menuView(app);
  const title = h("h1", "Table");
  const about = h("p.about.muted");
  const troubles = h("div.troubles");
  const failure = h("div.trouble.cheat", { role: "alert", hidden: true });
  const stage = h("div.stage");
  const root = h("div.table-page",
    h("div.table-head", h("div", title, about), h("div.row", guests.call, menu.root)),
    h("div.play", failure, troubles, settlement.root, stage),
    h("aside.side", { "aria-label": "History" }, guests.root, members.root, cost.root, log.root));

  /** The view on the stage. @type {{ kind: string, update: () => void }} */
  let scene = { kind: "", update: () => {} };
  /** @type {string[]} */
  let unspoken = [];
  let announcedTurn = "";

  /** @returns {"waiting" | "poker" | "deck" | "bridge"} */
  function kindOfScene() {
    const { match } = app;
    if (!match.seated && !match.deal) return "waiting";
    if (isPoker(match)) return "poker";
    return match.seated?.game === "bridge" ? "bridge" : "deck";
  }

  function setScene() {
    const kind = kindOfScene();
    if (kind === scene.kind) return;
    const views = {
      waiting: () => inviteView(app),
      deck: () => deckView(app.send),
      bridge: () => boardsView(app.send),
    };
    if (kind === "poker") {
      clear(stage, felt.root, actions.root);
      scene = { kind, update: () => { felt.update(); actions.update(); } };
    } else {
      const view = views[kind]();
      clear(stage, view.root);
      scene = { kind, update: () => view.update(app.match) };
    }
    stage.dataset.scene = kind;
  }

  return {
    root,
    get title() {
      const { match } = app;
      return match.seated ? `Table with ${match.seated.names.map((_, seat) => seat).filter((seat) => seat !== match.own)
        .map((seat) => nameOf(match, seat)).join(", ")}` : "Table";
    },

    /** @param {Message} event */
    tell(event) {
      // The sentences of a turn are in the view of the deck.
      const sentences = event.event === "your-turn" ? [] : sentencesOf(event);
      if (log.add(event, sentences)) unspoken.pop();
      actions.tell(event);
      felt.tell(event);
      if (sentences.length > 0) unspoken.push(spoken(sentences));
    },

    update() {
      const { match } = app;
      setScene();
      const seated = match.seated;
      setText(title, seated ? seated.title : "Table");
      setText(about, seated ? aboutHand(match) : "");
      scene.update();
      cost.update(match);
      for (const view of [guests, members, settlement]) view.update(match);
      menu.update();
      const bad = trouble(app, match);
      if (troubles.firstChild !== bad) clear(troubles, bad);
      if (unspoken.length > 0) announce(unspoken.slice(-MOST_ANNOUNCED).join(" "));
      unspoken = [];
      const turn = match.turn && isMyTurn(match) ? `${match.deal?.number} ${match.turn.turn}` : "";
      if (turn !== announcedTurn && turn && isPoker(match)) actions.announceTurn();
      announcedTurn = turn;
    },

    /** @param {string} message @param {() => void} again */
    fail(message, again) {
      clear(failure, h("p", message), buttonTo("Try again", again));
      this.update();
      failure.hidden = false;
      stage.hidden = true;
    },

    dispose() {
      actions.close();
      felt.close();
    },
  };
}

/** @param {Match} match */
function aboutHand(match) {
  const { seated, deal } = match;
  if (!seated) return "";
  const hand = deal ? `Hand ${amount(deal.number)} of ${amount(seated.hands)}` : "";
  const { blinds, ante } = seated;
  const posts = blinds ? `blinds ${blinds.map(amount).join("/")}` : ante && `ante ${amount(ante[0])}, smallest bet ${amount(ante[1])}`;
  return [hand, posts, match.buying > 0 && `you buy ${amount(match.buying)} after this hand`].filter(Boolean).join(" · ");
}

/** @param {App} app */
function menuView(app) {
  const error = errorLine();
  const note = quiet();
  /** Sends a command. Returns whether it was accepted. @param {Command} command */
  const send = async (command) => {
    setText(error, "");
    try {
      await app.send(command);
      return true;
    } catch (failed) {
      setText(error, problem(failed));
      return false;
    }
  };
  const sit = h("button", {
    type: "button",
    onclick: async () => {
      const back = app.match.sitsOut;
      if (!(await send({ do: back ? "back" : "sit-out" }))) return;
      app.match.sitsOut = !back;
      update();
    },
  }, "Sit out");
  const buy = buttonTo("", () => send({ do: "top-up", chips: app.match.buying > 0 ? 0 : missingChips(app.match) }));
  const close = buttonTo("Close here", () => send({ do: "close" }));
  const stop = buttonTo("Stop for now", async () => {
    if (await confirmed("Stop for now?", stopText(app.match), "Stop for now")) await app.end();
  });
  const leave = buttonTo("", async () => {
    if (app.match.leaving) await send({ do: "stay" });
    else if (await confirmed(isAtTable(app.match) ? "Leave the table?" : "Leave for good?", leaveText(app.match), "Leave")) await send({ do: "leave", anyhow: true });
  }, { class: "danger" });
  const [buys, closes, stops, leaves] = [quiet(), quiet(CLOSES), quiet(), quiet()];
  const who = h("p.muted.fingerprints");
  const root = h("details.menu", h("summary", "Match"),
    h("div.menu-content.panel", note, sit, buy, buys, close, closes, stop, stops, leave, leaves, error, who));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.open = false;
  });

  function update() {
    const { match } = app;
    const plays = app.role === "play" && match.seated !== null && !hasEnded(match);
    root.hidden = match.seated === null;
    sit.hidden = stop.hidden = stops.hidden = leave.hidden = leaves.hidden = !plays;
    sit.hidden ||= match.between !== null;
    buy.hidden = buys.hidden = !plays || !isAtTable(match) || !isPoker(match) || match.between !== null || (match.buying === 0 && missingChips(match) === 0);
    close.hidden = closes.hidden = !plays || !mayClose(match);
    setText(buy, match.buying > 0 ? "Buy no chips" : `Buy ${amount(missingChips(match))} chips`);
    setText(buys, `${match.buying > 0 ? `You buy ${amount(match.buying)} chips` : "Up to a full stack,"} after this hand, if the terms of the table allow it.`);
    setText(stops, stopText(match));
    setText(leaves, leaveText(match));
    setText(sit, match.sitsOut ? "Sit in again" : "Sit out from the next hand");
    setText(leave, match.leaving ? "Stay after all" : isAtTable(match) ? "Leave the table" : "Leave for good");
    setText(note, match.leaving && plays ? asSentence(match.leaving.message) : "");
    note.hidden = note.textContent === "";
    if (match.seated) {
      const { names, fingerprints } = match.seated;
      const text = names.map((_, seat) => `${nameOf(match, seat)}: ${fingerprints[seat] ?? ""}`).join("\n");
      setText(who, `Fingerprints\n${text}`);
    }
  }
  return { root, update };
}

/** @param {Match} match */
function mayClose({ outOfTime, own }) {
  return outOfTime !== null && outOfTime.seat !== own;
}

const CLOSES = "Your program stops waiting, no chips move, and the match can be resumed.";

/** @param {Match} match */
function stopText(match) {
  if (mayDisappear(match.seated)) return "Your program ends now. If you are not back before your time is up, the others fold your hand and play on without you.";
  return `Your program ends now, and the match stays open. ${areSeveral(match) ? "Each" : "The"} other player may close it ${match.seated?.clock ? "when your time is up"
    : "after ten minutes"}.`;
}

/** What leaving costs. The program reports it only after the command. @param {Match} match */
function leaveText(match) {
  if (match.between) return "No hand is in play, so leaving costs no chips, and the others play on. You can come back by the link.";
  if (isAtTable(match)) {
    return "Your hand is folded at your next turn. The others play on. You keep your other chips in the list of the table, and can come back by the link."
      + (mayDisappear(match.seated) ? "" : " If cards are still to come in that hand, all of them together can then read every card that you had in this match.");
  }
  return `The match ends at your next turn, and ${isPoker(match) ? "the other player gets the pot of the hand in play."
    : "closed cards stay closed forever."}${mayClose(match) ? " “Close here” costs nothing, because the other player is out of time." : ""}`;
}

/** @param {App} app */
function feltView(app) {
  const ring = h("ol.ring");
  const pot = h("p.pot");
  const board = h("div.community", { role: "group", "aria-label": "Board" });
  const boardTag = seesTag();
  const outcome = h("p.outcome");
  const middle = h("li.middle", h("div.said", pot, outcome, boardTag.root), board);
  const root = h("section.table", { "aria-label": "Table" }, ring);

  /** @type {ReturnType<typeof seatView>[]} */
  let all = [];
  /** @type {CardView[]} */
  let boardCards = [];
  /** The places of the cards picked for exchange at the turn `pickedFor`. */
  let picked = new Set();
  let pickedFor = -1;
  /** @type {{ update: () => void, clock: (left: ReturnType<typeof timeLeft>) => void } | undefined} */
  let actions;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  let warned = -1;
  /** The last result whose winnings were animated. @type {Result | null} */
  let paid = null;

  function setSeats() {
    const count = seats(app.match);
    if (all.length === count && all[app.match.own]?.own) return;
    all = Array.from({ length: count }, (_, seat) => seatView(app, seat, pick));
    const order = all.map((_, step) => all[(app.match.own + step) % count]);
    const others = order.slice(1).map((seat) => seat.root);
    clear(ring, ...others, middle, order[0].root);
    root.classList.toggle("several", count > 2);
    const rows = Math.floor(others.length / 2);
    setPlaces("--tall", others, rows, 1);
    setPlaces("--wide", others, others.length > 5 ? 2 : 1, 2);
    middle.style.setProperty("--tall", rows > 1 ? `${1 + others.length % 2} / 2 / ${rows + 1}` : "2 / 1 / auto / -1");
    order[0].root.style.setProperty("--tall", "auto / 1 / auto / -1");
    root.classList.toggle("many", rows > 1);
  }

  /**
   * Places the other seats around the table, clockwise: `sides` seats at each side from row `first`
   * on, and the others in the top row.
   * @param {"--tall" | "--wide"} shape the custom property for the grid area
   * @param {HTMLElement[]} others @param {number} sides @param {number} first
   */
  function setPlaces(shape, others, sides, first) {
    const top = others.length - 2 * sides;
    const column = top > 2 ? 1 : 2;
    root.style.setProperty("--columns", `${Math.max(top - 2 * (2 - column), 1)}`);
    others.forEach((seat, at) => seat.style.setProperty(shape, at < sides ? `${first + sides - 1 - at} / 1`
      : at < sides + top ? `1 / ${column + at - sides}` : `${first + at - sides - top} / -2`));
  }

  const exchanging = () => {
    const { turn } = app.match;
    return turn?.event === "your-turn" && turn.ask === "exchange" && app.role === "play" ? turn : null;
  };

  /** @param {number} at */
  function pick(at) {
    const turn = exchanging();
    if (!turn || at >= turn.cards.length) return;
    if (pickedFor !== turn.turn) picked = new Set();
    pickedFor = turn.turn;
    if (!picked.delete(at)) picked.add(at);
    update();
    actions?.update();
  }

  function update() {
    const { match } = app;
    setSeats();
    const turn = exchanging();
    const marked = turn && turn.turn === pickedFor ? picked : new Set();
    const from = pot.getBoundingClientRect();
    for (const seat of all) seat.update(turn ? marked : null);
    const result = match.deal?.result ?? null;
    const parts = pots(match).map((chips, at) => ` · ${at === 0 ? "main" : "side"} ${amount(chips)}`);
    setText(pot, match.deal && !result && !match.over && !match.between ? `Pot ${amount(match.pot)}${parts.join("")}` : "");
    updateBoard();
    // The last result and the changes of the table are shown until the first own turn.
    const { previous, deal, between, list } = match;
    // A match of a table counts its hands from 1.
    const hand = previous && deal && previous.hand < deal.number ? `Hand ${amount(previous.hand)}` : "Last hand";
    const wins = result ? winsOf(result) : !deal?.asked && previous ? `${hand}: ${winsOf(previous)}` : "";
    const changes = list && !deal?.asked && (deal?.number ?? 1) === 1 && !match.over ? list : between;
    setText(outcome, [wins, changes && forPage(changes.message)].filter(Boolean).join(" ") || (isShuffling(match) ? "The deck is being shuffled" : ""));
    if (result && result !== paid && from.width > 0 && !keepsStill()) for (const seat of won(result).keys()) all[seat]?.pay(from);
    paid = result;
    tick();
    clearInterval(ticking);
    if (timeLeft(match, Date.now())) ticking = setInterval(tick, TICK);
  }

  function updateBoard() {
    const { match } = app;
    const cards = match.deal?.board ?? [];
    const places = match.seated?.game === "draw" ? 0 : 5;
    board.hidden = places === 0 && cards.length === 0;
    while (boardCards.length < Math.max(places, cards.length)) {
      const view = cardView();
      boardCards.push(view);
      board.append(h("span.slot", view.root));
    }
    const best = winningCards(match);
    boardCards.forEach((view, at) => {
      const card = cards[at] ?? null;
      view.root.classList.toggle("best", best.has(cards[at]));
      view.root.hidden = card === null;
      view.show(card, "all");
    });
    setAttribute(board, "aria-label", cards.length === 0 ? "Board: no cards yet" : `Board: ${cards.map(cardName).join(", ")}`);
    boardTag.show(cards.length > 0 ? "all" : "");
  }

  function tick() {
    const { match } = app;
    const seat = seatToChoose(match);
    const left = timeLeft(match, Date.now());
    all.forEach((view, at) => view.clock(at === seat ? left : null));
    actions?.clock(left);
    if (!left || !isMyTurn(match) || !match.turn) return;
    const rest = left.move + left.bank;
    if (rest <= 10 && warned !== match.turn.turn) {
      warned = match.turn.turn;
      announce(`${Math.ceil(rest)} seconds left.`, true);
    }
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (isKey(event, root) && /^[1-5]$/.test(event.key)) pick(Number(event.key) - 1);
  }
  document.addEventListener("keydown", onKey);

  return {
    root,
    update,
    /** @param {Message} event */
    tell(event) {
      if (event.event === "dealt") {
        for (const view of boardCards) view.show(null);
        for (const seat of all) seat.clear();
      }
    },
    picked: () => (exchanging()?.turn === pickedFor ? [...picked].sort((a, b) => a - b) : []),
    /** @param {ReturnType<typeof actionsView>} choices updated with each picked card and each tick */
    connect(choices) {
      actions = choices;
    },
    close() {
      document.removeEventListener("keydown", onKey);
      clearInterval(ticking);
    },
  };
}

/** @param {App} app @param {number} seat @param {(place: number) => void} pick */
function seatView(app, seat, pick) {
  const own = seat === app.match.own;
  const name = h("span.name");
  const stack = h("span.amount");
  const button = h("span.button", { title: "Dealer button", hidden: true },
    h("span", { "aria-hidden": "true" }, "D"), h("span.unseen", "dealer button"));
  const clockBar = h("span.bar");
  const seconds = h("span.seconds");
  const clock = h("span.clock", { hidden: true }, clockBar);
  const plate = h("div.plate", h("div.line", name, button), h("div.line", stack, seconds), clock);
  const cards = h("div.cards", { role: "group" });
  const tag = seesTag();
  const worth = h("span.worth");
  const did = h("span.did");
  const bet = h("span.bet");
  const person = h("div.person", plate, h("div.acts", did, bet, tag.root, worth));
  const root = h("li", { class: own ? "seat own" : "seat" }, person, cards);
  /** @type {{ slot: HTMLElement, view: CardView }[]} */
  const shown = [];

  /** @param {number} at */
  function addCard(at) {
    const view = cardView();
    const slot = h("span", {
      class: "slot",
      onclick: () => own && pick(at),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (!own || (event.key !== "Enter" && event.key !== " ")) return;
        event.preventDefault();
        pick(at);
      },
    }, view.root);
    shown.push({ slot, view });
    cards.append(slot);
  }

  /** @returns {{ cards: (string | null)[], sees: string }} `sees` names the players who see them */
  function hand() {
    const { deal } = app.match;
    if (!deal || isShuffling(app.match)) return { cards: [], sees: "" };
    const opened = deal.result?.shown.find((of) => of.seat === seat);
    if (opened) return { cards: opened.cards, sees: "all" };
    const at = (/** @type {number | null} */ position) => (position === null ? null : deal.cards.get(position)?.card ?? null);
    if (own) return { cards: deal.own.map(at), sees: deal.shows[seat] || (isOpen(app.match) && !deal.folded[seat]) ? "all" : "only you" };
    if (!isPlaying(app.match, seat)) return { cards: [], sees: "" };
    const positions = deal.held[seat];
    const faces = positions ? positions.map(at) : heldBy(deal.cards);
    const open = faces.some((card) => card !== null);
    if (open || positions) return { cards: faces, sees: open ? "all" : "" };
    // Before the first turn `held` is unknown: assume as many cards as the own seat has.
    return { cards: deal.own.map(() => null), sees: "" };
  }

  /** @param {Map<number, CardSeen>} seen */
  function heldBy(seen) {
    return [...seen.values()].filter((card) => card.holder === seat).map((card) => card.card);
  }

  return {
    root,
    own,
    /** @param {DOMRect} from */
    pay(from) {
      const to = bet.getBoundingClientRect();
      const translate = [`${from.x - to.x}px ${from.y - to.y}px`, "0 0"];
      bet.animate({ translate, scale: [1.5, 1] }, { duration: 800, easing: "ease-in-out" });
    },
    clear() {
      for (const { view } of shown) view.show(null);
    },
    /** @param {Set<number> | null} marked the cards marked for exchange; null outside of an exchange */
    update(marked) {
      const { match } = app;
      const { deal } = match;
      setText(name, nameOf(match, seat));
      setAttribute(name, "title", own ? null : nameOf(match, seat));
      const chips = match.stacks[seat] ?? 0;
      const result = deal?.result ?? null;
      const inHand = deal !== null && isPlaying(match, seat);
      const allIn = chips === 0 && inHand && !result && match.pot > 0;
      setText(stack, allIn ? "all in" : shortAmount(chips));
      setAttribute(stack, "title", `${amount(chips)} chips`);
      button.hidden = match.button !== seat || deal === null;
      const turn = seatToChoose(match) === seat;
      root.classList.toggle("turn", turn);
      root.classList.toggle("folded", !inHand && deal !== null);
      setAttribute(root, "aria-current", turn ? "true" : null);
      const wins = result ? won(result).get(seat) ?? 0 : 0;
      root.classList.toggle("winner", wins > 0);
      const chose = deal?.did[seat] ?? null;
      const folded = deal?.folded[seat] || deal?.held[seat]?.length ? "folded" : chips === 0 ? "out" : "sits out";
      setText(did, match.left.includes(seat) ? "left" : match.removed.includes(seat) ? "gone" : isAway(match, seat) && areSeveral(match) ? "not connected"
        : deal && !inHand && !result ? folded : chose && !turn ? didShort(chose) : "");
      const bets = match.bets[seat] ?? 0;
      setText(bet, wins > 0 ? `+${shortAmount(wins)}` : bets > 0 ? shortAmount(bets) : "");
      setAttribute(bet, "title", wins > 0 ? `wins ${amount(wins)}` : bets > 0 ? `has bet ${amount(bets)}` : null);
      setText(worth, result?.shown.find((of) => of.seat === seat)?.worth ?? (own && inHand && !result ? deal.made : ""));

      const { cards: faces, sees } = hand();
      while (shown.length < faces.length) addCard(shown.length);
      const best = winningCards(match);
      shown.forEach(({ slot, view }, at) => {
        view.root.classList.toggle("best", best.has(faces[at] ?? ""));
        slot.hidden = at >= faces.length;
        if (slot.hidden) return view.show(null);
        view.show(faces[at], sees);
        const picks = own && marked !== null;
        setAttribute(slot, "role", picks ? "button" : null);
        setAttribute(slot, "tabindex", picks ? 0 : null);
        setAttribute(slot, "aria-pressed", picks ? (marked.has(at) ? "true" : "false") : null);
      });
      tag.show(faces.some((card) => card !== null) ? sees : "");
      cards.hidden = faces.length === 0;
      const ownCards = marked ? "Your cards: choose those to exchange" : "Your cards";
      setAttribute(cards, "aria-label", own ? ownCards : `Cards of ${nameOf(match, seat)}`);
      root.dataset.cards = faces.length > 2 ? "many" : "few";
      root.classList.toggle("opened", faces.some((card) => card !== null));
    },
    /** @param {ReturnType<typeof timeLeft>} left */
    clock(left) {
      clock.hidden = seconds.hidden = left === null;
      if (!left) return;
      const inBank = left.move === 0;
      const whole = inBank ? app.match.seated?.clock?.bank ?? left.of.bank : app.match.seated?.clock?.move ?? left.of.move;
      const rest = inBank ? left.bank : left.move;
      clockBar.style.transform = `scaleX(${Math.min(1, rest / Math.max(1, whole))})`;
      root.classList.toggle("bank", inBank);
      setText(seconds, `${Math.ceil(rest)} s`);
      setAttribute(seconds, "title", timeWords(left));
    },
  };
}
