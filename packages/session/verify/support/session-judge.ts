import { isDeepStrictEqual } from 'node:util';
import type { TokenUsage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { scriptedModel } from '@x/core/testing';
import { type ISession, resumeSession, type SessionEntry, type SessionStore } from '../../src/index.ts';
import { faultsOf } from '../../test/support/makers.ts';
import { usageIn } from './judge.ts';

/** Whether what a session says of itself is what its log says, and what every provider takes. */
export async function sessionFaults(session: ISession, store: SessionStore): Promise<string[]> {
  const { sessionId, messages } = session;
  const entries = await Array.fromAsync(store.read(sessionId));
  const faults = faultsOf(messages);
  const provider = { type: 'custom', createModel: () => scriptedModel([]) } as const;
  const fresh = await resumeSession({ store, sessionId, provider, model: 'none' });
  if (!isDeepStrictEqual(fresh.messages, messages)) faults.push('the messages differ from those of the log');
  const own = entries.flatMap(({ body }) => {
    return body.type === 'record' && body.scope.length === 0 && body.record.type === 'compaction' ? [body.record] : [];
  });
  const last = own.at(-1);
  if (last && messages[0]?.id !== last.id) faults.push('the messages do not begin with the last summary');
  if (messages.filter(({ id }) => own.some((one) => one.id === id)).length !== (last ? 1 : 0)) {
    faults.push('there is more than one summary');
  }
  const { total } = await session.usage();
  const sum = sumOf(usageIn(entries));
  if (!isDeepStrictEqual(total.usage, sum))
    faults.push(`used ${JSON.stringify(total.usage)}, not ${JSON.stringify(sum)}`);
  return [...faults, ...runUsageFaults(entries)];
}

/** The end of each run says what its calls have used. */
function runUsageFaults(entries: readonly SessionEntry[]): string[] {
  const faults: string[] = [];
  let from = 0;
  entries.forEach(({ body }, index) => {
    if (body.type === 'run_started') from = index;
    if (body.type !== 'run_ended') return;
    const sum = sumOf(usageIn(entries.slice(from, index)));
    if (!isDeepStrictEqual(body.usage, sum)) {
      faults.push(`a run used ${JSON.stringify(body.usage)}, not ${JSON.stringify(sum)}`);
    }
  });
  return faults;
}

function sumOf(all: readonly TokenUsage[]): TokenUsage {
  return all.reduce(addUsage, noUsage());
}
