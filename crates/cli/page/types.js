// The types that the modules of the page share. This file has no code. The type checker makes its
// types known in all files.

/**
 * @typedef {object} Deal the hand in play
 * @property {number} number counted from 1
 * @property {number} attempt the number of earlier deals of this hand, all void
 * @property {number[]} start for each seat, its chips before the hand; empty if unknown
 * @property {number[]} [playing] the seats that can still win a pot, if there are more than two
 * @property {Sealed | null} sealed
 * @property {Map<number, CardSeen>} cards the cards that this side has seen, by position
 * @property {string[]} board
 * @property {number[][]} held for each seat, the positions of its cards; empty until the program sends them
 * @property {(number | null)[]} own the positions of this side's cards, in their order in the hand; null in place of a discarded card
 * @property {boolean[]} folded
 * @property {(Chose | null)[]} did for each seat, its last choice in this betting round
 * @property {boolean[]} shows whether each seat has shown its cards to all
 * @property {OpenCard[]} open in a deck without rules, the cards that everybody sees
 * @property {Rolled[]} rolled the last dice, newest at the end
 * @property {boolean} asked whether this side has had a turn in this hand
 * @property {string} made the poker hand that this side has made so far, in words; empty until the program sends it
 * @property {Result | null} result
 */

/**
 * @typedef {object} Match
 * @property {boolean} watches true if another page plays and this one only shows the match
 * @property {Seated | null} seated
 * @property {number} own the seat of this side
 * @property {Invite | null} invite before the match, at the host
 * @property {AtDoor | null} atDoor the players who wait for the answer of the host
 * @property {TableBefore | null} table who has a seat at a table before the match
 * @property {Between | null} between the changes of a table, until the next match begins
 * @property {Between | null} list the list of a table after its last match, and the changes then
 * @property {number} buying the chips that this side buys after the hand
 * @property {string | null} settlement the list of a table that is over for this side, with the payments
 * @property {number[]} left the seats that have left a match of several guests
 * @property {number[]} removed the seats that have disappeared, so that the others play on without them
 * @property {string[]} addresses the addresses at which the host listens
 * @property {string[]} notices the last notices
 * @property {Deal | null} deal
 * @property {number} button
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number} pot
 * @property {YourTurn | TheirTurn | null} turn
 * @property {number} since the time when the turn began, in milliseconds: `now` of `apply`
 * @property {Result | null} previous the result of the last hand that has ended
 * @property {Waiting | null} waiting
 * @property {string | null} connectionLost why there is no connection; null while connected
 * @property {AskAgain | null} askAgain
 * @property {AskSit | null} askSit the host's terms, which this side accepts or declines
 * @property {AskTable | null} askTable the terms of a table, which this side accepts or declines
 * @property {OutOfTime | null} outOfTime
 * @property {Chose | null} late the last choice of this side, if the program made it because this side ran out of time
 * @property {Leaving | null} leaving set if this side leaves at its next turn
 * @property {boolean} sitsOut
 * @property {AskRebuy | null} askRebuy
 * @property {Pause | null} pause set while the next hand waits for players to read the result
 * @property {Failed | null} refused the program's error for a refused command, until the next turn or choice
 * @property {Stopped | null} stopped
 * @property {Over | null} over
 * @property {Closed | null} closed
 * @property {Failed | null} failed the error with which the program ended
 */

/**
 * @typedef {object} Program the program that the server started last
 * @property {number} number counts the programs that the server has started
 * @property {"host" | "join" | "resume"} command
 * @property {boolean} running
 * @property {boolean} played whether a page plays with this program now
 * @property {number | null} exit_code
 * @property {boolean} by_signal whether a signal ended the program
 */

/** @typedef {{ version: string, program: Program | null }} State */

/**
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {string} title
 * @property {() => void} [close] called when another page replaces this one
 */

/** @typedef {"lobby" | "table" | "after" | "verify"} PageName */

/**
 * The state and functions that the pages share.
 * @typedef {object} App
 * @property {Match} match the match of the program that runs or, after its end, the last one
 * @property {State | null} state the last state received from the server
 * @property {"none" | "play" | "watch"} role whether this page plays, watches another page play, or neither
 * @property {boolean} gone whether the server has stopped responding
 * @property {Rematch | null} rematch the rematch that is being set up
 * @property {(command: Command) => Promise<void>} send sends a command; throws `Refused` or `Gone`
 * @property {(name: PageName, data?: any) => void} go shows the page `name`; for `after`, `data` is the id of the match
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body?: string | Blob | object) => Promise<any>} post
 * @property {(path: "/host" | "/join" | "/resume", body: object, rematch?: Rematch) => Promise<void>} begin starts the program and shows the table
 * @property {() => Promise<void>} end ends the program as Ctrl-C does: the match stays open
 * @property {() => Promise<void>} take makes this page play, instead of another page
 * @property {() => void} update redraws the match
 * @property {() => Promise<State>} refresh gets `state` from the server
 */

/** @typedef {{ name: string, join: object | null }} Rematch `name` is the opponent; `join` is the request that a guest repeats until it finds the host, null for a host */

/**
 * A problem report. `wait`: the player need not answer. `ask`: the player must answer. `cheat`:
 * somebody cheated.
 * @typedef {[kind: "wait" | "ask" | "cheat", title: string, happened: (string | Part[])[], safe: string[], todo: string[], acts: Act[],
 *   more?: string[]]} Trouble `more` are details behind a click
 * @typedef {[label: string, act: () => void]} Act
 * @typedef {(app: App, match: Match) => Trouble | null} Finds
 */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Props
 */

/**
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input
 * @typedef {Record<string, any>} Listed a player or a match in a list of the program: docs/json.md
 */

/**
 * The server's answer to `/verify`, which contains the output of `verify --json`: docs/json.md.
 * `Checked` describes a valid record, and `Bad` says why a file is not one.
 * @typedef {{ called: string[], stacks: number[], bought: number[] } & Record<string, any>} Checked
 * @typedef {{ message: string, cheat: number | null }} Bad
 * @typedef {{ text: string, shown: (string | null)[], verify: { good: boolean, compared: Record<string, any> | null,
 *   records: { record?: Checked, error?: Bad }[] } }} Answer
 */

/**
 * @typedef {object} Settings
 * @property {"system" | "dark" | "light"} theme
 * @property {boolean} fourColours
 * @property {boolean} sound
 * @property {boolean} notices
 * @property {boolean} asks whether to ask before a fold or a muck that gives away a pot
 */

/**
 * @typedef {object} CardView
 * @property {HTMLElement} root
 * @property {(card: string | null, sees?: string) => void} show shows a card, or the back if `card` is null; `sees` names the players who can see the card
 */

/**
 * @typedef {number | "all"} Learner the seat to which a card is opened, or all seats
 * @typedef {(command: Command) => Promise<void>} Send
 * @typedef {{ lies: "closed" | "open" | "mine" | "theirs", card: string | null, holder: number | null }} Place
 */
/** @typedef {{ root: HTMLElement, update: (match: Match) => void }} View */
/** @typedef {[name: string, label: string, example: string, hint: string, last?: string]} AddressField `last` is the value at first */
/** @typedef {string | { name: string } | { cards: string[] }} Part a piece of a sentence: words, the name of a player, or cards side by side */
