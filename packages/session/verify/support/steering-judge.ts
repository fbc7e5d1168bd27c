import { getEventListeners } from 'node:events';
import { textOf, type UserMessage } from '@x/core';
import type { EntryBody, SessionEntry } from '../../src/index.ts';
import { codeOf } from './do-work.ts';
import type { Sent, World } from './steering-world.ts';

type RunEnded = Extract<EntryBody, { readonly type: 'run_ended' }>;
interface Run {
  readonly from: number;
  readonly upTo: number;
  readonly subtype: RunEnded['subtype'] | 'open';
  readonly messageId: string;
}
interface Delivered {
  readonly seq: number;
  readonly message: UserMessage;
}
interface Log {
  readonly runs: readonly Run[];
  /** By text. */
  readonly delivered: ReadonlyMap<string, readonly Delivered[]>;
  /** Sequence numbers of the model's replies. */
  readonly replies: readonly number[];
}

/** What a log may not say after a schedule. `waiting`: texts that are still in the inbox. */
export function steeringFaults(world: World, entries: readonly SessionEntry[], waiting: readonly string[]): string[] {
  const log = logOf(entries);
  const known = new Set(world.sent.map(({ text }) => text));
  return [
    ...world.faults,
    ...waiting.map((text) => `${text} still waits`),
    ...[...log.delivered.keys()].filter((text) => !known.has(text)).map((text) => `${text} was never sent`),
    ...world.sent.flatMap((sent) => [
      ...countFaults(sent, log),
      ...outcomeFaults(sent, log, world.crashes > 0),
      ...delayFaults(sent, log),
    ]),
    ...orderFaults(world.sent, log),
    ...(world.isAlone ? startFaults(world.sent, log) : []),
    ...seenFaults(world, log),
    ...(world.crashes === 0 ? listenerFaults(world.sent) : []), // a process that has crashed takes nothing off
    ...(log.runs.some(({ subtype }) => subtype === 'open') ? ['a run without an end'] : []),
  ];
}

function logOf(entries: readonly SessionEntry[]): Log {
  const runs: Run[] = [];
  const delivered = new Map<string, Delivered[]>();
  const replies: number[] = [];
  for (const { seq, body } of entries) {
    if (body.type === 'run_started') {
      runs.push({ from: seq, upTo: Number.POSITIVE_INFINITY, subtype: 'open', messageId: body.messageId });
    } else if (body.type === 'run_ended') runs.push({ ...runs.pop()!, upTo: seq, subtype: body.subtype });
    else if (body.type === 'record' && body.record.type === 'message') {
      const { message } = body.record;
      if (message.role === 'assistant') replies.push(seq);
      else delivered.set(textOf(message), [...(delivered.get(textOf(message)) ?? []), { seq, message }]);
    }
  }
  return { runs, delivered, replies };
}

/** Once, when `send` has said so; at most once when the process ended before; not at all when it was refused. */
function countFaults({ text, outcome, refusal }: Sent, { delivered }: Log): string[] {
  const found = delivered.get(text) ?? [];
  if (refusal !== undefined) {
    const isClosed = codeOf(refusal) === 'SESSION_CLOSED';
    return isClosed && found.length === 0 ? [] : [`${text} was refused: ${codeOf(refusal)}`];
  }
  if (found.length > 1) return [`${text} was delivered ${found.length} times`];
  if (!outcome) return [];
  if (found.length === 0) return [`${text} was lost, told ${outcome.status}`];
  return found[0]!.message.id === outcome.messageId ? [] : [`${text} has another id`];
}

/** What was told is what happened, as far as the sending object is the one that reads. */
function outcomeFaults(
  { text, by, outcome, calledAt, answeredAt = 0, whileReading }: Sent,
  { delivered, runs }: Log,
  crashed: boolean,
): string[] {
  const at = delivered.get(text)?.[0]?.seq;
  if (!outcome || at === undefined || by === 'store') return [];
  const of = runs.find(({ from, upTo }) => from < at && at < upTo);
  if (!of) return [`${text} was delivered outside of a run`];
  if (outcome.status === 'steered') {
    // The runs that were under way, or about to begin (with a title and their start), from the call to the answer.
    const under = runs.filter(({ from, upTo }) => from <= answeredAt + 2 && upTo > calledAt);
    const isLate = !under.includes(of) && under.every(({ subtype }) => subtype === 'success');
    return isLate ? [`${text} was told steered, and had to wait for the next run`] : [];
  }
  // A run of which a crash has left nothing but its start begins anew, with all that waits.
  const hasJoined = whileReading && !crashed && of.from <= calledAt && of.upTo > answeredAt;
  return hasJoined ? [`${text} was told ${outcome.status}, and joined the run under way`] : [];
}

/** The run under way has at most one more reply before it takes a message that it was told to steer by. */
function delayFaults({ text, outcome, answeredAt = 0 }: Sent, { delivered, replies, runs }: Log): string[] {
  const at = delivered.get(text)?.[0]?.seq;
  if (outcome?.status !== 'steered' || at === undefined) return [];
  const { from } = runs.find((run) => run.from < at && at < run.upTo)!; // found by outcomeFaults
  const between = replies.filter((seq) => seq > Math.max(answeredAt, from) && seq < at).length;
  return between > 1 ? [`${text} waited for ${between} replies`] : [];
}

/** One that was answered before the other was sent, or sent by the same object before it, comes first. */
function orderFaults(sent: readonly Sent[], { delivered }: Log): string[] {
  const faults: string[] = [];
  sent.forEach((first, index) => {
    for (const second of sent.slice(index + 1)) {
      const mayPass = first.priority === 'later' && second.priority !== 'later';
      const isAfter = first.by === second.by || (first.answeredAt ?? Number.POSITIVE_INFINITY) < second.calledAt;
      if (mayPass || !isAfter || !first.outcome || !second.outcome) continue;
      const [one, two] = [delivered.get(first.text)?.[0]?.seq, delivered.get(second.text)?.[0]?.seq];
      if (one !== undefined && two !== undefined && one > two) faults.push(`${second.text} came before ${first.text}`);
    }
  });
  return faults;
}

/** Where one object does it all: a message that was told `started` is the first of its run. */
function startFaults(sent: readonly Sent[], { runs }: Log): string[] {
  const starters = new Set(runs.map(({ messageId }) => messageId));
  return sent
    .filter(({ outcome }) => outcome?.status === 'started' && !starters.has(outcome.messageId))
    .map(({ text }) => `${text} was told started, and no run started with it`);
}

/** A reader that stays sees each message once; only a crash or leaving hides one. */
function seenFaults({ seen }: World, { delivered }: Log): string[] {
  const ids = new Set([...delivered.values()].flatMap((all) => all.map(({ message }) => message.id)));
  const doubled = seen.filter((id, index) => seen.indexOf(id) !== index);
  return [
    ...doubled.map((id) => `the readers saw ${id} twice`),
    ...seen.filter((id) => !ids.has(id)).map((id) => `the readers saw ${id}, which the log does not have`),
  ];
}

function listenerFaults(sent: readonly Sent[]): string[] {
  return sent
    .filter(
      ({ controller, outcome }) => outcome && controller && getEventListeners(controller.signal, 'abort').length > 0,
    )
    .map(({ text }) => `a listener is left on the signal of ${text}`);
}
