// The service worker. It stores the files of one version, each only if it has the digest listed here,
// and answers from this store alone. A newer version replaces all files together, when no tab uses
// this one or when its player wants it.

/** The files of this version, and the SHA-256 of each. @type {Record<string, string>} */
const FILES = {};
const STORE = "dealerless DIGEST";
/** The headers of docs/browser-guest.md. The answers of a service worker have no other ones. */
const HEADERS = {
  "Content-Security-Policy": "POLICY; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const HOME = new URL("./", location.href).href;
/** The build of the seat that this browser does not need. */
const UNUSED = "Suspending" in WebAssembly ? "asyncify.wasm" : "jspi.wasm";

/** Fetches a file, and checks it. @param {string} name @param {string} digest */
async function fetched(name, digest) {
  const answer = await fetch(new URL(name, HOME), { cache: "no-cache" });
  const bytes = await answer.arrayBuffer();
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!answer.ok || hex !== digest) throw new Error(`${name} is not the file of this version`);
  return new Response(bytes, { headers: { ...HEADERS, "Content-Type": answer.headers.get("Content-Type") ?? "" } });
}

async function install() {
  const needed = Object.entries(FILES).filter(([name]) => !name.endsWith(UNUSED));
  const files = await Promise.all(needed.map(async ([name, digest]) => ({ name, file: await fetched(name, digest) })));
  const store = await caches.open(STORE);
  await Promise.all(files.map(({ name, file }) => store.put(new URL(name === "index.html" ? "./" : name, HOME).href, file)));
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("dealerless ") && name !== STORE).map((name) => caches.delete(name)));
}

/** @param {Request} request */
async function answer(request) {
  const url = new URL(request.url);
  url.search = url.hash = "";
  const address = url.href === new URL("index.html", HOME).href ? HOME : url.href;
  const store = await caches.open(STORE);
  return await store.match(address) ?? fetch(request);
}

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(activate()));
scope.addEventListener("message", ({ data }) => data === "activate" && scope.skipWaiting());
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(HOME)) event.respondWith(answer(request));
});
