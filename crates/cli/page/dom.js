// Builds elements in code, so text from other people only becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element: `h("button.main", { onclick: send }, "Send")`. The classes follow the tag.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T | `${T}.${string}`} tag
 * @param {Props | Child} [first] the attributes, or the first child. `true` sets an empty attribute, null
 *   and false set none, and a function under `on…` is a listener
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, first, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = /** @type {HTMLElementTagNameMap[T]} */ (document.createElement(name));
  if (classes.length > 0) element.className = classes.join(" ");
  if (first && typeof first === "object" && !(first instanceof Node)) return fill(element, first, children);
  return fill(element, null, [first, ...children]);
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, props, ...children) {
  const element = /** @type {SVGElementTagNameMap[T]} */ (document.createElementNS(SVG, tag));
  return fill(element, props, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Props | null | undefined} props
 * @param {Child[]} children
 * @returns {E}
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  add(element, ...children);
  return element;
}

/**
 * Sets an attribute. Removes it if `value` is null, undefined or false.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return element.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** @param {Element} element @param {...Child} children */
export function add(element, ...children) {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/** @param {string} id @param {string} title @param {...Child} inside */
export function panel(id, title, ...inside) {
  return h("section.panel", { "aria-labelledby": id }, h("h2", { id }, title), ...inside);
}

/** @param {...Child} inside */
export function quiet(...inside) {
  return h("p.muted", ...inside);
}

/** @param {string} label @param {() => void} act @param {Props} [props] */
export function buttonTo(label, act, props) {
  return h("button", { type: "button", onclick: act, ...props }, label);
}

export function errorLine() {
  return h("p.error", { role: "alert" });
}

/** @param {Element} element @param {...Child} children */
export function clear(element, ...children) {
  element.replaceChildren();
  add(element, ...children);
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Announces a text to screen readers.
 * @param {string} text
 * @param {boolean} [urgent] whether the text interrupts other speech, as at a turn
 */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "status");
  if (region) region.textContent = text;
}

export function keepsStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @param {Error} error */
export function complain(error) {
  announce(error.message, true);
}

/**
 * Asks in a dialog. Resolves to true if `yes` was pressed.
 * @param {string} title @param {string} text @param {string} yes the label of the confirming button
 * @returns {Promise<boolean>}
 */
export function confirmed(title, text, yes) {
  const dialog = h("dialog.dialog", { "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text" },
    h("h2", { id: "dialog-title" }, title),
    h("p", { id: "dialog-text" }, text),
    h("form.row.end", { method: "dialog" },
      h("button", { value: "no" }, "Cancel"),
      h("button", { value: "yes", class: "danger" }, yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

/**
 * Whether a key was pressed without modifiers, outside of fields, while `root` is shown.
 * @param {KeyboardEvent} event
 * @param {Element} root
 */
export function isKey({ ctrlKey, altKey, metaKey, target }, root) {
  return root.isConnected && !ctrlKey && !altKey && !metaKey
    && !(target instanceof Element && target.closest("input, textarea, select, dialog"));
}
