// Two ways to suspend the engine of the seat while it waits in `engine_wait`. Other functions of the
// seat are called meanwhile, and return before the engine continues.

/** @typedef {WebAssembly.Exports & Record<string, any>} Seat */
/**
 * @typedef {object} Suspension
 * @property {any} wait the import `engine_wait`
 * @property {(seat: Seat) => void} attach called once, after the seat was instantiated
 * @property {() => Promise<void>} run calls `engine`, and resolves when it has returned
 * @property {() => void} wake ends the wait, if the engine waits
 */

/** Whether this browser can suspend WebAssembly itself (JSPI). */
export const CAN_SUSPEND = "Suspending" in WebAssembly;

/** A wait that ends after a time, or when it is woken. */
class Wait {
  #end = () => {};

  /** @param {number} ms */
  for(ms) {
    return /** @type {Promise<void>} */ (new Promise((done) => {
      const timer = setTimeout(() => this.#end(), ms);
      this.#end = () => {
        clearTimeout(timer);
        this.#end = () => {};
        done();
      };
    }));
  }

  wake() {
    this.#end();
  }
}

/** The browser suspends the engine. @param {() => void} onWait called when the engine has begun to wait @returns {Suspension} */
export function native(onWait) {
  const { Suspending, promising } = /** @type {any} */ (WebAssembly);
  const wait = new Wait();
  /** @type {() => Promise<void>} */
  let run;
  return {
    wait: new Suspending((/** @type {number} */ ms) => {
      // Runs after the engine is suspended.
      queueMicrotask(onWait);
      return wait.for(ms);
    }),
    attach(seat) { run = promising(seat.engine); },
    run: () => run(),
    wake: () => wait.wake(),
  };
}

/** The size of the saved stack of the engine, in bytes. */
const STACK = 1 << 18;
const REWINDING = 2;
const UNWINDING = 1;

/** The seat saves its own stack, and restores it (Asyncify of binaryen). @param {() => void} onWait @returns {Suspension} */
export function asyncify(onWait) {
  const wait = new Wait();
  let time = 0;
  /** @type {Seat} */
  let seat;
  /** The address of the saved stack. */
  let stack = 0;
  return {
    wait(/** @type {number} */ ms) {
      if (seat.asyncify_get_state() === REWINDING) return seat.asyncify_stop_rewind();
      time = ms;
      seat.asyncify_start_unwind(stack);
    },
    attach(exports) {
      seat = exports;
      stack = seat.alloc(STACK);
    },
    async run() {
      const head = new Uint32Array(seat.memory.buffer, stack, 2);
      head.set([stack + 8, stack + STACK]);
      seat.engine();
      while (seat.asyncify_get_state() === UNWINDING) {
        seat.asyncify_stop_unwind();
        queueMicrotask(onWait);
        await wait.for(time);
        seat.asyncify_start_rewind(stack);
        seat.engine();
      }
    },
    wake: () => wait.wake(),
  };
}
