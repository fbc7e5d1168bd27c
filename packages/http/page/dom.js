import { visible } from './text.js';

/** An element with attributes, listeners (functions) and children. Texts become text nodes: nothing is ever read as markup. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== ''));
  return element;
}

/** A text that comes from a session, isolated from the direction of what is around it. */
export function said(text, tag = 'bdi', attributes = {}) {
  return el(tag, attributes, visible(text));
}

const SHOWN = 20_000;
const PIECE = 20_000;

/** A text of any length, cut with a button that shows all of it in pieces, of which only those in sight are laid out. */
export function longText(text) {
  const pre = el('pre', { class: 'text', tabindex: '0' }, visible(text.slice(0, SHOWN)));
  if (text.length <= SHOWN) return pre;
  const showAll = () => {
    pre.replaceChildren(...piecesOf(text).map((piece) => el('span', { class: 'piece' }, visible(piece))));
    button.remove();
    pre.focus();
  };
  const size = text.length < 1e6 ? `${Math.round(text.length / 1e3)} kB` : `${(text.length / 1e6).toFixed(1)} MB`;
  const button = el('button', { class: 'more', click: showAll }, `show all (${size})`);
  return el('div', {}, pre, button);
}

/** Pieces end at a line where there is one. */
function piecesOf(text) {
  const pieces = [];
  for (let start = 0; start < text.length; ) {
    const line = text.lastIndexOf('\n', start + PIECE);
    const end = line > start ? line + 1 : start + PIECE;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
