// The table protocol of docs/table-protocol.md: the events of the program and the commands for it.
// This file has no code. The type checker makes its types known in all files.

/**
 * @typedef {{ move: number, bank: number }} Time `move`: seconds for each move; `bank`: seconds in the bank, which longer moves use up
 * @typedef {{ name: string, count: number }} Kind a kind of card and its number of cards
 * @typedef {{ min: number, max: number }} Amounts the smallest and the largest valid `to`
 * @typedef {{ position: number, to: number | "all" }} Reveal the position of a card, and the seat to which it is opened
 * @typedef {{ proposal: number, by: number, cards: Reveal[], agreed: number[] }} Proposal
 * @typedef {{ position: number, card: string, holder?: number }} OpenCard
 */

/**
 * @typedef {object} SeatedFields the fields that `seated` and `ask-sit` share
 * @property {number} version
 * @property {number} seat
 * @property {string[]} names
 * @property {string[]} called the names as the program writes them in sentences
 * @property {string} title the name of the game
 * @property {string[]} fingerprints
 * @property {"holdem" | "fixed-holdem" | "draw" | "deck" | "bridge"} game
 * @property {number} hands
 * @property {number} [stack]
 * @property {boolean} [fixed_limit]
 * @property {[number, number]} [blinds]
 * @property {[number, number]} [ante]
 * @property {number} cards
 * @property {number} drawn
 * @property {Kind[]} [kinds]
 * @property {string} match
 * @property {string | null} log
 * @property {Time} [clock]
 * @property {string} [shuffle] missing if `auto` chooses it
 * @property {number} [opens] the number of seats that open a card together, if they are more than two
 * @property {Continues} [continues] the match whose chips the players keep
 * @property {boolean} [resumed]
 */

/**
 * @typedef {object} Continues
 * @property {string} match
 * @property {number[]} stacks
 * @property {{ fingerprint: string, chips: number }[]} [without] the absent players without whom it was settled
 */

/**
 * @typedef {SeatedFields & { event: "seated" }} Seated
 * @typedef {SeatedFields & { event: "ask-sit", sentences?: Part[][] }} AskSit
 * @typedef {{ event: "ask-table", details: string[], sentences?: Part[][] }} AskTable the terms are in the sentences
 * @typedef {{ event: "invite", version: number, invite: string, link?: string, code?: string, seats?: number }} Invite `link`: a page in which
 *   the guest plays; `seats`: the number of seats, if this is the link of a table, which serves all guests
 * @typedef {{ event: "at-door", players: { name: string, fingerprint: string, hands: number, message: string }[],
 *   sentences?: Part[][] }} AtDoor with a sentence for each player
 * @typedef {{ event: "table", players: { name: string, fingerprint?: string, away?: boolean }[], seats: number, place: number,
 *   sentences?: Part[][] }} TableBefore the host is first; `place`: that of this player in the queue for a seat, 0 with a seat
 * @typedef {{ event: "between-matches", message: string, members: { name: string, fingerprint: string, chips: number, bought: number }[],
 *   sentences?: Part[][] }} Between a match of the table has ended, and the next one is being arranged
 */

/**
 * @typedef {object} Cost the cost of a hand's shuffle, and of the preprocessing since the last `Cost`
 * @property {number} shuffle_ms
 * @property {number} shuffle_bytes
 * @property {number} shuffle_flights
 * @property {number} prepared_ms
 * @property {number} prepared_bytes
 * @property {number} prepared_hands
 * @property {number} ands
 * @property {number} statistical_security
 */

/**
 * @typedef {object} TurnFields the fields that `your-turn` and `their-turn` share
 * @property {number} hand
 * @property {number} turn
 * @property {number} button
 * @property {number} pot
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number[]} [playing] the seats that can still win a pot, if there are more than two
 * @property {number[][]} [held] for each seat, the positions of its cards
 * @property {Time} [time]
 */

/**
 * @typedef {object} YourTurnFields
 * @property {"your-turn"} event
 * @property {Part[][]} [sentences] one for each of `proposals`
 * @property {(string | null)[]} cards
 * @property {number[]} positions
 * @property {string[]} board
 * @property {OpenCard[]} [open]
 * @property {string} [made] the hand that this side has made so far, in words
 */

/**
 * @typedef {object} AskBet
 * @property {"bet"} ask
 * @property {number | null} call
 * @property {Amounts | null} bet
 * @property {Amounts | null} raise
 */

/**
 * @typedef {object} AskSpeak
 * @property {"speak"} ask
 * @property {Proposal[]} proposals
 * @property {boolean} may_propose
 * @property {boolean} may_draw
 */

/** @typedef {{ ask: "show-or-muck", wins?: boolean }} AskShow `wins`: a muck would give chips away */

/**
 * @typedef {TurnFields & YourTurnFields & (AskBet | AskSpeak | { ask: "exchange" } | AskShow)} YourTurn
 * @typedef {TurnFields & { event: "their-turn", seat: number }} TheirTurn
 */

/**
 * @typedef {object} Result
 * @property {"result"} event
 * @property {Part[][]} [sentences]
 * @property {number} hand
 * @property {number[]} stacks
 * @property {{ chips: number, winners: { seat: number, chips: number }[] }[]} pots
 * @property {{ seat: number, cards: string[], worth: string, best?: string[] }[]} shown `best` are the five winning cards
 */

/**
 * @typedef {object} Dealt
 * @property {"dealt"} event
 * @property {number} hand
 * @property {number} try
 * @property {number} button
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number} pot
 * @property {number[]} [playing]
 * @property {number[]} [posted] the blind or ante that each seat has paid
 */

/**
 * @typedef {"line" | "history" | "keys" | "deal" | "shuffle" | "cards" | "dice" | "move" | "result" | "vote" | "back"} Pending
 * @typedef {"played" | "no-chips" | "left" | "changed" | "removed" | "too-few" | "forfeited" | "disputed" | "bad-cards" | "no-keys" | "foul" | "fork"} Ended
 */

/**
 * @typedef {{ event: "waiting", sentences?: Part[][], seats: number[], for: Pending, seconds: number, left?: number }} Waiting
 * @typedef {{ event: "ask-again", in_a_row: number, failed_checks: number, message: string }} AskAgain
 * @typedef {{ event: "out-of-time", seat: number, away?: boolean, asks?: boolean }} OutOfTime
 * @typedef {{ event: "roll-call", seat: number, missing: number[] }} RollCall
 * @typedef {{ event: "gone", seat: number }} Gone
 * @typedef {{ event: "leaving", costs: number, pot: number, message: string }} Leaving
 * @typedef {{ event: "ask-rebuy", sentences?: Part[][], seats: number[], chips: number, time?: Time }} AskRebuy
 * @typedef {{ event: "stopped", seat: number, how: "leave" | "forfeit" | "dispute", step?: number }} Stopped
 * @typedef {{ event: "over", how: Ended, hands: number, stacks: number[], log: string | null, exit_code: number,
 *   message: string }} Over
 * @typedef {{ event: "pause", milliseconds: number }} Pause the next hand waits while the result is shown
 * @typedef {{ event: "closed", log: string | null, message: string }} Closed
 * @typedef {{ event: "error", code?: string, exit_code?: number, message: string }} Failed
 * @typedef {{ event: "card", hand: number, position: number, card: string, holder?: number }} CardSeen
 * @typedef {{ event: "rolled", hand: number, seat: number, dice: string, faces: number[], sum: number }} Rolled
 * @typedef {{ event: "sealed", hand: number, seal: string, cost?: Cost }} Sealed
 * @typedef {{ event: "chose", hand: number, seat: number } & Choice} Chose
 */

/**
 * An event of the program. The program sends one event per line.
 * @typedef {{ sentences?: Part[][] } & ({ event: "hello", version: number }
 *   | Invite | AtDoor | TableBefore | Between
 *   | { event: "listening", addresses: string[] }
 *   | { event: "notice", text: string }
 *   | AskSit | AskTable
 *   | Seated | { event: "line-lost", message: string } | Waiting | { event: "resumed" } | AskAgain
 *   | OutOfTime | RollCall | Gone | Leaving | { event: "stays" } | { event: "buys", chips: number } | { event: "sits-out" } | Dealt | Sealed
 *   | { event: "again", hand: number, seat: number }
 *   | CardSeen | { event: "board", hand: number, cards: string[] }
 *   | YourTurn | TheirTurn | Chose
 *   | { event: "not-stolen", hand: number, seat: number }
 *   | Rolled | Result | Pause | AskRebuy | Stopped | Over | Closed | Failed)} Message
 */

/**
 * A seat's choice at its turn.
 * @typedef {{ do: "fold" } | { do: "check" } | { do: "call" } | { do: "bet", to: number } | { do: "raise", to: number }
 *   | { do: "exchange", places: number[] } | { do: "show" } | { do: "muck" }
 *   | { do: "propose", cards: Reveal[] } | { do: "agree", proposal: number } | { do: "refuse", proposal: number }
 *   | { do: "pass" } | { do: "roll", dice: string } | { do: "draw" } | { do: "show-card", position: number }
 *   | { do: "reveal", position: number } | { do: "steal", from: number }} Choice
 */

/**
 * A command for the program. A command with `turn` is valid at that turn only.
 * @typedef {(Choice | { do: "rebuy", agree: boolean } | { do: "sit-out" } | { do: "back" } | { do: "again" } | { do: "next" }
 *   | { do: "close" } | { do: "leave", anyhow?: true } | { do: "stay" } | { do: "sit", agree: boolean } | { do: "top-up", chips: number }
 *   | { do: "accept" | "decline", fingerprint: string } | { do: "start" } | { do: "link-new" }) & { turn?: number }} Command
 */
