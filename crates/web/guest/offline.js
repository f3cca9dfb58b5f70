// The service worker, which keeps the files of one version for use without a network.

import { buttonTo, clear } from "./dom.js";

/** Registers the service worker. @param {string} script @param {HTMLElement} place for a newer version */
export async function keepOffline(script, place) {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register(script);
  const show = () => {
    if (!registration.waiting || !navigator.serviceWorker.controller) return;
    clear(place, "A newer version is here. ", buttonTo("Load it", () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
      registration.waiting?.postMessage("activate");
    }));
  };
  show();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", show);
  });
}
