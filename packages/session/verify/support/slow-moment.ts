import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentHandler, defineTool, isAgentError, objectSchema, type StreamMessage } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createSession, type ISession, type SessionEntry, type SessionStore, sqliteStore } from '../../src/index.ts';
import { logFaults } from './judge.ts';
import type { SlowPlace } from './slow-places.ts';
import { integrityFaults } from './trial-folder.ts';

/** When the store becomes slow. */
export const MOMENTS = ['enqueue', 'start', 'append', 'heartbeat', 'result', 'end', 'release'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface MomentOptions {
  readonly place: SlowPlace;
  /** Where each effect of the tool leaves a line. */
  readonly effects: string;
  /** Milliseconds that the place is slow. */
  readonly slowMs: number;
  /** Takes a guard out. */
  readonly change?: (store: SessionStore) => SessionStore;
}
export interface MomentReport {
  readonly faults: readonly string[];
  /** Whether the session has said that it waits. */
  readonly wasTold: boolean;
}

/** Enough that a full disk is met at once: a write-ahead log has some room of its own. */
const LARGE = 'x'.repeat(250_000);
/** Before the first renewal of a lease, which comes 5 seconds after it was taken. */
const BEFORE_BEAT_MS = 3_000;

/** One run with one payment, in a store that is slow from this moment on for a while, then a second run. */
export async function slowMoment(moment: Moment, options: MomentOptions): Promise<MomentReport> {
  const { place, effects, change = (same: SessionStore) => same } = options;
  const file = sqliteStore({ path: place.path });
  let hasBegun = false;
  const at = async (now: Moment) => {
    if (now !== moment || hasBegun) return;
    hasBegun = true;
    await place.begin();
  };
  const release: SessionStore['release'] = async (lease) => {
    await at('release');
    await file.release(lease);
  };
  const session = await createSession(optionsOf(change({ ...file, release }), { ...options, at, moment }));
  const faults: string[] = [];
  try {
    await at('enqueue');
    await session.send(`Pay. ${LARGE}`);
    await at('start');
    faults.push(...(await runFaults(session)));
    await session.send('And now?');
    faults.push(...(await runFaults(session)));
    const wasTold = session.diagnosis().checks.some(({ name }) => name === 'store_slow');
    const entries = await Array.fromAsync(file.read(session.sessionId));
    faults.push(...(hasBegun ? [] : ['the store never became slow']), ...stateFaults(place.path, effects, entries));
    return { faults, wasTold };
  } catch (error) {
    return { faults: [...faults, `failed: ${isAgentError(error) ? error.code : ''} ${String(error)}`], wasTold: false };
  } finally {
    await session.close();
    await file[Symbol.asyncDispose]();
  }
}

interface Acting extends MomentOptions {
  readonly at: (now: Moment) => Promise<void>;
  readonly moment: Moment;
}

function optionsOf(store: SessionStore, { effects, at, moment, slowMs }: Acting) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays; twice is once too often.',
    inputSchema: objectSchema({}),
    async execute(_, { signal }) {
      appendFileSync(effects, 'paid\n');
      if (moment === 'heartbeat') {
        await sleep(BEFORE_BEAT_MS, undefined, { signal });
        await at('heartbeat');
        await sleep(slowMs + 3_000, undefined, { signal });
      }
      await at('result');
      return `receipt 4711 ${LARGE}`;
    },
  });
  const model = () =>
    scriptedModel(({ messages }) => {
      const isPaid = messages.some(({ role }) => role === 'assistant');
      const usage = { inputTokens: messages.length };
      return isPaid ? { text: ['Done.'], usage } : { text: [LARGE], toolCalls: [{ name: 'pay', input: {} }], usage };
    });
  const ending: AgentHandler = {
    name: 'ending',
    async onEvent(event) {
      if (event.type === 'content') await at('append'); // said, and not recorded yet
      const isEnd =
        event.type === 'message' && event.message.role === 'assistant' && event.message.stopReason === 'end';
      if (isEnd) await at('end');
    },
  };
  return {
    provider: { type: 'custom' as const, createModel: model },
    model: 'scripted',
    store,
    tools: [pay],
    handlers: [ending],
    permissionMode: 'bypassPermissions' as const,
  };
}

async function runFaults(session: ISession): Promise<string[]> {
  let result: Extract<StreamMessage, { type: 'result' }> | undefined;
  for await (const event of session.stream()) if (event.type === 'result') result = event;
  return result?.subtype === 'success' ? [] : [`a run ended with ${result?.subtype}: ${result?.error}`];
}

/** What another process would find, and what was done. */
function stateFaults(path: string, effects: string, entries: readonly SessionEntry[]): string[] {
  const faults = [...logFaults(entries), ...integrityFaults(path)];
  const paid = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').length : 0;
  if (paid !== 1) faults.push(`paid ${paid} times`);
  const results = entries.filter(({ body }) => body.type === 'record' && body.record.type === 'tool_finished');
  if (results.length !== 1) faults.push(`${results.length} results`);
  if (!JSON.stringify(results).includes('receipt 4711')) faults.push('the receipt is lost');
  const ended = entries.filter(({ body }) => body.type === 'run_ended');
  if (ended.length !== 2) faults.push(`${ended.length} runs have ended`);
  const database = new DatabaseSync(path);
  const owner = database.prepare('select owner from sessions').get()?.['owner'];
  database.close();
  if (owner !== null) faults.push(`the session is left with an owner: ${String(owner)}`);
  return faults;
}
