// What one can choose at one's turn, why not, and what came of it.

import { announce, buttonTo, clear, errorLine, h, setAttribute, setText } from "./dom.js";
import { hasEnded, isMyTurn, isPoker, isShuffling, seatToChoose } from "./match.js";
import { amount, asSentence, nameOf, namesOf, problem, waitingFor } from "./words.js";

/** For so many milliseconds after the page has come up, or is looked at again, no key counts. */
const SURPRISE = 500;
let awake = performance.now();
document.addEventListener("visibilitychange", () => { awake = performance.now(); });

/** @import { App } from "./types.js" */
/** @import { Command, Event, Range, YourTurn } from "./protocol.js" */

/**
 * A button that stays reachable when it cannot be used, and then says why.
 * @param {string} name
 * @param {string} key
 * @param {string} kind
 * @param {() => void} act
 */
function action(name, key, kind, act) {
  const label = h("b", null, name);
  const detail = h("span");
  const why = h("span", { id: `why-${name.toLowerCase()}`, class: "unseen" });
  const button = h("button", {
    type: "button", class: `action ${kind}`, "aria-keyshortcuts": key, "aria-describedby": why.id,
    onclick: () => button.ariaDisabled !== "true" && act(),
  }, h("span", { class: "words" }, label, detail), h("kbd", { "aria-hidden": "true" }, key));
  return {
    button,
    why,
    /** @param {string} text @param {string} more @param {string} reason it cannot be used; empty if it can */
    set(text, more, reason) {
      setText(label, text);
      setText(detail, more);
      setText(why, reason);
      setAttribute(button, "title", reason || null);
      setAttribute(button, "aria-disabled", reason ? "true" : null);
    },
  };
}

/**
 * The choices of poker.
 * @param {App} app
 * @param {{ places: () => number[] }} picked the places of the cards that are to be exchanged
 */
export function actionsView(app, picked) {
  const say = h("p", { class: "say" });
  const error = errorLine();

  const fold = action("Fold", "f", "quiet", () => send({ do: "fold" }));
  const call = action("Check", "c", "", () => send(callOrCheck()));
  const raise = action("Raise", "r", "main", () => sendRaise());
  const slider = h("input", { type: "range", "aria-label": "Amount", step: 1, oninput: () => setAmount(Number(slider.value)) });
  const number = h("input", {
    type: "number", inputmode: "numeric", "aria-label": "Amount", step: 1,
    oninput: () => showAmount(Number(number.value)),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") { event.preventDefault(); sendRaise(); }
    },
  });
  const quick = h("div", { class: "quick", role: "group", "aria-label": "Amounts" });
  const amounts = h("div", { class: "amounts" }, quick, h("div", { class: "sliding" }, slider, number));
  const betting = h("div", { class: "betting" }, amounts,
    h("div", { class: "three" }, fold.button, call.button, raise.button), fold.why, call.why, raise.why);

  const exchange = action("Exchange", "e", "main", () => send({ do: "exchange", places: picked.places() }));
  const exchanging = h("div", { class: "one" }, exchange.button, exchange.why);
  const show = action("Show", "s", "main", () => send({ do: "show" }));
  const muck = action("Muck", "m", "", () => send({ do: "muck" }));
  const showing = h("div", { class: "three" }, muck.button, show.button, show.why, muck.why);
  const agree = action("Agree", "", "main", () => rebuy(true));
  const decline = action("Decline", "", "", () => rebuy(false));
  const buying = h("div", { class: "three" }, decline.button, agree.button, agree.why, decline.why);
  const ended = h("div", { class: "three" },
    buttonTo("Lobby", () => app.go("lobby")),
    buttonTo("What was played", () => app.go("after", app.match.seated?.match), { class: "main" }));
  const root = h("section", { class: "panel actions", "aria-label": "Your choice" },
    say, error, betting, exchanging, showing, buying, ended);

  /** A command is on its way, and nothing has come of it yet. */
  let pending = false;
  let answered = false;
  /** The turn and range for which the amounts are laid out. */
  let laidOut = "";

  /** @param {Command} said @returns {Promise<void>} */
  async function send(said) {
    if (pending || (said.do !== "rebuy" && whyNot())) return;
    pending = true;
    setText(error, "");
    const turn = app.match.turn;
    update();
    try {
      await app.send(said.do === "rebuy" || !turn ? said : { ...said, turn: turn.turn });
    } catch (failed) {
      pending = false;
      if (said.do === "rebuy") answered = false;
      setText(error, problem(failed));
      update();
    }
  }

  /** @param {boolean} agrees */
  function rebuy(agrees) {
    answered = true;
    void send({ do: "rebuy", agree: agrees });
  }

  const turn = () => (isMyTurn(app.match) ? /** @type {YourTurn} */ (app.match.turn) : null);

  /** @returns {Command} */
  function callOrCheck() {
    const now = turn();
    return now?.ask === "bet" && now.call !== null ? { do: "call" } : { do: "check" };
  }

  /** @returns {{ do: "bet" | "raise", range: Range } | null} */
  function more() {
    const now = turn();
    if (now?.ask !== "bet" || watching() || stopped()) return null;
    if (now.bet) return { do: "bet", range: now.bet };
    return now.raise && { do: "raise", range: now.raise };
  }

  function sendRaise() {
    const how = more();
    if (!how) return;
    const to = Number(number.value);
    const { min, max } = how.range;
    if (!Number.isInteger(to) || to < min || to > max) {
      setText(error, min === max ? `It can only be ${amount(min)}.` : `It can be ${amount(min)} to ${amount(max)}.`);
      number.focus();
      return;
    }
    void send({ do: how.do, to });
  }

  /** @param {number} to */
  function setAmount(to) {
    number.value = String(to);
    showAmount(to);
  }

  /** @param {number} to */
  function showAmount(to) {
    const how = more();
    if (!how) return;
    setText(error, "");
    slider.value = String(to);
    setAttribute(slider, "aria-valuetext", amount(to));
    for (const button of quick.querySelectorAll("button")) {
      setAttribute(button, "aria-pressed", Number(button.dataset.to) === to ? "true" : "false");
    }
    raiseWords(how);
  }

  /** @param {{ do: "bet" | "raise", range: Range }} how */
  function raiseWords(how) {
    const to = Number(number.value);
    const now = turn();
    const all = now && to === ownBet(now) + (now.stacks[app.match.own] ?? 0);
    const words = how.do === "bet" ? "Bet" : "Raise to";
    raise.set(words, all ? `${amount(to)}, all in` : amount(to), pending ? "Your choice is on its way." : "");
  }

  /** @param {YourTurn} now */
  function ownBet(now) {
    return now.bets[app.match.own] ?? 0;
  }

  /** Lays the amounts out for a turn, once. */
  function layOut() {
    const how = more();
    const now = turn();
    const key = how && now ? `${now.turn} ${how.do} ${how.range.min} ${how.range.max}` : "";
    if (key === laidOut) return;
    laidOut = key;
    if (!how || !now || now.ask !== "bet") return;
    const { min, max } = how.range;
    for (const input of [slider, number]) {
      input.min = String(min);
      input.max = String(max);
    }
    amounts.hidden = min === max;
    const called = Math.max(0, ...now.bets);
    const pot = now.pot + (now.call ?? 0);
    const all = ownBet(now) + (now.stacks[app.match.own] ?? 0);
    /** @type {[string, number][]} */
    const choices = [["Min", min], ["½ pot", called + Math.floor(pot / 2)], ["Pot", called + pot], [max === all ? "All in" : "Max", max]];
    clear(quick, ...choices.map(([name, to]) => {
      const bounded = Math.max(min, Math.min(max, to));
      return buttonTo(name, () => setAmount(bounded), { "data-to": bounded, "aria-label": `${name}: ${amount(bounded)}` });
    }));
    setAmount(min);
  }

  /** Why there is no bet or raise now. @param {YourTurn & { ask: "bet" }} now */
  function whyNoRaise(now) {
    const { own, deal } = app.match;
    const others = now.stacks.filter((_, seat) => seat !== own && !deal?.folded[seat]);
    if (others.length > 0 && others.every((stack) => stack === 0)) {
      return others.length === 1 ? "The other side is all in: it can call no more." : "All others are all in: they can call no more.";
    }
    if (now.call !== null && (now.stacks[own] ?? 0) <= now.call) return "A call takes all your chips.";
    if (app.match.seated?.game === "fixed-holdem") return "The limit of raises in this round is reached.";
    return now.call === null ? "The rules allow no bet here." : "The rules allow no raise here.";
  }

  function watching() {
    return app.role === "watch" ? "Another page plays. This one watches." : "";
  }

  /** There is no program any more that could be told anything. */
  function stopped() {
    if (app.gone) return "The program that serves this page does not answer.";
    return app.state?.program?.running === false ? "The program has ended." : "";
  }

  /** Why nothing can be chosen now; empty if something can. */
  function whyNot() {
    const { match } = app;
    if (stopped()) return stopped();
    if (pending) return "Your choice is on its way.";
    if (watching()) return watching();
    if (match.lineLost !== null && !turn()) return "There is no line to the other side.";
    if (turn()) return "";
    const seat = seatToChoose(match);
    if (seat !== null) return `It is the turn of ${nameOf(match, seat)}.`;
    return "It is not your turn.";
  }

  /** What is going on, in a sentence. */
  function saying() {
    const { match } = app;
    const now = turn();
    if (hasEnded(match)) return match.over ? "The match is over." : "The match stays open. It is not played now.";
    if (stopped()) return stopped();
    if (match.askRebuy) {
      const { seats, chips } = match.askRebuy;
      if (answered) return "Your answer was sent. The match goes on if both agree.";
      const have = seats.length > 1 || seats[0] === match.own ? "have" : "has";
      return `${namesOf(match, seats)} ${have} no chips left. If both agree, the match goes on with ${amount(chips)} more chips.`;
    }
    if (match.waiting) return waitingFor(match, match.waiting);
    if (now?.ask === "bet") return now.call === null ? "Your turn. Nothing to call." : `Your turn. ${amount(now.call)} to call.`;
    if (now?.ask === "exchange") return "Your turn. Choose the cards to exchange (keys 1 to 5).";
    if (now?.ask === "show-or-muck") return "Your turn. Show your cards to all, or keep them closed?";
    const seat = seatToChoose(match);
    if (seat !== null) return `${nameOf(match, seat)} is to choose.`;
    if (match.sitsOut) return "You sit out. The next hand waits for you.";
    if (match.deal?.result) return "The hand is over.";
    if (!match.deal) return "";
    return isShuffling(match) ? "The deck is being shuffled." : "Waiting for the other side.";
  }

  function update() {
    const { match } = app;
    const now = turn();
    const reason = whyNot();
    const buy = match.askRebuy !== null;
    setText(say, saying());
    root.classList.toggle("mine", now !== null || (buy && !answered));
    exchanging.hidden = now?.ask !== "exchange" || buy;
    showing.hidden = now?.ask !== "show-or-muck" || buy;
    buying.hidden = !buy;
    ended.hidden = !hasEnded(match);
    betting.hidden = !(exchanging.hidden && showing.hidden && buying.hidden && ended.hidden);
    const sent = pending || answered ? "Your answer was sent." : "";
    agree.set("Agree", "", stopped() || watching() || sent);
    decline.set("End the match", "", stopped() || watching() || sent);
    show.set("Show", "all see them", reason);
    muck.set("Muck", "stay closed", reason);
    const count = picked.places().length;
    exchange.set(count === 0 ? "Keep all" : `Exchange ${count} ${count === 1 ? "card" : "cards"}`, "", reason);
    layOut();
    const bet = now?.ask === "bet" ? now : null;
    amounts.hidden = more() === null || slider.min === slider.max;
    slider.disabled = number.disabled = pending;
    fold.set("Fold", "", reason);
    const calls = bet?.call ?? null;
    const all = calls !== null && calls >= (match.stacks[match.own] ?? 0);
    call.set(calls === null ? "Check" : "Call", calls === null ? "" : `${amount(calls)}${all ? ", all in" : ""}`, reason);
    const how = more();
    if (how && !reason) raiseWords(how);
    else raise.set(how ? (how.do === "bet" ? "Bet" : "Raise to") : "Raise", how ? amount(Number(number.value)) : "", reason || (bet ? whyNoRaise(bet) : ""));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    // A key that was meant for what was here a moment ago bets nothing.
    if (performance.now() - awake < SURPRISE) return;
    if (!root.isConnected || !isPoker(app.match) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    const press = (/** @type {HTMLElement} */ group, /** @type {HTMLButtonElement} */ button) => {
      if (!group.hidden) button.click();
    };
    switch (event.key) {
      case "f": press(betting, fold.button); break;
      case "c": press(betting, call.button); break;
      case "r":
        if (!betting.hidden && !amounts.hidden) {
          event.preventDefault();
          number.focus();
          number.select();
        } else if (more()) {
          raise.button.focus();
        }
        break;
      case "e": press(exchanging, exchange.button); break;
      case "s": press(showing, show.button); break;
      case "m": press(showing, muck.button); break;
      default: break;
    }
  }
  document.addEventListener("keydown", onKey);

  return {
    root,
    update,
    /** An event was applied. @param {Event} event */
    tell(event) {
      switch (event.event) {
        case "chose":
          if (event.seat !== app.match.own) break;
          pending = false;
          setText(error, "");
          break;
        case "error":
          pending = answered = false;
          if (event.exit_code === undefined) setText(error, asSentence(event.message));
          break;
        case "your-turn":
        case "dealt":
        case "over":
          pending = answered = false;
          setText(error, "");
          break;
        default: break;
      }
    },
    /** Says one's turn to who listens to the page. */
    announceTurn() {
      const words = [say.textContent, !raise.why.textContent && more() && `You can ${more()?.do}.`];
      announce(words.filter(Boolean).join(" "), true);
    },
    close() {
      document.removeEventListener("keydown", onKey);
    },
  };
}
