import { AgentError, isAgentError, textOf } from '@x/core';
import {
  createSession,
  type ISession,
  resumeSession,
  type SessionEntry,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { type Acknowledge, learntFrom } from './acknowledgements.ts';
import { type Plan, plannedModel, runText, steerText, userRunsOf } from './plan.ts';

export interface Work {
  readonly plan: Plan;
  /** What the session is given. */
  readonly store: SessionStore;
  /** What this harness itself looks into; the same sessions. */
  readonly look: SessionStore;
  /** Go over the plan's model and `bypassPermissions`. */
  readonly options: Partial<SessionOptions>;
  readonly acknowledge: Acknowledge;
  readonly pause: () => Promise<void>;
  /** Given what sends the message in mid-run, in case it is to be sent before the first tool result. */
  readonly meanwhile?: (steer: () => Promise<void>) => void;
  /** Given the session when all is done, before it is closed. */
  readonly done?: (session: ISession) => Promise<void>;
}

/** Streams that may end with an error before the work is given up. */
const MAX_FAILURES = 5;

/** Does the plan in the store's only session, from wherever an earlier process has left it, and returns when all is done. */
export async function doWork(work: Work): Promise<void> {
  const { plan, look, acknowledge } = work;
  const session = await openSession(work);
  const sayOnce = async (text: string) => {
    const { entries, waiting } = await contentsOf(look);
    if ([...userTextsIn(entries), ...waiting].includes(text)) return;
    // Every second run begins with a message that may wait: it has to start the run all the same.
    const { messageId } = await session.send(text, { priority: /^run:\d*[13579]$/.test(text) ? 'later' : 'next' });
    acknowledge({ kind: 'sent', messageId });
  };
  const say = async (text: string) => {
    acknowledge({ kind: 'saying' });
    await sayOnce(text).finally(() => acknowledge({ kind: 'said' }));
  };
  for (const run of userRunsOf(plan)) {
    await say(runText(run));
    let steered: Promise<void> | undefined;
    // A failure must not make the reader leave, which would abort the run; the message is sent again afterwards.
    const steer = () =>
      (steered ??= say(steerText(run)).catch((error: unknown) =>
        acknowledge({ kind: 'failure', code: codeOf(error) }),
      ));
    work.meanwhile?.(steer);
    await readAll(session, work, steer);
    await say(steerText(run));
    await readAll(session, work);
  }
  await work.done?.(session);
  await session.close();
}

/** The code of a typed error. */
export function codeOf(error: unknown): string {
  return isAgentError(error) ? error.code : `untyped ${String(error)}`;
}

/** What a store holds of its only session. */
export interface Contents {
  readonly entries: readonly SessionEntry[];
  /** The texts in the inbox, and their ids. */
  readonly waiting: readonly string[];
  readonly waitingIds: readonly string[];
}

/** Reads without owning the session; empty when there is none. */
export async function contentsOf(store: SessionStore): Promise<Contents> {
  const [found] = (await store.list()).sessions;
  if (!found) return { entries: [], waiting: [], waitingIds: [] };
  const items = await store.inbox(found.sessionId);
  return {
    entries: await Array.fromAsync(store.read(found.sessionId)),
    waiting: items.map(({ message }) => textOf(message)),
    waitingIds: items.map(({ message }) => message.id),
  };
}

/** The texts of the recorded user messages, in order. */
export function userTextsIn(entries: readonly SessionEntry[]): string[] {
  return entries.flatMap(({ body }) => {
    if (body.type !== 'record' || body.record.type !== 'message' || body.record.message.role !== 'user') return [];
    return [textOf(body.record.message)];
  });
}

async function openSession(work: Work): Promise<ISession> {
  const { plan, store, look, acknowledge, pause } = work;
  const onFault = (text: string) => acknowledge({ kind: 'fault', text });
  const options: SessionOptions = {
    provider: { type: 'custom', createModel: () => plannedModel({ plan, onFault, pause }) },
    model: 'planned',
    permissionMode: 'bypassPermissions',
    ...work.options,
    store,
  };
  const [found] = (await look.list()).sessions;
  return found ? await resumeSession({ ...options, sessionId: found.sessionId }) : await createSession(options);
}

/** Streams until there is nothing left to do; `steer` is called at the results of tools. */
async function readAll(session: ISession, { look, acknowledge }: Work, steer?: () => Promise<void>): Promise<void> {
  let failures = 0;
  while (hasWork(await contentsOf(look))) {
    for await (const event of session.stream()) {
      const learnt = learntFrom(event);
      if (learnt) acknowledge(learnt);
      if (event.type === 'tool_result') await steer?.();
      if (event.type === 'error' && ++failures > MAX_FAILURES)
        throw new AgentError(`The run keeps failing: ${event.message}`, {
          code: event.code ?? 'INTERNAL_ERROR',
          statusCode: 503,
        });
    }
  }
}

function hasWork({ entries, waiting }: Contents): boolean {
  const last = entries.findLast(({ body }) => body.type === 'run_started' || body.type === 'run_ended');
  return waiting.length > 0 || last?.body.type === 'run_started';
}
