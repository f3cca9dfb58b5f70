// The player's choices in poker, and why a choice is not available.

import { announce, buttonTo, clear, errorLine, h, isKey, setAttribute, setText } from "./dom.js";
import { areSeveral, hasEnded, isMyTurn, isPoker, isShuffling, maySitAgain, missingChips, seatToChoose, timeLeft } from "./match.js";
import { mayRematch, rematch } from "./rematch.js";
import { settings } from "./settings.js";
import { amount, asSentence, nameOf, problem, sentencesOf, spoken, theOthers, timeWords } from "./words.js";

/** How long keys are ignored after the page has become visible, in milliseconds. */
const SURPRISE = 500;
let awake = performance.now();
document.addEventListener("visibilitychange", () => { awake = performance.now(); });

const SENDING = "Sending your choice.";

/**
 * A button that stays focusable while it cannot be used. It then shows the reason.
 * @param {string} name
 * @param {string} key
 * @param {string} kind
 * @param {() => void} act
 */
function action(name, key, kind, act) {
  const label = h("b", name);
  const detail = h("span");
  const why = h("span", { id: `why-${name.toLowerCase()}`, class: "unseen" });
  const button = h("button", {
    type: "button", class: `action ${kind}`, "aria-keyshortcuts": key, "aria-describedby": why.id,
    onclick: () => button.ariaDisabled !== "true" && act(),
  }, h("span.words", label, detail), h("kbd", { "aria-hidden": "true" }, key));
  return {
    button,
    why,
    /**
     * @param {string} text
     * @param {string} more
     * @param {string} reason why the button cannot be used; empty if it can
     */
    set(text, more, reason) {
      setText(label, text);
      setText(detail, more);
      setText(why, reason);
      setAttribute(button, "title", reason || null);
      setAttribute(button, "aria-disabled", reason ? "true" : null);
    },
  };
}

/** @param {...ReturnType<typeof action>} actions */
function together(...actions) {
  return h("div.three", ...actions.flatMap(({ button, why }) => [button, why]));
}

/**
 * @param {App} app
 * @param {{ places: () => number[] }} picked the places of the cards to exchange
 */
export function actionsView(app, picked) {
  const status = h("span");
  const time = h("span.muted");
  const error = errorLine();

  const fold = action("Fold", "f", "quiet", () => (turn()?.ask === "bet" && callOrCheck().do === "check" ? give("Fold") : send({ do: "fold" })));
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
  const quick = h("div.quick", { role: "group", "aria-label": "Amounts" });
  const amounts = h("div.amounts", quick, h("div.sliding", slider, number));
  const betting = h("div.betting", amounts,
    together(fold, call, raise));

  const exchange = action("Exchange", "e", "main", () => send({ do: "exchange", places: picked.places() }));
  const exchanging = together(exchange);
  const show = action("Show", "s", "main", () => send({ do: "show" }));
  const muck = action("Muck", "m", "", () => {
    const now = turn();
    return now?.ask === "show-or-muck" && now.wins ? give("Muck") : send({ do: "muck" });
  });
  const showing = together(muck, show);
  const agree = action("Agree", "", "main", () => rebuy(true));
  const decline = action("Decline", "", "", () => rebuy(false));
  const buying = together(decline, agree);
  const next = action("Next hand", "n", "main", () => send({ do: "next" }));
  const pausing = together(next);
  const sit = action("Sit down again", "", "main", () => sitAgain());
  const sitting = together(sit);
  const again = buttonTo("Rematch", () => rematch(app), { class: "main" });
  const ended = h("div.row", again, buttonTo("Match history", () => app.go("after", app.match.seated?.match)),
    buttonTo("Lobby", () => app.go("lobby")));
  /** The choice that the page asks the player to confirm. @type {{ what: "Fold" | "Muck", turn: number } | null} */
  let giving = null;
  const keep = buttonTo("Go back", () => answer(false), { "aria-keyshortcuts": "Escape" });
  const away = buttonTo("", () => answer(true), { class: "danger" });
  const sure = h("div.three", { role: "group", "aria-label": "Are you sure?" }, keep, away);
  const root = h("section.panel.actions", { "aria-label": "Your choice" },
    h("p.say", status, time), error, betting, exchanging, showing, sure, buying, pausing, sitting, ended);

  /** Whether a command was sent whose effect has not arrived. */
  let pending = false;
  let answered = false;
  /** The turn and the range of the shown amounts. */
  let laidOut = "";

  /** Buys chips after the hand of the others, or asks for a seat in the match that they play. */
  function sitAgain() {
    const { match } = app;
    return send(match.between ? { do: "sit", agree: true } : { do: "top-up", chips: missingChips(match) });
  }

  /** @param {Command} command @returns {Promise<void>} */
  async function send(command) {
    if (pending || (!["rebuy", "next", "sit", "top-up"].includes(command.do) && whyNot())) return;
    pending = true;
    setText(error, "");
    const turn = app.match.turn;
    update();
    try {
      await app.send(command.do === "rebuy" || !turn ? command : { ...command, turn: turn.turn });
    } catch (failed) {
      pending = false;
      if (command.do === "rebuy") answered = false;
      setText(error, problem(failed));
      update();
    }
  }

  /** @param {"Fold" | "Muck"} what */
  function give(what) {
    const now = turn();
    if (!now || whyNot()) return;
    giving = { what, turn: now.turn };
    if (!settings.asks) return answer(true);
    update();
    announce(statusText(), true);
    keep.focus();
  }

  /** @param {boolean} gives whether the player gives the pot away */
  function answer(gives) {
    const what = giving?.what;
    giving = null;
    update();
    if (gives) void send({ do: what === "Muck" ? "muck" : "fold" });
    else (what === "Muck" ? muck : fold).button.focus();
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

  /** @returns {{ do: "bet" | "raise", range: Amounts } | null} */
  function more() {
    const now = turn();
    if (now?.ask !== "bet" || watching() || stopped()) return null;
    if (now.bet) return { do: "bet", range: now.bet };
    return now.raise && { do: "raise", range: now.raise };
  }

  function sendRaise() {
    const how = more();
    if (!how) return;
    if (wrong(how)) number.focus();
    else void send({ do: how.do, to: Number(number.value) });
  }

  /** Why the amount is invalid; empty if it is valid. @param {{ range: Amounts }} how */
  function wrong({ range: { min, max } }) {
    const to = Number(number.value);
    return Number.isInteger(to) && to >= min && to <= max ? "" : `Enter an amount from ${amount(min)} to ${amount(max)}.`;
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
    setText(error, wrong(how));
    slider.value = String(to);
    setAttribute(slider, "aria-valuetext", amount(to));
    for (const button of quick.querySelectorAll("button")) {
      setAttribute(button, "aria-pressed", Number(button.dataset.to) === to ? "true" : "false");
    }
    raiseWords(how);
  }

  /** @param {{ do: "bet" | "raise", range: Amounts }} how */
  function raiseWords(how) {
    const to = Number(number.value);
    const now = turn();
    const all = now && to === allIn(now);
    const words = all ? "All in" : how.do === "bet" ? "Bet" : "Raise to";
    raise.set(words, amount(to), pending ? SENDING : wrong(how));
  }

  /** @param {YourTurn} now */
  function allIn({ bets, stacks }) {
    const { own } = app.match;
    return (bets[own] ?? 0) + (stacks[own] ?? 0);
  }

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
    const called = Math.max(0, ...now.bets);
    const pot = now.pot + (now.call ?? 0);
    /** @type {[string, number][]} */
    const choices = [["Min", min], ["½ pot", called + Math.floor(pot / 2)], ["Pot", called + pot], [max === allIn(now) ? "All in" : "Max", max]];
    clear(quick, ...choices.map(([name, to]) => {
      const bounded = Math.max(min, Math.min(max, to));
      return buttonTo(name, () => setAmount(bounded), { "data-to": bounded, "aria-label": `${name}: ${amount(bounded)}` });
    }));
    setAmount(min);
  }

  /** @param {YourTurn & { ask: "bet" }} now */
  function whyNoRaise(now) {
    const { own, deal } = app.match;
    const others = now.stacks.filter((_, seat) => seat !== own && !deal?.folded[seat]);
    if (others.every((stack) => stack === 0)) return "No other player has chips left to call with.";
    if (now.call !== null && (now.stacks[own] ?? 0) <= now.call) return "Calling takes all your chips.";
    if (app.match.seated?.fixed_limit) return "No more raises are allowed in this round.";
    return now.call === null ? "The rules allow no bet here." : "The rules allow no raise here.";
  }

  function watching() {
    return app.role === "watch" ? "Another page is playing. This one only watches." : "";
  }

  /** Why no program accepts commands; empty if one does. */
  function stopped() {
    if (app.gone) return "The program that serves this page does not respond.";
    return app.state?.program?.running === false ? "The program has ended." : "";
  }

  /** Why the player cannot choose now; empty if possible. */
  function whyNot() {
    const { match } = app;
    if (stopped()) return stopped();
    if (pending) return SENDING;
    if (watching()) return watching();
    if (match.connectionLost !== null && !turn()) return `There is no connection to ${theOthers(match)}.`;
    if (turn()) return "";
    const seat = seatToChoose(match);
    if (seat !== null) return `It is ${nameOf(match, seat)}’s turn.`;
    return "It is not your turn.";
  }

  function statusText() {
    const { match } = app;
    const now = turn();
    if (hasEnded(match)) return match.over ? "The match is over." : "The match stays open. It is not running now.";
    if (stopped()) return stopped();
    if (match.askRebuy) {
      const { time } = match.askRebuy;
      if (answered) return "Your answer was sent. The match continues if both agree.";
      return `${spoken(sentencesOf(match.askRebuy))}${time ? ` You have ${time.move + time.bank} s.` : ""}`;
    }
    if (match.between) {
      if (match.table) return match.table.place > 0 ? `No seat is free. Your place in the queue is ${match.table.place}.` : "You have a seat in the next match.";
      if (!maySitAgain(match)) return "The next match is being arranged.";
    }
    if (maySitAgain(match)) return "You have no chips left.";
    if (match.buying > 0 && match.stacks[match.own] === 0 && !isMyTurn(match)) return `You buy ${amount(match.buying)} chips after this hand.`;
    if (giving) return giving.what === "Fold" ? "Fold? Checking costs nothing." : "Muck? No shown hand beats yours.";
    if (match.waiting) return spoken(sentencesOf(match.waiting));
    if (now?.ask === "bet") return now.call === null ? "Your turn. Nothing to call." : `Your turn. ${amount(now.call)} to call.`;
    if (now?.ask === "exchange") return "Your turn. Choose the cards to exchange (keys 1 to 5).";
    if (now?.ask === "show-or-muck") return "Your turn. Show your cards to all, or keep them closed?";
    const seat = seatToChoose(match);
    if (seat !== null) return `Waiting for ${nameOf(match, seat)} to choose.`;
    if (match.sitsOut) return areSeveral(match) ? "You sit out." : "You sit out. The next hand waits for you.";
    if (match.deal?.result) return "The hand is over.";
    if (!match.deal) return "";
    return isShuffling(match) ? "The deck is being shuffled." : `Waiting for ${theOthers(match)}.`;
  }

  function update() {
    const { match } = app;
    const now = turn();
    const reason = whyNot();
    const buy = match.askRebuy !== null;
    if (giving?.turn !== now?.turn) giving = null;
    setText(status, statusText());
    root.classList.toggle("mine", now !== null || (buy && !answered));
    sure.hidden = giving === null || buy;
    exchanging.hidden = now?.ask !== "exchange" || buy;
    showing.hidden = now?.ask !== "show-or-muck" || buy || !sure.hidden;
    buying.hidden = !buy;
    sitting.hidden = !maySitAgain(match);
    pausing.hidden = !match.pause || match.sitsOut || !sitting.hidden;
    ended.hidden = !hasEnded(match);
    betting.hidden = ![sure, exchanging, showing, buying, pausing, sitting, ended].every((group) => group.hidden);
    again.hidden = !mayRematch(app);
    setText(away, giving?.what ?? "");
    const sent = stopped() || watching() || (pending || answered ? "Your answer was sent." : "");
    agree.set("Agree", "", sent);
    decline.set("End the match", "", sent);
    next.set("Next hand", "", sent);
    sit.set("Sit down again", `with ${amount(match.seated?.stack ?? 0)} chips`, sent);
    show.set("Show", "to all", reason);
    muck.set("Muck", "keep closed", reason);
    const count = picked.places().length;
    exchange.set(count === 0 ? "Keep all" : `Exchange ${count} ${count === 1 ? "card" : "cards"}`, "", reason);
    layOut();
    const bet = now?.ask === "bet" ? now : null;
    amounts.hidden = more() === null || slider.min === slider.max;
    slider.disabled = number.disabled = pending;
    fold.set("Fold", "", reason);
    const calls = bet?.call ?? null;
    const all = calls !== null && calls >= (match.stacks[match.own] ?? 0);
    call.set(calls === null ? "Check" : all ? "All in" : "Call", calls === null ? "" : `${all ? "call " : ""}${amount(calls)}`, reason);
    const how = more();
    if (how && !reason) raiseWords(how);
    else raise.set(how ? (how.do === "bet" ? "Bet" : "Raise to") : "Raise", how ? amount(Number(number.value)) : "", reason || (bet ? whyNoRaise(bet) : ""));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    // A key press meant for another window must not bet.
    if (performance.now() - awake < SURPRISE) return;
    if (!isKey(event, root) || !isPoker(app.match)) return;
    const press = (/** @type {HTMLElement} */ group, /** @type {HTMLButtonElement} */ button) => {
      if (!group.hidden) button.click();
    };
    switch (event.key) {
      case "Escape":
        if (giving) answer(false);
        break;
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
      case "n": press(pausing, next.button); break;
    }
  }
  document.addEventListener("keydown", onKey);

  return {
    root,
    update,
    /** @param {Message} event */
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
        case "between-matches":
        case "table":
        case "buys":
          pending = answered = false;
          setText(error, "");
          break;
      }
    },
    announceTurn() {
      const left = timeLeft(app.match, Date.now());
      const words = [status.textContent, left && `${timeWords(left)}.`, !raise.why.textContent && more() && `You can ${more()?.do}.`];
      announce(words.filter(Boolean).join(" "), true);
    },
    /** @param {ReturnType<typeof timeLeft>} left */
    clock(left) {
      setText(time, left ? ` ${timeWords(left)}.` : "");
    },
    close() {
      document.removeEventListener("keydown", onKey);
    },
  };
}
