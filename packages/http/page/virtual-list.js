import { el } from './dom.js';

const ROW = 28; // pixels, as in page.css
const AROUND = 10;
let made = 0;

/**
 * `<virtual-list>`: any number of rows, of which those in sight are in the document. `show(items, make)` sets the rows; each item needs an
 * `id` or is the same object from time to time. Keys j, k, arrows, Home and End choose a row: the event `choose` has the item; Enter and a
 * click are `open`. It stays at its end while rows are added there.
 */
export class VirtualList extends HTMLElement {
  #items = [];
  #make = () => [];
  #chosen = -1;
  #id = `list-${(made += 1)}`;
  #space = el('div', { class: 'space', role: 'presentation' });
  #isAtEnd = false;

  connectedCallback() {
    if (!this.hasAttribute('role')) this.setAttribute('role', 'listbox');
    this.tabIndex = 0;
    this.append(this.#space);
    this.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('mousedown', (event) => this.#clicked(event));
    new ResizeObserver(() => this.#draw()).observe(this);
  }

  show(items, make) {
    const before = this.chosen;
    const isGrown = items.length > this.#items.length;
    this.#items = items;
    this.#make = make;
    this.#chosen = before === undefined ? -1 : items.findIndex((item) => item === before || isSame(item, before));
    this.#space.style.height = `${items.length * ROW}px`;
    if (isGrown && this.#isAtEnd && document.activeElement !== this) this.scrollTop = this.scrollHeight;
    this.#draw();
  }

  get chosen() {
    return this.#items[this.#chosen];
  }

  choose(index, { opens = false } = {}) {
    if (this.#items.length === 0) return;
    this.#chosen = Math.min(Math.max(index, 0), this.#items.length - 1);
    const top = this.#chosen * ROW;
    if (top < this.scrollTop) this.scrollTop = top;
    if (top + ROW > this.scrollTop + this.clientHeight) this.scrollTop = top + ROW - this.clientHeight;
    this.#draw();
    this.dispatchEvent(new CustomEvent(opens ? 'open' : 'choose', { detail: this.chosen }));
  }

  #scrolled() {
    this.#isAtEnd = this.scrollTop > 0 && this.scrollTop + this.clientHeight >= this.scrollHeight - ROW;
    this.#draw();
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.scrollTop / ROW) - AROUND);
    const last = Math.min(this.#items.length, Math.ceil((this.scrollTop + this.clientHeight) / ROW) + AROUND);
    const rows = this.#items.slice(first, last).map((item, index) => this.#row(item, first + index));
    this.#space.replaceChildren(...rows);
    const isDrawn = this.#chosen >= first && this.#chosen < last;
    if (isDrawn) this.setAttribute('aria-activedescendant', `${this.#id}-${this.#chosen}`);
    else this.removeAttribute('aria-activedescendant');
  }

  #row(item, index) {
    const isTree = this.getAttribute('role') === 'tree';
    const row = el(
      'div',
      {
        id: `${this.#id}-${index}`,
        class: 'row',
        role: isTree ? 'treeitem' : 'option',
        'aria-selected': `${index === this.#chosen}`,
        'aria-posinset': `${index + 1}`,
        'aria-setsize': `${this.#items.length}`,
        'aria-level': isTree ? `${item.level}` : undefined,
        'aria-expanded': isTree && item.children.length > 0 ? `${!item.isClosed}` : undefined,
      },
      this.#make(item),
    );
    row.style.top = `${index * ROW}px`;
    return row;
  }

  /** Rows are made again while events come, so a click is known by its place. */
  #clicked(event) {
    if (event.button !== 0 || event.offsetX > this.clientWidth) return;
    const index = Math.floor((event.clientY - this.#space.getBoundingClientRect().top) / ROW);
    if (index >= 0 && index < this.#items.length) this.choose(index, { opens: true });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.clientHeight / ROW) - 1);
    const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    const opens = event.key === 'Enter' && this.#chosen >= 0;
    if (!opens && !Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    this.choose(this.#chosen + (steps[event.key] ?? 0), { opens });
  }
}

function isSame(one, other) {
  return one.id !== undefined && one.id === other.id;
}

customElements.define('virtual-list', VirtualList);
