import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '@x/session';
import { watchSession } from '@x/session';
import type { hosted } from './hosted.ts';

type Host = Pick<Awaited<ReturnType<typeof hosted>>, 'store'>;

/** Events up to one of this type, as somebody next to the server sees them: a record, since a live event may have been told before. */
export async function eventsUntil(
  { store }: Host,
  path: string,
  type: SessionEvent['event']['type'],
  from?: string,
): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  const sessionId = path.split('/').at(-1)!; // a path has a part
  for await (const event of watchSession({ store, sessionId, ...(from === undefined ? {} : { from }) })) {
    seen.push(event);
    if (event.event.type === type) return seen;
  }
  throw new Error(`The events have ended before ${type}`);
}

/** The first result behind a place. */
export async function resultOf(host: Host, path: string, from?: string): Promise<SessionEvent> {
  return (await eventsUntil(host, path, 'result', from)).at(-1)!; // it was found
}

/** Resolves when the condition holds; a lease is given back a moment after the result. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}
