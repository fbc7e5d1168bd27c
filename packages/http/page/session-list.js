import { json } from './api.js';
import { el, said } from './dom.js';
import { oneLine } from './text.js';
import './virtual-list.js';

const STATES = ['any state', 'running', 'waiting', 'idle', 'interrupted'];
const EVERY_MS = 2_000;

/** `<session-list>`: the sessions of the token, the last used first, asked for again every two seconds. A row that is opened is the event `open`. */
export class SessionList extends HTMLElement {
  /** The id of the session that is shown. */
  current = '';
  #sessions = [];
  #pages = 1;
  #list = el('virtual-list', { 'aria-label': 'Sessions' });
  #filter = el('input', { type: 'search', placeholder: 'filter ( / )', 'aria-label': 'Filter sessions' });
  #state = el(
    'select',
    { 'aria-label': 'State' },
    STATES.map((state) => el('option', {}, state)),
  );
  #more = el('button', { class: 'more', hidden: true }, 'older sessions');
  #note = el('p', { class: 'note', role: 'status' });

  connectedCallback() {
    this.append(el('div', { class: 'filters' }, this.#filter, this.#state), this.#list, this.#more, this.#note);
    this.#filter.addEventListener('input', () => this.#draw());
    this.#state.addEventListener('change', () => this.#load());
    this.#more.addEventListener('click', () => {
      this.#pages += 1;
      return this.#load();
    });
    this.#list.addEventListener('open', ({ detail }) => {
      this.dispatchEvent(new CustomEvent('open', { detail: detail.id }));
    });
    void this.#keepLoading();
  }

  focusList() {
    this.#list.focus();
    if (this.#list.chosen === undefined) this.#list.choose(0);
  }

  focusFilter() {
    this.#filter.focus();
  }

  async #keepLoading() {
    for (;;) {
      if (!document.hidden) await this.#load();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  async #load() {
    const state = this.#state.selectedIndex === 0 ? '' : `&state=${this.#state.value}`;
    const found = [];
    let cursor;
    try {
      for (let page = 0; page < this.#pages; page += 1) {
        const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const answer = await json(`v1/sessions?limit=100${state}${from}`);
        found.push(...answer.sessions);
        cursor = answer.cursor;
        if (cursor === undefined) break;
      }
      this.#sessions = found.map((session) => ({ ...session, id: session.sessionId }));
      this.#more.hidden = cursor === undefined;
      this.#note.textContent = found.length === 0 ? 'There is no such session yet.' : '';
      this.#draw();
    } catch (error) {
      this.#note.textContent = `The server does not answer: ${error.message}`;
    }
  }

  #draw() {
    const wanted = this.#filter.value.toLowerCase();
    const isWanted = ({ id, title = '', profile }) => `${id} ${title} ${profile}`.toLowerCase().includes(wanted);
    const shown = this.#sessions.filter(isWanted);
    this.#list.show(shown, sessionRow);
    const index = shown.findIndex(({ id }) => id === this.current);
    if (this.#list.chosen === undefined && index >= 0) this.#list.choose(index);
  }
}

function sessionRow({ id, title, state, queued, lastResult }) {
  const failed = state === 'idle' && lastResult && lastResult.subtype !== 'success' ? lastResult.subtype : undefined;
  return [
    said(oneLine(title ?? id), 'bdi', { class: 'title' }),
    queued > 0 ? el('span', { class: 'number', title: 'messages that no run has taken yet' }, `+${queued}`) : undefined,
    el('span', { class: `state ${failed ?? state}` }, failed ?? state),
  ];
}

customElements.define('session-list', SessionList);
