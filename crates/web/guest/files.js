// The numbered files of this origin's private file system. The names of new files may not survive a
// crash of the browser, so files are created and opened long before the seat uses them.

/** The folder of the files. */
const FOLDER = "dealerless";
/** The minimum number of files. */
const LEAST = 64;
/** The minimum number of empty files. */
export const SPARE = 16;
/** The maximum number of files. */
const MOST = 4096;
/** Timeout for a page that is closing to close its files, in milliseconds. */
const PATIENCE = 10_000;
/** The time between two looks at the folder, in milliseconds. */
const LOOKS = 5000;

/** @param {FileSystemFileHandle} file @param {number} until `performance.now()` of the last attempt */
async function opened(file, until) {
  for (;;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      const isOpen = error instanceof DOMException && error.name === "NoModificationAllowedError";
      if (!isOpen || performance.now() > until) throw error;
      await new Promise((done) => { setTimeout(done, 50); });
    }
  }
}

/**
 * Opens all files, and creates more if fewer than `SPARE` are empty.
 * @returns {Promise<FileSystemSyncAccessHandle[]>} file `i` at index `i`
 */
export async function openFiles() {
  let count = LEAST;
  for await (const name of (await folder()).keys()) {
    if (/^\d{1,4}$/.test(name)) count = Math.max(count, Number(name) + 1);
  }
  /** @type {FileSystemSyncAccessHandle[]} */
  const files = [];
  await openUpTo(files, count);
  const empty = files.filter((file) => file.getSize() === 0).length;
  await openUpTo(files, files.length + Math.max(0, SPARE - empty));
  return files;
}

/** Adds as many empty files as there are at first. @param {FileSystemSyncAccessHandle[]} files */
export async function addFiles(files) {
  if (files.length >= MOST) throw new Error("This page keeps no more files.");
  await openUpTo(files, files.length + LEAST);
}

async function folder() {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

/** @param {FileSystemSyncAccessHandle[]} files @param {number} end */
async function openUpTo(files, end) {
  const [kept, until] = [await folder(), performance.now() + PATIENCE];
  const names = Array.from({ length: Math.max(0, Math.min(end, MOST) - files.length) }, (_, at) => String(files.length + at));
  const opening = names.map(async (name) => opened(await kept.getFileHandle(name, { create: true }), until));
  const all = await Promise.allSettled(opening);
  const handles = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = all.find((one) => one.status === "rejected");
  if (failed) {
    // Otherwise they would be locked at the next attempt.
    for (const handle of handles) handle.close();
    throw failed.reason;
  }
  files.push(...handles);
}

/**
 * Reports that the folder is gone. When its data are cleared, a browser removes the names of open files, but goes on to
 * write them.
 * @param {() => void} report
 */
export function watchFiles(report) {
  const look = async () => {
    const root = await navigator.storage.getDirectory();
    const isThere = await root.getDirectoryHandle(FOLDER).then(() => true, (error) => error.name !== "NotFoundError");
    if (isThere) return;
    clearInterval(timer);
    report();
  };
  const timer = setInterval(() => look().catch(console.error), LOOKS);
}

/**
 * The functions that the seat calls for its files.
 * @param {FileSystemSyncAccessHandle[]} files
 * @param {(at: number, length: number) => Uint8Array<ArrayBuffer>} memory a part of the seat's memory
 */
export function fileFunctions(files, memory) {
  /** @param {() => number} act @returns {number} -1 if `act` fails, for example because the disk is full */
  const attempt = (act) => {
    try {
      return act();
    } catch (error) {
      console.error(error);
      return -1;
    }
  };
  return {
    /** @param {number} file */
    file_size: (file) => attempt(() => files[file].getSize()),
    /** @param {number} file @param {number} from @param {number} at @param {number} length */
    file_read: (file, from, at, length) => attempt(() => files[file].read(memory(at, length), { at: from })),
    /** @param {number} file @param {number} from @param {number} at @param {number} length */
    file_write: (file, from, at, length) =>
      attempt(() => (files[file].write(memory(at, length), { at: from }) === length ? 0 : -1)),
    /** @param {number} file @param {number} length */
    file_truncate: (file, length) => attempt(() => { files[file].truncate(length); return 0; }),
    /** @param {number} file */
    file_flush: (file) => attempt(() => { files[file].flush(); return 0; }),
  };
}
