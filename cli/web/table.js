// The table page: the seats around the table, what lies on it, what one can choose, and the log.

import { announce, buttonTo, clear, confirmed, errorLine, h, quiet, setAttribute, setText } from "./dom.js";
import { cardView, seesTag, written } from "./cards.js";
import { actionsView } from "./actions.js";
import { logView } from "./log.js";
import { costView } from "./cost.js";
import { inviteView } from "./invite.js";
import { trouble } from "./trouble.js";
import { deckView } from "./deck.js";
import { boardsView } from "./boards.js";
import { hasEnded, isMyTurn, isPoker, isShuffling, seatToChoose, seats, timeLeft } from "./match.js";
import { amount, cardName, didShort, gameName, inShort, nameOf, problem, sentence, shortAmount, spoken, stakes, topic, winnings } from "./words.js";

/** @import { App, CardView, Match } from "./types.js" */
/** @import { Event } from "./protocol.js" */

/** How often a clock is drawn, in milliseconds. */
const TICK = 200;
/** How many sentences are said of what came at once. */
const SAID = 4;

/** @param {App} app */
export function tablePage(app) {
  const log = logView();
  const cost = costView();
  const felt = feltView(app);
  const actions = actionsView(app, { places: felt.picked });
  felt.onPick(actions.update);
  const room = new ResizeObserver(() => felt.root.style.setProperty("--choices", `${actions.root.offsetHeight + 8}px`));
  room.observe(actions.root);
  const menu = menuView(app);
  const title = h("h1", null, "Table");
  const about = h("p", { class: "about muted" });
  const troubles = h("div", { class: "troubles" });
  const failure = h("div", { class: "trouble cheat", role: "alert", hidden: true });
  const last = lastHandView(app);
  const stage = h("div", { class: "stage" });
  const root = h("div", { class: "table-page" },
    h("div", { class: "table-head" }, h("div", null, title, about), menu.root),
    h("div", { class: "play" }, failure, troubles, stage),
    h("aside", { class: "side", "aria-label": "What has happened" }, last.root, cost.root, log.root));

  /** What the stage shows, and how it is brought up to date. @type {{ kind: string, update: () => void }} */
  let scene = { kind: "", update: () => {} };
  /** Sentences that are still to be said. @type {string[]} */
  let toSay = [];
  let turnSaid = "";

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

    /** An event was applied to the match. @param {Event} event */
    tell(event) {
      const parts = sentence(app.match, event);
      if (log.add(event, parts, topic(app.match, event))) toSay.pop();
      actions.tell(event);
      felt.tell(event);
      const said = spoken(parts);
      if (said && event.event !== "your-turn") toSay.push(said);
    },

    /** Shows what the match is now. */
    update() {
      const { match } = app;
      setScene();
      const seated = match.seated;
      setText(title, seated ? gameName(seated) : "Table");
      setText(about, seated ? aboutHand(match) : "");
      scene.update();
      cost.update(match);
      last.update();
      menu.update();
      const bad = trouble(app, match);
      if (troubles.firstChild !== bad) clear(troubles, bad);
      if (toSay.length > 0) announce(toSay.slice(-SAID).join(" "));
      toSay = [];
      const turn = match.turn && isMyTurn(match) ? `${match.deal?.number} ${match.turn.turn}` : "";
      if (turn !== turnSaid && turn && isPoker(match)) actions.announceTurn();
      turnSaid = turn;
    },

    /** The page is not let in. @param {string} message @param {() => void} again */
    fail(message, again) {
      clear(failure, h("p", null, message), buttonTo("Try again", again));
      this.update();
      failure.hidden = false;
      stage.hidden = true;
    },

    /** This match is not shown any more. */
    dispose() {
      actions.close();
      felt.close();
      room.disconnect();
    },
  };
}

/** @param {Match} match */
function aboutHand(match) {
  const { seated, deal } = match;
  if (!seated) return "";
  const hand = deal ? `Hand ${amount(deal.number)} of ${amount(seated.hands)}` : "";
  return [hand, ...stakes(seated)].filter(Boolean).join(" · ");
}

/** What one can do with the match as a whole. @param {App} app */
function menuView(app) {
  const error = errorLine();
  const note = quiet();
  let leaving = false;
  /** @param {import("./protocol.js").Command} said */
  const say = async (said) => {
    setText(error, "");
    try {
      await app.send(said);
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
      if (!(await say({ do: back ? "back" : "sit-out" }))) return;
      app.match.sitsOut = !back;
      update();
    },
  }, "Sit out");
  const close = buttonTo("Close the match here", () => say({ do: "close" }));
  const stop = h("button", {
    type: "button",
    onclick: async () => {
      const text = "Your program ends, and the match stays open: you can go on with it from the lobby. A clock of the other side may run.";
      if (await confirmed("Break off?", text, "Break off")) await app.end();
    },
  }, "Break off, go on later");
  const leave = h("button", {
    type: "button",
    class: "danger",
    onclick: async () => {
      const text = "The match ends for good at your next turn. What you have bet in this hand is lost.";
      if (await confirmed("Leave the match?", text, "Leave") && (await say({ do: "leave" }))) leaving = true;
      update();
    },
  }, "Leave for good");
  const who = h("p", { class: "muted fingerprints" });
  const root = h("details", { class: "menu" }, h("summary", null, "Match"),
    h("div", { class: "menu-content panel" }, note, sit, close, stop, leave, error, who));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.open = false;
  });

  function update() {
    const { match } = app;
    const plays = app.role === "play" && match.seated !== null && !hasEnded(match);
    root.hidden = match.seated === null;
    sit.hidden = stop.hidden = leave.hidden = !plays;
    close.hidden = !plays || !mayClose(match);
    setText(sit, match.sitsOut ? "Sit in again" : "Sit out from the next hand");
    setText(note, leaving && plays ? "You leave at your next turn." : "");
    note.hidden = note.textContent === "";
    if (match.seated) {
      const { names, fingerprints } = match.seated;
      const text = names.map((_, seat) => `${nameOf(match, seat)}: ${fingerprints[seat] ?? ""}`).join("\n");
      setText(who, `Fingerprints\n${text}`);
    }
  }
  return { root, update };
}

/** Whether the match may be closed here. @param {Match} match */
function mayClose(match) {
  if (match.outOfTime && match.outOfTime.seat !== match.own) return true;
  return match.lineLost !== null && !match.seated?.clock;
}

/** The result of the last hand: it stays until the next one has a result. @param {App} app */
function lastHandView(app) {
  const title = h("h2");
  const content = h("div");
  const root = h("section", { class: "panel last-hand", hidden: true, "aria-label": "Last hand" }, title, content);
  /** @type {Match["previous"]} */
  let shown = null;
  return {
    root,
    update() {
      const { previous, deal } = app.match;
      // While the hand lies on the table, it is seen there.
      root.hidden = previous === null || !isPoker(app.match) || deal?.result === previous.result;
      if (previous === shown || previous === null) return;
      shown = previous;
      setText(title, `Hand ${amount(previous.number)}`);
      const rows = previous.result.shown.map((hand) => h("p", { class: "shown-hand" },
        `${nameOf(app.match, hand.seat)}: `, ...written(hand.cards.flatMap((card) => [{ card }, " "])), `– ${hand.worth}`));
      const board = previous.board.length > 0 && h("p", { class: "shown-hand" }, "Board: ",
        ...written(previous.board.flatMap((card) => [{ card }, " "])));
      clear(content, ...winnings(app.match, previous.result).map((line) => h("p", { class: "winner" }, line)), ...rows, board);
    },
  };
}

/**
 * Where the seats are, in parts of a hundred of the table: around an oval if it is wide, else along its left, upper and
 * right side. One's own is below.
 * @param {number} count
 * @param {number} step how many seats after one's own
 */
export function place(count, step) {
  const angle = Math.PI / 2 + (2 * Math.PI * step) / count;
  const [x, y] = [50 + 50 * Math.cos(angle), 50 + 50 * Math.sin(angle)];
  let side = y < 50 ? "top" : "bottom";
  if (Math.abs(x - 50) > 36) side = x < 50 ? "left" : "right";

  const others = count - 1;
  const each = Math.floor(others / 2);
  let [narrowX, narrowY, narrowSide] = [50, 0, "top"];
  if (step <= each) {
    [narrowX, narrowSide] = [0, "left"];
    narrowY = each === 1 ? 4 : 8 + (62 * (each - step)) / (each - 1);
  } else if (step > others - each) {
    [narrowX, narrowSide] = [100, "right"];
    narrowY = each === 1 ? 4 : 8 + (62 * (step - (others - each) - 1)) / (each - 1);
  }
  return { x, y, side, narrowX, narrowY, narrowSide };
}

/** The table itself. @param {App} app */
function feltView(app) {
  const ring = h("ol", { class: "ring" });
  const pot = h("p", { class: "pot" });
  const board = h("div", { class: "community", role: "group", "aria-label": "Board" });
  const boardTag = seesTag();
  const outcome = h("p", { class: "outcome" });
  const root = h("section", { class: "table", "aria-label": "Table" },
    h("div", { class: "felt" }),
    h("div", { class: "middle" }, pot, outcome, board, boardTag.root),
    ring);

  /** @type {ReturnType<typeof seatView>[]} */
  let all = [];
  /** @type {CardView[]} */
  let boardCards = [];
  /** The places of the cards that are to be exchanged, and for which turn they were picked. */
  let picked = new Set();
  let pickedFor = -1;
  let onPick = () => {};
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  let warned = -1;

  function setSeats() {
    const count = seats(app.match);
    if (all.length === count && all[app.match.own]?.own) return;
    all = Array.from({ length: count }, (_, seat) => seatView(app, seat, pick));
    const order = all.map((_, step) => all[(app.match.own + step) % count]);
    order.forEach((seat, step) => seat.stand(place(count, step)));
    // One's own seat comes first for who reads from above to below.
    clear(ring, ...order.map((seat) => seat.root));
    root.dataset.seats = ["", "", "two", "three", "some", "some", "some"][count] ?? "many";
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
    onPick();
  }

  function update() {
    const { match } = app;
    setSeats();
    const turn = exchanging();
    const marked = turn && turn.turn === pickedFor ? picked : new Set();
    for (const seat of all) seat.update(turn ? marked : null);
    const result = match.deal?.result ?? null;
    setText(pot, match.deal && !result ? `Pot ${amount(match.pot)}` : "");
    updateBoard();
    const shuffles = isShuffling(match);
    setText(outcome, result ? inShort(match, result) : shuffles ? "The deck is being shuffled" : "");
    outcome.classList.toggle("shuffling", shuffles);
    tick();
    const runs = timeLeft(match, Date.now()) !== null;
    if (runs && ticking === undefined) ticking = setInterval(tick, TICK);
    if (!runs) {
      clearInterval(ticking);
      ticking = undefined;
    }
  }

  function updateBoard() {
    const { match } = app;
    const cards = match.deal?.board ?? [];
    const places = match.seated?.game === "draw" ? 0 : 5;
    board.hidden = places === 0 && cards.length === 0;
    while (boardCards.length < Math.max(places, cards.length)) {
      const view = cardView();
      boardCards.push(view);
      board.append(h("span", { class: "slot" }, view.root));
    }
    boardCards.forEach((view, at) => {
      const card = cards[at] ?? null;
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
    if (!left || !isMyTurn(match) || !match.turn) return;
    const rest = left.move + left.bank;
    if (rest <= 10 && warned !== match.turn.turn) {
      warned = match.turn.turn;
      announce(`${Math.ceil(rest)} seconds left.`, true);
    }
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!root.isConnected || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    if (/^[1-5]$/.test(event.key)) pick(Number(event.key) - 1);
  }
  document.addEventListener("keydown", onKey);

  return {
    root,
    update,
    /** @param {Event} event */
    tell(event) {
      if (event.event === "dealt") {
        for (const view of boardCards) view.show(null);
        for (const seat of all) seat.clear();
      }
    },
    picked: () => (exchanging()?.turn === pickedFor ? [...picked].sort((a, b) => a - b) : []),
    /** @param {() => void} act */
    onPick(act) {
      onPick = act;
    },
    close() {
      document.removeEventListener("keydown", onKey);
      clearInterval(ticking);
    },
  };
}

/** A seat at the table. @param {App} app @param {number} seat @param {(place: number) => void} pick */
function seatView(app, seat, pick) {
  const own = seat === app.match.own;
  const name = h("span", { class: "name" });
  const stack = h("span", { class: "amount" });
  const button = h("span", { class: "button", title: "Dealer button", hidden: true }, 
    h("span", { "aria-hidden": "true" }, "D"), h("span", { class: "unseen" }, "dealer button"));
  const clockBar = h("span", { class: "bar" });
  const seconds = h("span", { class: "seconds" });
  const clock = h("span", { class: "clock", hidden: true }, clockBar);
  const plate = h("div", { class: "plate" }, h("div", { class: "line" }, name, button), h("div", { class: "line" }, stack, seconds), clock);
  const cards = h("div", { class: "cards", role: "group" });
  const tag = seesTag();
  const worth = h("span", { class: "worth" });
  const did = h("span", { class: "did" });
  const bet = h("span", { class: "bet" });
  const front = h("div", { class: "front" }, cards, h("div", { class: "acts" }, did, bet, tag.root, worth));
  const root = h("li", { class: own ? "seat own" : "seat" }, plate, front);
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

  /** The cards of this seat, and who sees them. @returns {{ cards: (string | null)[], sees: string }} */
  function hand() {
    const { deal } = app.match;
    if (!deal || isShuffling(app.match)) return { cards: [], sees: "" };
    const opened = deal.result?.shown.find((of) => of.seat === seat);
    if (opened) return { cards: opened.cards, sees: "all" };
    const at = (/** @type {number | null} */ position) => (position === null ? null : deal.cards.get(position)?.card ?? null);
    if (own) return { cards: deal.own.map(at), sees: deal.shows[seat] ? "all" : "only you" };
    if (deal.folded[seat]) return { cards: [], sees: "" };
    const positions = deal.held[seat];
    const faces = positions ? positions.map(at) : heldBy(deal.cards);
    const open = faces.some((card) => card !== null);
    if (open || positions) return { cards: faces, sees: open ? "all" : "" };
    // Who holds what is told with the first turn; until then all hold as many cards.
    return { cards: deal.own.map(() => null), sees: "" };
  }

  /** @param {Map<number, import("./protocol.js").CardSeen>} seen */
  function heldBy(seen) {
    return [...seen.values()].filter((card) => card.holder === seat).map((card) => card.card);
  }

  return {
    root,
    own,
    /** @param {ReturnType<typeof place>} at */
    stand(at) {
      root.dataset.side = at.side;
      root.dataset.narrow = at.narrowSide;
      for (const [name, value] of /** @type {const} */ ([["--x", at.x], ["--y", at.y], ["--nx", at.narrowX], ["--ny", at.narrowY]])) {
        root.style.setProperty(name, `${value}%`);
      }
    },
    /** The cards are taken in. */
    clear() {
      for (const { view } of shown) view.show(null);
    },
    /** @param {Set<number> | null} marked the cards that are to be exchanged; null if none are asked for */
    update(marked) {
      const { match } = app;
      const { deal } = match;
      setText(name, nameOf(match, seat));
      setAttribute(name, "title", own ? null : nameOf(match, seat));
      const chips = match.stacks[seat] ?? 0;
      const result = deal?.result ?? null;
      const inHand = deal !== null && !deal.folded[seat];
      const allIn = chips === 0 && inHand && !result && match.pot > 0;
      setText(stack, allIn ? "all in" : shortAmount(chips));
      setAttribute(stack, "title", `${amount(chips)} chips`);
      button.hidden = match.button !== seat || deal === null;
      const turn = seatToChoose(match) === seat;
      root.classList.toggle("turn", turn);
      root.classList.toggle("folded", !inHand && deal !== null);
      setAttribute(root, "aria-current", turn ? "true" : null);
      const won = result?.pots.flatMap((of) => of.winners).filter((winner) => winner.seat === seat).reduce((sum, winner) => sum + winner.chips, 0) ?? 0;
      root.classList.toggle("winner", won > 0);
      const chose = deal?.did[seat] ?? null;
      setText(did, deal?.folded[seat] && !result ? "folded" : chose ? didShort(chose) : "");
      const bets = match.bets[seat] ?? 0;
      setText(bet, won > 0 ? `+${shortAmount(won)}` : bets > 0 ? shortAmount(bets) : "");
      setAttribute(bet, "title", won > 0 ? `wins ${amount(won)}` : bets > 0 ? `has bet ${amount(bets)}` : null);
      setText(worth, result?.shown.find((of) => of.seat === seat)?.worth ?? "");

      const { cards: faces, sees } = hand();
      while (shown.length < faces.length) addCard(shown.length);
      shown.forEach(({ slot, view }, at) => {
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
      setAttribute(seconds, "title", `${Math.ceil(left.move)} s for this move, then ${Math.ceil(left.bank)} s in the bank`);
    },
  };
}
