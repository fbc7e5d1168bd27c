// Cuts random logs after every entry, as a crash may, and repairs what is left as a run that takes it up does. Of every prefix: the
// messages are valid for every provider (each call answered directly behind its reply, once, in order, with what was recorded; no
// result without a call; nothing empty), repairing twice is repairing once, and a snapshot gives back what was folded, all of it for
// the conversations of subagents too. Of a sample the requests of the four providers are made: each holds every call and every result
// once. Controls, a fold that drops an answer, a repair that forgets one and a snapshot that loses a message, must be noticed.
// LOGS=10000, SAMPLE=400, SEED=1
import type { Message } from '@x/core';
import type { EntryBody } from '../src/index.ts';
import { answersForOpenCalls, apply, type SessionState, scopeOf } from '../src/log/fold.ts';
import type { Snapshot } from '../src/log/session-store.ts';
import { type OnTrial, OURS, prefixTrial } from './support/prefix-trial.ts';
import { ProviderRequests } from './support/provider-requests.ts';
import { richLog } from './support/rich-log.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const LOGS = amountFrom('LOGS', 10_000);
const SAMPLE = Math.min(LOGS, amountFrom('SAMPLE', 400));
const CONTROL_LOGS = 50;

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const below = (sides: number) => Math.floor(random() * sides);
const requests = await ProviderRequests.open();
const views: (readonly Message[])[] = [];

everyPrefix();
await everyProvider();
control('a fold that drops an answer', { fold: droppingAnAnswer });
control('a fold that puts the answers elsewhere', { fold: movingAnswers });
control('a repair that forgets a call', { answers: (state) => answersForOpenCalls(state).slice(1) });
control('a snapshot that loses a message', { restore: losingAMessage });
await requestsControl();
await requests.close();
tally.end();

function everyPrefix(): void {
  const startedAt = performance.now();
  let [prefixes, repaired] = [0, 0];
  for (let number = 0; number < LOGS; number++) {
    const log = richLog(random);
    const { length } = log.bodies;
    const report = prefixTrial(log, { chosen: 1 + below(length), cut: 1 + below(length) });
    tally.check(`log ${number}`, report.faults);
    prefixes += length;
    repaired += report.repaired;
    if (number % Math.floor(LOGS / SAMPLE) === 0 && report.view.length > 0) views.push(report.view);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${LOGS} logs, ${prefixes} prefixes, ${repaired} of them with calls to answer (${seconds} s)`);
}

async function everyProvider(): Promise<void> {
  const startedAt = performance.now();
  for (const [number, view] of views.entries())
    tally.check(`requests of view ${number}`, await requests.faultsOf(view));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`requests of four providers made of ${views.length} prefixes (${seconds} s)`);
}

function control(name: string, change: Partial<OnTrial>): void {
  const other = randomFrom(7);
  let noticed = 0;
  for (let number = 0; number < CONTROL_LOGS; number++) {
    const log = richLog(other);
    const { faults } = prefixTrial(log, { chosen: 0, cut: log.bodies.length >> 1, onTrial: { ...OURS, ...change } });
    if (faults.length > 0) noticed += 1;
  }
  console.log(`control, ${name}: noticed in ${noticed} of ${CONTROL_LOGS} logs`);
  tally.check(`control, ${name}`, noticed > 0 ? [] : ['the harness saw nothing wrong']);
}

/** A view in which the first answer is missing. */
async function requestsControl(): Promise<void> {
  const view = views.find((messages) => messages.some(({ role }) => role === 'tool')) ?? [];
  const broken = view.filter(({ role }) => role !== 'tool');
  const faults = await requests.faultsOf(broken, view);
  console.log(`control, requests without the answers: ${faults[0] ?? 'nothing noticed'}`);
  tally.check('control, requests without the answers', faults.length > 0 ? [] : ['the harness saw nothing wrong']);
}

function droppingAnAnswer(state: SessionState, body: EntryBody): void {
  const isAnswer = body.type === 'record' && body.record.type === 'tool_finished' && body.record.callId.endsWith('3');
  if (isAnswer) state.head += 1;
  else apply(state, body);
}

function movingAnswers(state: SessionState, body: EntryBody): void {
  apply(state, body);
  const { messages } = scopeOf(state, []);
  const last = messages.at(-1);
  if (last?.role === 'tool') messages.splice(-2, 2, last, messages.at(-2)!); // its reply is in front of it
}

function losingAMessage(snapshot: Snapshot): SessionState | undefined {
  const restored = OURS.restore(snapshot);
  if (restored) scopeOf(restored, []).messages.pop();
  return restored;
}
