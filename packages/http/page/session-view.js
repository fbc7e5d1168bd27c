import { json } from './api.js';
import { detailOf, eventDetail } from './detail.js';
import { el, said } from './dom.js';
import { follow } from './event-stream.js';
import { questionCard } from './question-card.js';
import { SessionModel } from './session-model.js';
import { clock, count, dollars } from './text.js';
import { timelineHead, timelineRow, tokensOf } from './timeline-row.js';
import './virtual-list.js';

/** Events after which the questions, the state or the costs may be others. */
const TURNING = new Set(['run_started', 'run_resumed', 'run_waiting', 'question', 'usage', 'result', 'message']);

/** `<session-view>`: one session, live. `open(sessionId)` shows another one; the event `leave` asks for the list. */
export class SessionView extends HTMLElement {
  #path = '';
  #leaving = new AbortController();
  #model = new SessionModel();
  #log = [];
  #tab = 'timeline';
  #title = el('h1');
  #facts = el('p', { class: 'facts' });
  #connection = el('span', { class: 'connection', role: 'status' });
  #filter = el('input', { type: 'search', placeholder: 'filter ( / )', 'aria-label': 'Filter rows' });
  #questions = el('div', { class: 'questions' });
  #timeline = el('virtual-list', { role: 'tree', 'aria-label': 'Timeline' });
  #events = el('virtual-list', { 'aria-label': 'Events as they came', hidden: true });
  #head = el('div', { class: 'head', 'aria-hidden': 'true' }, timelineHead());
  #detail = el('article', { class: 'detail', 'aria-label': 'Details', tabindex: '-1' });
  #tabs = ['timeline', 'log'].map((tab) =>
    el('button', { role: 'tab', 'aria-selected': `${tab === 'timeline'}`, click: () => this.#show(tab) }, tab),
  );
  #isDue = false;
  #isAsking = false;

  connectedCallback() {
    this.append(
      el('header', {}, el('div', {}, this.#title, this.#facts), this.#connection),
      this.#questions,
      el('div', { class: 'bar-of-tabs' }, el('div', { role: 'tablist' }, this.#tabs), this.#filter),
      el(
        'div',
        { class: 'panes' },
        el('div', { class: 'lists' }, this.#head, this.#timeline, this.#events),
        this.#detail,
      ),
    );
    this.#filter.addEventListener('input', () => this.#draw());
    this.addEventListener('keydown', (event) => this.#key(event));
    for (const list of [this.#timeline, this.#events]) {
      list.addEventListener('choose', ({ detail }) => this.#showDetail(detail));
      list.addEventListener('open', ({ detail }) => this.#showDetail(detail));
    }
  }

  open(sessionId) {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    this.#path = `v1/sessions/${encodeURIComponent(sessionId)}`;
    this.#model = new SessionModel();
    this.#log = [];
    this.hidden = false;
    for (const part of [this.#questions, this.#detail, this.#title, this.#facts]) part.replaceChildren();
    this.#draw();
    this.#ask(signal);
    const onState = (state) => {
      this.#connection.textContent = state;
      this.#connection.dataset.state = state;
    };
    const onFrames = (frames) => this.#take(frames, signal);
    follow(`${this.#path}/events`, { signal, onFrames, onState }).catch((error) => onState(error.message));
  }

  focusList() {
    const list = this.#tab === 'timeline' ? this.#timeline : this.#events;
    list.focus();
    if (list.chosen === undefined) list.choose(0);
  }

  focusFilter() {
    this.#filter.focus();
  }

  #take(frames, signal) {
    if (signal.aborted) return;
    for (const { data, event } of frames) {
      const told =
        event === 'error' ? { at: Date.now(), event: { type: 'error', ...JSON.parse(data) } } : JSON.parse(data);
      this.#log.push({ told, data });
      this.#model.add(told);
      if (TURNING.has(told.event.type)) this.#ask(signal);
    }
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  /** Asks for what the events do not say, once for many of them. */
  #ask(signal) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    setTimeout(() => {
      this.#isAsking = false;
      void this.#askNow(signal);
    }, 150);
  }

  async #askNow(signal) {
    const path = this.#path;
    try {
      const parts = ['', '/questions', '/usage'].map((part) => json(path + part, { signal }));
      const [session, { questions }, { total }] = await Promise.all(parts);
      if (path === this.#path) this.#showFacts(session, questions, total);
    } catch (error) {
      if (!signal.aborted) this.#facts.textContent = error.message;
    }
  }

  #showFacts({ sessionId, title, state, profile }, questions, { calls, usage, cost }) {
    this.#title.replaceChildren(said(title ?? sessionId), ' ', el('span', { class: `state ${state}` }, state));
    const sum = [`${count(calls)} model calls`, `${count(tokensOf(usage))} tokens`, costOf(cost)];
    this.#facts.replaceChildren(said([profile, sessionId, ...sum].join(' · ')));
    const shown = new Map([...this.#questions.children].map((card) => [card.dataset.key, card]));
    const done = () => this.#ask(this.#leaving.signal);
    const cards = questions.map((question) => {
      const key = question.callId + question.key;
      const card = shown.get(key) ?? questionCard(question, { path: this.#path, done }); // what is typed stays
      card.dataset.key = key;
      return card;
    });
    for (const [key, card] of shown) if (!cards.some(({ dataset }) => dataset.key === key)) card.remove();
    for (const card of cards) if (!card.isConnected) this.#questions.append(card);
  }

  #show(tab) {
    this.#tab = tab;
    this.#head.hidden = this.#timeline.hidden = tab !== 'timeline';
    this.#events.hidden = tab === 'timeline';
    for (const button of this.#tabs) button.setAttribute('aria-selected', `${button.textContent === tab}`);
    this.#draw();
    this.focusList();
  }

  #draw() {
    const wanted = this.#filter.value.toLowerCase();
    if (this.#tab === 'log') {
      const events = wanted ? this.#log.filter(({ data }) => data.toLowerCase().includes(wanted)) : this.#log;
      return this.#events.show(events, eventRow);
    }
    const rows = this.#model.rows();
    this.#timeline.show(wanted ? rows.filter((node) => isAbout(node, wanted)) : rows, timelineRow);
  }

  #showDetail(item) {
    this.#detail.replaceChildren(...(item.told ? eventDetail(item) : detailOf(item)));
    this.#detail.scrollTop = 0;
  }

  #key(event) {
    const { key, target } = event;
    if (key === 'Escape') {
      event.stopPropagation();
      if (target === this.#timeline || target === this.#events) this.dispatchEvent(new CustomEvent('leave'));
      else this.focusList();
    }
    const isOnList = target === this.#timeline || target === this.#events;
    if (key === 'Enter' && isOnList) this.#detail.focus();
    const node = this.#timeline.chosen;
    if (target !== this.#timeline || !node || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return;
    node.isClosed = key === 'ArrowLeft';
    this.#draw();
  }
}

function costOf({ knownUsd, unknownModels }) {
  if (unknownModels.length === 0) return dollars(knownUsd);
  return knownUsd === 0 ? 'cost unknown' : `${dollars(knownUsd)} and more`;
}

function isAbout({ name, text = '', input, output = '' }, wanted) {
  return [name, text, output, JSON.stringify(input) ?? ''].some((part) => part.toLowerCase().includes(wanted));
}

function eventRow({ told, data }) {
  const { at, agentPath = [], event } = told;
  return [
    el(
      'span',
      { class: 'cells event' },
      el('span', { class: 'time' }, clock(at)),
      said(event.type, 'span', { class: 'type' }),
      said(`${agentPath.map((id) => `${id} › `).join('')}${data.slice(0, 300)}`, 'bdi', { class: 'summary' }),
    ),
  ];
}

customElements.define('session-view', SessionView);
