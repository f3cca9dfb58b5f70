// The types that the modules of the page share. There is no code here: the type checker knows these
// types in all files.

/**
 * @typedef {object} Deal the hand in play
 * @property {number} number
 * @property {number} attempt
 * @property {Sealed | null} sealed
 * @property {Map<number, CardSeen>} cards the cards that this side has seen, by position
 * @property {string[]} board
 * @property {number[][]} held the positions of the cards of each seat
 * @property {(number | null)[]} own the positions of this side's cards, in their order in the hand
 * @property {boolean[]} folded
 * @property {(Chose | null)[]} did the last choice of each seat in this round
 * @property {number} added the chips that the last choice put into the pot
 * @property {boolean[]} shows whether each seat has shown its cards to all
 * @property {OpenCard[]} open the cards that everybody sees, in a deck without rules
 * @property {Rolled[]} rolled the last dice, newest at the end
 * @property {boolean} asked whether this side has had a turn
 * @property {string} made the name of the hand that this side has made; empty until the program sends it
 * @property {Result | null} result
 */

/**
 * @typedef {object} Match
 * @property {boolean} watches whether another page plays, and this one only shows the match
 * @property {number} events the number of events applied
 * @property {Seated | null} seated
 * @property {number} own the seat of this side
 * @property {string | null} invite
 * @property {string[]} addresses where the host listens
 * @property {string[]} notices the last notices
 * @property {Deal | null} deal
 * @property {number} button
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number} pot
 * @property {YourTurn | TheirTurn | null} turn
 * @property {number} since when the turn began, in milliseconds, as passed to `apply`
 * @property {Result | null} previous the last result
 * @property {Waiting | null} waiting
 * @property {string | null} connectionLost why there is no connection; null while there is one
 * @property {AskAgain | null} askAgain
 * @property {AskSit | null} askSit the host's terms, which this side accepts or declines
 * @property {AskAdmit | null} askAdmit a player without an invite who asks for a seat
 * @property {OutOfTime | null} outOfTime
 * @property {Chose | null} late the program's choice for this side after it ran out of time
 * @property {Leaving | null} leaving set if this side leaves at its next turn
 * @property {boolean} sitsOut
 * @property {AskRebuy | null} askRebuy
 * @property {Pause | null} pause set while the next hand waits
 * @property {Failed | null} refused the last command that was refused
 * @property {Stopped | null} stopped
 * @property {Over | null} over
 * @property {Closed | null} closed
 * @property {Failed | null} failed the error with which the program ended
 */

/**
 * @typedef {object} Program the program that was started last
 * @property {number} number
 * @property {"host" | "join" | "resume"} command
 * @property {boolean} running
 * @property {boolean} played whether a page plays it now
 * @property {number | null} exit_code
 * @property {boolean} by_signal
 */

/** @typedef {{ version: string, program: Program | null }} State */

/**
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {string} title
 * @property {() => void} [close] called when the page is no longer shown
 */

/** @typedef {"lobby" | "table" | "after" | "verify"} PageName */

/**
 * The state and functions that the pages share.
 * @typedef {object} App
 * @property {Match} match the match of the program that runs, or ran last
 * @property {State | null} state the last state received from the server
 * @property {"none" | "play" | "watch"} role whether this page plays, watches another page play, or neither
 * @property {boolean} gone whether the server has stopped responding
 * @property {Rematch | null} rematch the rematch that is being set up
 * @property {(command: Command) => Promise<void>} send sends a command; throws `Refused` or `Gone`
 * @property {(name: PageName, data?: any) => void} go shows a page; `after` takes the id of a match
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body?: string | Blob | object) => Promise<any>} post
 * @property {(path: "/host" | "/join" | "/resume", body: object, rematch?: Rematch) => Promise<void>} begin starts the program and shows the table
 * @property {() => Promise<void>} end ends the program as Ctrl-C does: the match stays open
 * @property {() => Promise<void>} take plays here, taking over from another page
 * @property {() => void} update redraws the match
 * @property {() => Promise<State>} refresh asks the server for its state
 */

/** @typedef {{ name: string, join: object | null }} Rematch the opponent, and the request that a guest repeats until the host is found */

/**
 * Something that went wrong: `wait` needs no answer, `ask` does, and `cheat` means that somebody
 * cheated.
 * @typedef {[kind: "wait" | "ask" | "cheat", title: string, happened: string[], safe: string[], todo: string[], acts: Act[]]} Trouble
 * @typedef {[label: string, act: () => void]} Act
 * @typedef {(app: App, match: Match) => Trouble | null} Finds
 */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Props
 */

/**
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input
 * @typedef {Record<string, any>} Listed a player, or a match, as the program lists it: docs/json.md
 */

/**
 * The output of `verify --json`: docs/json.md. `Checked` is a good record, `Bad` a file that is not
 * one.
 * @typedef {{ names: string[], stacks: number[], bought: number[] } & Record<string, any>} Checked
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
 * @property {boolean} asks whether to ask before a pot is given away
 */

/**
 * @typedef {object} CardView
 * @property {HTMLElement} root
 * @property {(card: string | null, sees?: string) => void} show shows a card, or its back; `sees` names the players who can see it
 */

/**
 * @typedef {number | "all"} Learner the players to whom a card is opened
 * @typedef {(command: Command) => Promise<void>} Send
 * @typedef {{ lies: "closed" | "open" | "mine" | "theirs", card: string | null, holder: number | null }} Place
 */
/** @typedef {{ root: HTMLElement, update: (match: Match) => void }} View */
/** @typedef {[name: string, label: string, example: string, hint: string]} AddressField */
/** @typedef {string | { card: string }} Part a text, or a card */
