// What the modules of the page share. There is no code here, only types for the checker, which knows them in all files.

/**
 * @typedef {object} Deal the hand in play
 * @property {number} number
 * @property {number} attempt
 * @property {Sealed | null} sealed
 * @property {Map<number, CardSeen>} cards what this side has seen, by position
 * @property {string[]} board
 * @property {number[][]} held for each seat the positions of its cards
 * @property {(number | null)[]} own the positions of one's own cards in order of their places
 * @property {boolean[]} folded
 * @property {(Chose | null)[]} did what each seat has chosen last in this round
 * @property {number} added what the last choice put into the pot
 * @property {boolean[]} shows the seats that have shown their cards to all
 * @property {OpenCard[]} open in a deck without rules: the cards that everybody sees
 * @property {Rolled[]} rolled the last dice, the newest at the end
 * @property {boolean} asked this side has had a turn
 * @property {string} made what one's own cards and the board make, if the program has named it
 * @property {Result | null} result
 */

/**
 * @typedef {object} Match
 * @property {boolean} watches another page plays, and this one only shows it
 * @property {number} events how many were applied
 * @property {Seated | null} seated
 * @property {number} own the seat of this side
 * @property {string | null} invite
 * @property {string[]} addresses where the host waits
 * @property {string[]} notices the last ones
 * @property {Deal | null} deal
 * @property {number} button
 * @property {number[]} stacks
 * @property {number[]} bets
 * @property {number} pot
 * @property {YourTurn | TheirTurn | null} turn
 * @property {number} since when the turn began, in the milliseconds that `apply` was told
 * @property {Result | null} previous the last result
 * @property {Waiting | null} waiting
 * @property {string | null} lineLost why there is no line
 * @property {AskAgain | null} askAgain
 * @property {AskSit | null} askSit the terms of the host, on which this side sits down or not
 * @property {AskAdmit | null} askAdmit a peer that the host has not invited, and that wants to sit down
 * @property {OutOfTime | null} outOfTime
 * @property {Chose | null} late what the program has chosen for this side, whose time was out
 * @property {Leaving | null} leaving this side leaves at its next turn
 * @property {boolean} sitsOut
 * @property {AskRebuy | null} askRebuy
 * @property {Pause | null} pause the next hand waits
 * @property {Failed | null} refused the last command that was not carried out
 * @property {Stopped | null} stopped
 * @property {Over | null} over
 * @property {Closed | null} closed
 * @property {Failed | null} failed the program has ended for another reason
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
 * @property {Rematch | null} rematch the match that is to be played once more
 * @property {(said: Command) => Promise<void>} send says a command; throws `Refused` or `Gone`
 * @property {(name: PageName, data?: any) => void} go shows a page; `after` takes the id of a match
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body?: string | Blob | object) => Promise<any>} post
 * @property {(path: "/host" | "/join" | "/resume", body: object, rematch?: Rematch) => Promise<void>} begin starts the program and shows the table
 * @property {() => Promise<void>} end ends the program as by Ctrl-C: the match stays open
 * @property {() => Promise<void>} take plays here, although another page does
 * @property {() => void} update shows the match as it is now
 * @property {() => Promise<State>} refresh asks the server for its state
 */

/** @typedef {{ name: string, join: object | null }} Rematch with whom, and what a guest asks for until the host is there */

/**
 * Something that went wrong. It passes by itself, or wants an answer, or somebody cheated.
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
 * @property {boolean} asks before a pot is given away
 */

/**
 * @typedef {object} CardView
 * @property {HTMLElement} root
 * @property {(card: string | null, sees?: string) => void} show a card, or its back; `sees` is who can see it
 */

/**
 * @typedef {number | "all"} Learner who is to see a card
 * @typedef {(said: Command) => Promise<void>} Send
 * @typedef {{ lies: "closed" | "open" | "mine" | "theirs", card: string | null, holder: number | null }} Place
 */
/** @typedef {{ root: HTMLElement, update: (match: Match) => void }} View */
/** @typedef {[name: string, label: string, example: string, hint: string]} AddressField */
/** @typedef {string | { card: string }} Part a text, or a card */
