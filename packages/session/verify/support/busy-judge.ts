import { textOf } from '@x/core';
import { resumeSession, type SessionStore, sqliteStore } from '../../src/index.ts';
import { busyOptions, type Told } from './busy-work.ts';
import type { Contents } from './do-work.ts';
import { logFaults, lostOf, openEffectsOf, unknownOf } from './judge.ts';
import { integrityFaults } from './trial-folder.ts';

export interface BusyReport {
  /** What was told and is not there. */
  readonly lost: readonly string[];
  readonly faults: readonly string[];
  readonly sessions: number;
}

/** Whether everything told is in the file, every log is whole, and the newest session can go on. */
export async function judgeBusy(path: string, told: readonly Told[], cwd: string): Promise<BusyReport> {
  const faults = integrityFaults(path);
  const bySession = Map.groupBy(told, ({ sessionId }) => sessionId);
  const lost: string[] = [];
  const store = sqliteStore({ path });
  try {
    for (const [sessionId, own] of bySession) {
      const contents = await contentsIn(store, sessionId);
      lost.push(...(contents ? lostOf(own, contents) : [`session ${sessionId}`]));
      faults.push(...logFaults(contents?.entries ?? []));
    }
    const last = (await store.list({ limit: 1 })).sessions[0]?.sessionId;
    if (last !== undefined) faults.push(...(await goOn(store, last, cwd)));
  } catch (error) {
    faults.push(`unreadable: ${String(error)}`);
  } finally {
    await store[Symbol.asyncDispose]();
  }
  return { lost, faults, sessions: bySession.size };
}

/** What the store holds of one session; undefined when there is none. */
export async function contentsIn(store: SessionStore, sessionId: string): Promise<Contents | undefined> {
  try {
    const items = await store.inbox(sessionId);
    return {
      entries: await Array.fromAsync(store.read(sessionId)),
      waiting: items.map(({ message }) => textOf(message)),
      waitingIds: items.map(({ message }) => message.id),
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SESSION_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Takes the session up where the cut has left it, with one message more; what was under way must be reported as unknown. */
async function goOn(store: SessionStore, sessionId: string, cwd: string): Promise<string[]> {
  const before = await contentsIn(store, sessionId);
  const session = await resumeSession({ ...busyOptions(cwd, { commands: true }), store, sessionId });
  const events: string[] = [];
  try {
    await session.send('And then?');
    for await (const event of session.stream()) events.push(event.type === 'result' ? event.subtype : event.type);
  } finally {
    await session.close();
  }
  const after = await contentsIn(store, sessionId);
  const [open, unknown] = [openEffectsOf(before?.entries ?? []), unknownOf(after?.entries ?? [])];
  return [
    ...logFaults(after?.entries ?? []),
    ...(events.at(-1) === 'success' ? [] : [`resumed, it ended with ${events.at(-1)}`]),
    ...open.filter((callId) => !unknown.includes(callId)).map((callId) => `call ${callId} is not reported as unknown`),
  ];
}
