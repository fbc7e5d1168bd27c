// Forks random logs (crashed runs, parallel calls, subagents, compactions, interrupted replies, steered messages, large bodies) at every
// message that they have ever shown, and without one. A fork is refused exactly where a fold of its own finds a call unanswered; every
// other one has that message in its view, which with one more message is valid as it stands, without any repair, and of a sample the
// requests of the four providers are made. The source is byte for byte what it was. Each log is exported, imported and exported again:
// the same; an export with bytes changed or cut off is refused with a typed error that leaves nothing behind, or means the same. The
// control, cuts behind unanswered calls, must be noticed at each of them. LOGS=150, SAMPLE=150, SEED=1
import { isAgentError, type Message, userMessage } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  type EntryBody,
  exportSession,
  forkSession,
  importSession,
  memoryStore,
  type SessionStore,
} from '../src/index.ts';
import { apply, emptyState, scopeOf } from '../src/log/fold.ts';
import { loadState } from '../src/log/load-state.ts';
import { faultsOf } from '../test/support/makers.ts';
import { ProviderRequests } from './support/provider-requests.ts';
import { type RichLog, richLog, unpacked } from './support/rich-log.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const LOGS = amountFrom('LOGS', 150);
const SAMPLE = amountFrom('SAMPLE', 150);
const DAMAGES = 10;

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const requests = await ProviderRequests.open();
const model = scriptedModel(() => ({ text: 'Done.' }));
const provider: CustomProvider = { type: 'custom', createModel: () => model };
const counts = { forks: 0, refused: 0, damaged: 0, taken: 0, asked: 0, cuts: 0, noticed: 0 };

for (let number = 0; number < LOGS; number++) await oneLog(richLog(random), number);
console.log(`${LOGS} logs: ${counts.forks} forks, ${counts.refused} refused behind unanswered calls`);
console.log(`requests of four providers made of ${counts.asked} forks`);
console.log(`${counts.damaged} damaged exports, ${counts.taken} of which meant the same`);
console.log(`control, cuts behind unanswered calls: noticed at ${counts.noticed} of ${counts.cuts}`);
tally.check('control, cuts', counts.noticed === counts.cuts && counts.cuts > 0 ? [] : ['not all were noticed']);
await requests.close();
tally.end();

async function oneLog(log: RichLog, number: number): Promise<void> {
  const store = await stored(log);
  const lines = await Array.fromAsync(exportSession('source', { store }));
  for (const [messageId, isValid] of messagesOf(log)) {
    const faults = await forkFaults(store, { messageId, isValid });
    tally.check(`log ${number}, fork at ${messageId}`, faults);
  }
  tally.check(`log ${number}, fork of everything`, await forkFaults(store, { isValid: true }));
  await control(store, log);
  const after = await Array.fromAsync(exportSession('source', { store }));
  tally.check(`log ${number}, the source`, after.join('') === lines.join('') ? [] : ['it has changed']);
  tally.check(`log ${number}, moved`, await moveFaults(lines));
}

/** Every message of the session's own agent, and whether no call was open when it was recorded. */
function messagesOf(log: RichLog): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const state = emptyState();
  for (const body of log.bodies) {
    const before = new Set(scopeOf(state, []).messages.map(({ id }) => id));
    apply(state, unpacked(body, log));
    const { messages, calls } = scopeOf(state, []);
    for (const { id } of messages) if (!before.has(id)) found.set(id, !calls);
  }
  return found;
}

interface Attempt {
  readonly messageId?: string;
  readonly isValid: boolean;
}

async function forkFaults(store: SessionStore, { messageId, isValid }: Attempt): Promise<string[]> {
  const options = { provider, model: 'm', store, cwd: '/tmp', sessionId: 'source' };
  try {
    const fork = await forkSession({ ...options, ...(messageId === undefined ? {} : { messageId }) });
    counts.forks += 1;
    const { messages } = fork;
    const { state } = await loadState(store, fork.sessionId);
    await store.remove(fork.sessionId);
    if (!isValid) return ['it was not refused'];
    if (messageId !== undefined && !messages.some(({ id }) => id === messageId))
      return ['the message is not in the fork'];
    const goesOn = messages.at(-1)?.role !== 'assistant' && messages.length > 0;
    const open = state.run !== undefined && !goesOn ? ['a run is open that has nothing to do'] : [];
    return [...open, ...(await viewFaults(messages))];
  } catch (error) {
    counts.refused += 1;
    const code = isAgentError(error) ? error.code : String(error);
    return !isValid && code === 'INVALID_FORK_POINT' ? [] : [`it was refused: ${code}`];
  }
}

/** What is said next is valid behind these messages as they stand. */
async function viewFaults(messages: readonly Message[]): Promise<string[]> {
  const next = [...messages, userMessage('On.')];
  const faults = faultsOf(next);
  if (counts.asked >= SAMPLE || random() > 0.1) return faults;
  counts.asked += 1;
  return [...faults, ...(await requests.faultsOf(next))];
}

/** The store itself cuts anywhere: a view that is cut behind a reply with calls must be seen to be wrong. */
async function control(store: SessionStore, log: RichLog): Promise<void> {
  const state = emptyState();
  for (const [index, body] of log.bodies.entries()) {
    apply(state, unpacked(body, log));
    if (!scopeOf(state, []).calls || random() > 0.2) continue;
    await store.fork('source', index + 1, 'cut');
    const cut = await loadState(store, 'cut');
    counts.cuts += 1;
    if (faultsOf([...scopeOf(cut.state, []).messages, userMessage('On.')]).length > 0) counts.noticed += 1;
    await store.remove('cut');
  }
}

async function moveFaults(lines: readonly string[]): Promise<string[]> {
  const store = memoryStore();
  await importSession(lines, { store });
  const again = await Array.fromAsync(exportSession('source', { store }));
  const faults = withoutTimes(again) === withoutTimes(lines) ? [] : ['the import is not the same'];
  const text = lines.join('');
  for (let number = 0; number < DAMAGES; number++) faults.push(...(await damageFaults(text)));
  return faults;
}

async function damageFaults(text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const place = Math.floor(random() * bytes.length);
  if (random() < 0.5) bytes[place] = Math.floor(random() * 256);
  const kept = random() < 0.3 ? bytes.subarray(0, place) : bytes;
  const store = memoryStore();
  counts.damaged += 1;
  try {
    await importSession(kept.toString('utf8').split('\n'), { store });
    counts.taken += 1;
    const again = await Array.fromAsync(exportSession('source', { store }));
    return withoutTimes(again) === withoutTimes(text.split('\n')) ? [] : ['a damaged export was taken'];
  } catch (error) {
    const left = (await store.list()).sessions.length;
    if (!isAgentError(error)) return [`no typed error: ${String(error)}`];
    return left === 0 ? [] : [`${left} sessions were left behind`];
  }
}

/** What an import keeps: everything but the times of the entries, and with them the checksum. */
function withoutTimes(lines: readonly string[]): string {
  const kept = lines.filter((line) => !line.startsWith('{"type":"end"'));
  return kept
    .map((line) => line.trimEnd().replace(/"at":"[^"]*"/, ''))
    .join('\n')
    .trimEnd();
}

async function stored(log: RichLog): Promise<SessionStore> {
  const store = memoryStore();
  const [first, ...others] = log.bodies as readonly [EntryBody, ...EntryBody[]]; // a log has a beginning
  await store.create('source', first);
  for (const [sha256, bytes] of log.blobs) await store.putBlob('source', sha256, bytes);
  await store.append('source', { epoch: 0, head: 1 }, others);
  return store;
}
