import { el, longText, said } from './dom.js';
import { clock, count, dollars, duration, pretty } from './text.js';
import { tookOf } from './timeline-row.js';

/** Everything that is known about one row of the timeline. */
export function detailOf(node) {
  const { kind, name, text, thinking, input, output, progress } = node;
  const isSaid = kind === 'turn' || kind === 'user';
  return [
    el('h2', {}, said(name), ' ', el('span', { class: `state ${node.state ?? ''}` }, node.state ?? '')),
    factsOf(node),
    ...section('Thinking', thinking),
    ...section(isSaid ? 'Text' : 'About', text),
    ...section('Input', input),
    ...section(kind === 'mark' ? 'Summary' : 'Output', output),
    ...(output === undefined ? section('Progress', progress) : []),
  ];
}

/** An event as it came. */
export function eventDetail({ told, data }) {
  return [
    el('h2', {}, said(told.event?.type ?? 'event')),
    facts([
      ['at', clock(told.at)],
      ['cursor', told.cursor],
      ['agent', told.agentPath?.join(' › ')],
    ]),
    longText(data.length < 200_000 ? pretty(told) : data),
  ];
}

function factsOf(node) {
  const { usage } = node;
  return facts([
    ['at', clock(node.at)],
    ['took', duration(tookOf(node))],
    ['worked', node.kind === 'run' ? duration(node.durationMs) : ''],
    ['tokens', usage && `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out`],
    ['cost', node.cost === undefined ? '' : dollars(node.cost)],
    ['model', node.model],
    ['stop', node.stopReason],
    ['permission', node.permission],
    ['agent', node.agentPath?.join(' › ')],
    ['id', node.id ?? node.messageId],
  ]);
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value);
  return el(
    'dl',
    {},
    known.map(([name, value]) => el('div', {}, el('dt', {}, name), said(value, 'dd'))),
  );
}

function section(title, value) {
  if (value === undefined || value === '') return [];
  return [el('h3', {}, title), longText(pretty(value))];
}
