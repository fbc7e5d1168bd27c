import { el, said } from './dom.js';
import { count, duration, oneLine, pretty } from './text.js';

/** One row of the timeline: name, summary, duration, tokens, and its bar in the waterfall of its run. */
export function timelineRow(node) {
  const sign = node.children.length === 0 ? '' : node.isClosed ? '▸' : '▾';
  const name = el('span', { class: `name ${node.kind}` }, el('span', { class: 'sign' }, sign), said(node.name));
  const title = el('span', { class: 'title' }, name, ' ', said(summaryOf(node), 'bdi', { class: 'summary' }));
  title.style.paddingInlineStart = `${(node.level - 1) * 18}px`;
  const row = el(
    'span',
    { class: `cells ${node.isTakenBack ? 'taken-back' : ''}`, title: node.state },
    title,
    el('span', { class: `state ${node.state ?? ''}` }, node.state ?? ''),
    el('span', { class: 'number' }, duration(tookOf(node))),
    el('span', { class: 'number' }, node.usage ? count(tokensOf(node.usage)) : ''),
    barOf(node),
  );
  return [row];
}

/** The names of the columns. */
export function timelineHead() {
  const numbers = ['took', 'tokens'].map((name) => el('span', { class: 'number' }, name));
  return el('span', { class: 'cells' }, el('span'), el('span'), numbers, el('span', {}, 'waterfall'));
}

export function tokensOf({ inputTokens, outputTokens }) {
  return inputTokens + outputTokens;
}

/** Milliseconds. Of a run: from its beginning to its end, waiting included. */
export function tookOf({ kind, at, end, durationMs }) {
  if (kind === 'run' && end !== undefined) return end - at;
  if (durationMs !== undefined) return durationMs;
  return end === undefined ? undefined : end - at;
}

function summaryOf({ kind, text = '', input, output }) {
  if (kind === 'call') return oneLine(typeof input === 'object' ? JSON.stringify(input).slice(0, 300) : pretty(input));
  if (kind === 'mark') return oneLine(`${text} ${output ?? ''}`);
  return oneLine(text);
}

function barOf({ run, at, end, kind, state = '', last }) {
  const bar = el('span', { class: `bar ${kind} ${state}` });
  const whole = run ?? { at, end, last };
  const total = Math.max(1, (whole.end ?? whole.last) - whole.at);
  const share = (ms) => Math.min(100, Math.max(0, (ms / total) * 100));
  const start = share(at - whole.at);
  const isMoment = kind === 'user' || kind === 'mark' || kind === 'notice';
  const width = isMoment ? 0 : share((end ?? whole.end ?? whole.last) - at);
  bar.style.insetInlineStart = `min(${start}%, 100% - 3px)`;
  bar.style.width = `max(3px, ${Math.min(width, 100 - start)}%)`;
  return el('span', { class: 'track', 'aria-hidden': 'true' }, run || kind === 'run' ? bar : '');
}
