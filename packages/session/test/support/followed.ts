import type { ISession, SessionEvent, SessionStore } from '../../src/index.ts';
import { watchSession } from '../../src/index.ts';

const RECORDED = new Set([
  'run_started',
  'run_resumed',
  'run_waiting',
  'question',
  'user_message',
  'message',
  'tool_started',
  'tool_result',
  'compaction',
  'result',
]);

/** True for an event that tells a record of the log; the others are live. */
export function isRecord({ event }: SessionEvent): boolean {
  return RECORDED.has(event.type) || (event.type === 'permission' && event.decision !== 'ask');
}

/** An event in a line: the path of its agent, its type, and what it is about. */
export function lineOf({ agentPath, callId, event }: SessionEvent): string {
  const path = agentPath.map((id) => `${id}/`).join('');
  const said = 'delta' in event ? ` ${event.delta}` : event.type === 'user_message' ? ` ${event.content}` : '';
  return `${path}${event.type}${callId === undefined ? '' : ` ${callId}`}${said}`;
}

/** The events up to and including the `count`th result. */
export async function untilResult(
  events: AsyncGenerator<SessionEvent, void, void>,
  count = 1,
): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  let left = count;
  for await (const event of events) {
    seen.push(event);
    if (event.event.type === 'result' && --left === 0) break;
  }
  return seen;
}

/** All records that a log holds by now, as a reader is told them who comes when nobody runs the session. */
export async function toldRecords(store: SessionStore, sessionId: string, from?: string): Promise<SessionEvent[]> {
  const results = (await Array.fromAsync(store.read(sessionId))).filter(({ body }) => body.type === 'run_ended').length;
  const options = from === undefined ? { store, sessionId } : { store, sessionId, from };
  return results === 0 ? [] : await untilResult(watchSession(options), results);
}

/** Reads a session from its beginning, before it has begun to run, to the end of its next run. */
export async function followed(session: ISession, drive: () => Promise<unknown>): Promise<SessionEvent[]> {
  const events = session.events();
  const first = events.next();
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve)); // it waits by now
  const driven = drive();
  const begin = await first;
  const rest = await untilResult(events);
  await driven;
  return begin.done ? rest : [begin.value, ...rest];
}
