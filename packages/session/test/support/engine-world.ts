import { type Message, type Tool, textOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  createSession,
  type ISession,
  localEngine,
  memoryStore,
  type RunEngine,
  type SessionStore,
  serveSessions,
} from '../../src/index.ts';
import { bodiesOf, faultsOf, toolNamed } from './makers.ts';
import { resumed } from './resumed.ts';

/** One thing that happens while sessions are served. */
export type Step =
  | {
      readonly type: 'send';
      readonly session: number;
      readonly tool: boolean;
      readonly later: boolean;
      readonly asked: boolean;
    }
  | { readonly type: 'ask'; readonly session: number }
  /** The appends after the next `after` ones fail, `times` of them. */
  | { readonly type: 'fail'; readonly after: number; readonly times: number }
  /** Serving is disposed of and begins again, with the same engine. */
  | { readonly type: 'leave' }
  /** The engine is disposed of, its asks are lost, and another one begins. */
  | { readonly type: 'lose' }
  /** Another process begins to serve beside the others. */
  | { readonly type: 'join' }
  | { readonly type: 'pass'; readonly ticks: number };

export interface World {
  readonly store: SessionStore;
  readonly sessions: readonly ISession[];
  readonly effects: Map<string, number>;
  /** The texts that were accepted, by session. */
  readonly accepted: string[][];
}
interface Serving {
  readonly engine: RunEngine;
  serving: AsyncDisposable;
}

const SESSIONS = 3;

/** What is wrong with the logs once everything has happened and one last engine has served what was left; nothing, if all is well. */
export async function faultsAfter(
  steps: readonly Step[],
  {
    leases,
    make = soon,
    patienceMs = 5_000,
  }: { leases: readonly boolean[]; make?: () => RunEngine; patienceMs?: number },
): Promise<string[]> {
  const failing = { after: 0, times: 0 };
  const world = await newWorld(unreliable(memoryStore(), { leases, failing }));
  const serve = async (engine = make()): Promise<Serving> => ({ engine, serving: await begin(engine, world) });
  const all = [await serve()];
  for (const step of steps) {
    if (step.type === 'send') await send(world, step, all[0]!.engine);
    else if (step.type === 'ask') await all[0]!.engine.submit(world.sessions[step.session]!.sessionId);
    else if (step.type === 'fail') Object.assign(failing, { after: step.after, times: step.times });
    else if (step.type === 'join') all.unshift(await serve());
    else if (step.type === 'pass') for (let tick = 0; tick < step.ticks; tick++) await Promise.resolve();
    else if (step.type === 'leave') {
      await all[0]!.serving[Symbol.asyncDispose]();
      all[0] = await serve(all[0]!.engine);
    } else {
      await all[0]!.engine[Symbol.asyncDispose]();
      await all[0]!.serving[Symbol.asyncDispose]();
      all[0] = await serve();
    }
  }
  await Promise.all(all.map(closed));
  const last = await serve();
  const done = await settled(world, patienceMs);
  await closed(last);
  return done ? await faultsIn(world) : ['messages wait, or a run has not ended'];
}

/** The engine first, as when its process ends. */
async function closed({ engine, serving }: Serving): Promise<void> {
  await engine[Symbol.asyncDispose]();
  await serving[Symbol.asyncDispose]();
}

/** Tries again at once, so that a test does not wait. */
function soon(): RunEngine {
  return localEngine({ concurrency: 2, retryDelay: 1, maxRetryDelay: 2 });
}

/** Takes a rejection for the end of an ask. */
export function givingUp(): RunEngine {
  const engine = soon();
  return {
    submit: (sessionId) => engine.submit(sessionId),
    serve: (work) => engine.serve((...args) => work(...args).catch(() => undefined)),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

export async function newWorld(store: SessionStore): Promise<World> {
  const sessions: ISession[] = [];
  for (let index = 0; index < SESSIONS; index++) {
    sessions.push(await createSession({ provider: answeringModel, model: 'm', store }));
  }
  return { store, sessions, effects: new Map(), accepted: sessions.map(() => []) };
}

async function begin(engine: RunEngine, { store, effects }: World): Promise<AsyncDisposable> {
  const tools = [working(effects)];
  const options = () => ({ provider: answeringModel, model: 'm', tools, permissionMode: 'bypassPermissions' as const });
  return await serveSessions({ engine, store, options });
}

/** A tool whose effect must not come twice. */
function working(effects: Map<string, number>): Tool {
  return toolNamed('work', async (_, { idempotencyKey }) => {
    effects.set(idempotencyKey, (effects.get(idempotencyKey) ?? 0) + 1);
    for (let tick = 0; tick < 20; tick++) await Promise.resolve();
    return 'worked';
  });
}

/** Leases that have run out at once, or not, in turn; appends that fail. */
function unreliable(
  store: SessionStore,
  { leases, failing }: { leases: readonly boolean[]; failing: { after: number; times: number } },
): SessionStore {
  let acquired = 0;
  return {
    ...store,
    acquire: (sessionId, owner, ttlMs) =>
      store.acquire(sessionId, owner, leases[acquired++ % leases.length] ? ttlMs : -1),
    async append(...args) {
      if (failing.times > 0 && failing.after-- <= 0) {
        failing.times -= 1;
        throw new Error('The disk is full.');
      }
      return await store.append(...args);
    },
  };
}

async function send(world: World, step: Extract<Step, { type: 'send' }>, engine: RunEngine): Promise<void> {
  const session = world.sessions[step.session]!;
  const sent = world.accepted[step.session]!;
  const text = `<${sent.length}${step.tool ? ' work' : ''}>`;
  await session.send(text, { priority: step.later ? 'later' : 'next' });
  sent.push(text);
  if (step.asked) await engine.submit(session.sessionId);
}

/** Waits until nothing waits and no run is open. */
export async function settled({ store, sessions }: World, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const done = await Promise.all(sessions.map(({ sessionId }) => isDone(store, sessionId)));
    if (done.every(Boolean)) return true;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return false;
}

async function isDone(store: SessionStore, sessionId: string): Promise<boolean> {
  const bodies = await bodiesOf(store, sessionId);
  const last = (type: string) => bodies.findLastIndex((body) => body.type === type);
  return (await store.inbox(sessionId)).length === 0 && last('run_ended') >= last('run_started');
}

/** Answers everything that was said since the last answer, after a call where one was asked for. */
export const answeringModel: CustomProvider = {
  type: 'custom',
  createModel: () =>
    scriptedModel(({ messages }) => {
      const said = saidSince(messages);
      const last = messages.at(-1);
      if (last?.role === 'user' && textOf(last).includes('work')) {
        return { text: ['I ', 'work.'], toolCalls: [{ id: crypto.randomUUID(), name: 'work' }] };
      }
      return { text: ['re ', ...said] };
    }),
};

function saidSince(messages: readonly Message[]): string[] {
  const answer = messages.findLastIndex((message) => message.role === 'assistant' && textOf(message).startsWith('re '));
  return messages.slice(answer + 1).flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
}

/** Every accepted message recorded once and answered once, every run a success, no effect twice. */
export async function faultsIn({ store, sessions, accepted, effects }: World): Promise<string[]> {
  const faults = [...effects].flatMap(([key, times]) => (times > 1 ? [`${key} took effect ${times} times`] : []));
  for (const [index, { sessionId }] of sessions.entries()) {
    const bodies = await bodiesOf(store, sessionId);
    const messages = bodies.flatMap((body) =>
      body.type === 'record' && body.record.type === 'message' ? [body.record.message] : [],
    );
    const recorded = messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
    const answered = messages
      .filter((message) => message.role === 'assistant')
      .map(textOf)
      .filter((text) => text.startsWith('re '))
      .join('');
    for (const text of accepted[index]!) {
      if (recorded.filter((one) => one === text).length !== 1)
        faults.push(`${text} was not recorded once: ${recorded.join('')}`);
      if (answered.split(text).length !== 2) faults.push(`${text} was not answered once: ${answered}`);
    }
    const ends = bodies.flatMap((body) => (body.type === 'run_ended' ? [body] : []));
    for (const { subtype, error } of ends)
      if (subtype !== 'success') faults.push(`a run ended with ${subtype}: ${error?.message}`);
    faults.push(...faultsOf((await resumed(store, sessionId, [])).session.messages));
  }
  return faults;
}
