// What the modules of the page share. There is no code here, only types for the checker.

/** @import * as P from "./protocol.js" */
/** @import { Command } from "./protocol.js" */

/**
 * @typedef {object} Deal the hand in play
 * @property {number} number
 * @property {number} attempt
 * @property {P.Sealed | null} sealed
 * @property {Map<number, P.CardSeen>} cards what this side has seen, by position
 * @property {string[]} board
 * @property {number[][]} held for each seat the positions of its cards
 * @property {(number | null)[]} own the positions of one's own cards in order of their places
 * @property {boolean[]} folded
 * @property {(P.Chose | null)[]} did what each seat has chosen last in this round
 * @property {number} added what the last choice put into the pot
 * @property {boolean[]} shows the seats that have shown their cards to all
 * @property {P.OpenCard[]} open in a deck without rules: the cards that everybody sees
 * @property {P.Rolled[]} rolled the last dice, the newest at the end
 * @property {P.Result | null} result
 */

/**
 * @typedef {object} Match
 * @property {boolean} watches another page plays, and this one only shows it
 * @property {number} events how many were applied
 * @property {P.Seated | null} seated
 * @property {number} own the seat of this side
 * @property {string | null} invite
 * @property {string[]} addresses where the host waits
 * @property {string[]} notices the last ones
 * @property {Deal | null} deal
 * @property {number} button
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number} pot
 * @property {P.YourTurn | P.TheirTurn | null} turn
 * @property {number} since when the turn began, in the milliseconds that `apply` was told
 * @property {{ number: number, board: string[], result: P.Result } | null} previous the last hand with a result
 * @property {P.Waiting | null} waiting
 * @property {string | null} lineLost why there is no line
 * @property {P.AskAgain | null} askAgain
 * @property {P.OutOfTime | null} outOfTime
 * @property {boolean} sitsOut
 * @property {P.AskRebuy | null} askRebuy
 * @property {P.Failed | null} refused the last command that was not carried out
 * @property {P.Stopped | null} stopped
 * @property {P.Over | null} over
 * @property {P.Closed | null} closed
 * @property {P.Failed | null} failed the program has ended for another reason
 */

/**
 * @typedef {object} Program the program that was started last
 * @property {number} number
 * @property {"host" | "join" | "resume"} command
 * @property {boolean} running
 * @property {boolean} played a page plays it now
 * @property {number | null} exit_code
 * @property {boolean} by_signal
 */

/** @typedef {{ version: string, program: Program | null }} State */

/**
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {string} title
 * @property {() => void} [close] it is not shown any more
 */

/** @typedef {"lobby" | "table" | "after" | "verify"} PageName */

/**
 * What the pages share.
 * @typedef {object} App
 * @property {Match} match the match of the program that runs, or ran last
 * @property {State | null} state what the server has said last of the program
 * @property {"none" | "play" | "watch"} role whether this page plays, watches while another page plays, or neither
 * @property {boolean} gone the server does not answer
 * @property {(said: Command) => Promise<void>} send says a command; throws `Refused` or `Gone`
 * @property {(name: PageName, data?: any) => void} go shows a page; `after` takes the id of a match
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body?: string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | object) => Promise<any>} post
 * @property {(path: "/host" | "/join" | "/resume", body: object) => Promise<void>} begin starts the program and shows the table
 * @property {() => Promise<void>} end ends the program as by Ctrl-C: the match stays open
 * @property {() => Promise<void>} take plays here, although another page does
 * @property {() => Promise<State>} refresh asks the server for its state
 */

/**
 * Something that went wrong. It passes by itself, or wants an answer, or somebody cheated.
 * @typedef {[kind: "wait" | "ask" | "cheat", title: string, happened: string[], safe: string[], todo: string[], acts: Act[]]} Trouble
 * @typedef {[label: string, act: () => void]} Act
 */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Props
 */

/**
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input
 * @typedef {Record<string, any>} Told what the program prints of a player or of a match: docs/json.md
 */

/**
 * What `verify --json` says of a record, and of a file that is none: docs/json.md.
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
 */

/**
 * @typedef {object} CardView
 * @property {HTMLElement} root
 * @property {(card: string | null, sees?: string) => void} show a card, or its back; `sees` is who can see it
 */

/**
 * @typedef {number | "all"} Learner who is to see a card
 * @typedef {(said: P.Command) => Promise<void>} Send
 * @typedef {{ lies: "closed" | "open" | "mine" | "theirs", card: string | null, holder: number | null }} Place
 */
/** @typedef {string | { card: string }} Part a text, or a card */

export {};
