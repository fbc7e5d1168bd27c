import { userMessage } from '@x/core';
import { noUsage } from '@x/core/internal';
import type { AsyncCommand } from 'fast-check';
import type { EntryBody } from '../../log/entry.ts';
import type { Lease, SessionStore } from '../../log/session-store.ts';
import { same } from '../same.ts';
import { compareList, compareSession } from './compare-with-model.ts';
import type { ReferenceModel } from './reference-model.ts';
import { codeOf, created, LONG, title } from './store-case.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The store that the commands work on; reopening replaces it. */
export interface Subject {
  store: SessionStore;
  readonly under: StoreUnderTest;
}
export type StoreCommand = AsyncCommand<ReferenceModel, Subject>;

/** Random input of a command: whole numbers from 0. */
export type Numbers = readonly [number, number, number, number];

type Run = (model: ReferenceModel, store: SessionStore, id: string, numbers: Numbers) => Promise<void>;

/** Mostly the first two, which are there from the start. */
const IDS = ['a', 'b', 'a', 'b', 'a', 'b', 'c', 'd', 'a', 'b'];
const CWDS = ['/one', '/two'];

function pick<T>(list: readonly T[], number: number): T {
  return list[number % list.length]!; // safe: no list here is empty
}

/** Each applies the same command to the store and to the model, and compares the outcomes. */
const RUNS: Readonly<Record<string, Run>> = {
  create: async (model, store, id, [, cwd]) => {
    same(await codeOf(store.create(id, created(pick(CWDS, cwd)))), model.create(id, pick(CWDS, cwd)));
  },
  acquire: async (model, store, id, [, ttl, owner]) => {
    const session = model.sessions.get(id);
    const ttlMs = ttl % 3 === 0 ? LONG : 0;
    const takeOver = owner === 5;
    const asked = store.acquire(id, `owner ${owner}`, ttlMs, { takeOver });
    if (!session) return same(await codeOf(asked), 'SESSION_NOT_FOUND');
    const lease = await asked;
    const isNew =
      lease !== undefined && lease.epoch > 0 && !model.leases.get(id)?.some(({ epoch }) => epoch === lease.epoch);
    const first = isNew ? lease.epoch : -1; // any that this id never had, also in sessions that were removed
    const given = model.acquire(session, { owner: `owner ${owner}`, ttlMs, takeOver, first });
    const expected = { sessionId: id, owner: `owner ${owner}`, head: session.entries.length, epoch: session.epoch };
    same(lease, given ? expected : undefined);
    if (lease) model.leases.set(id, [lease, ...(model.leases.get(id) ?? [])]);
  },
  append: async (model, store, id, numbers) => {
    const [, age, offset, more] = numbers;
    const { epoch = 0 } = leaseOf(model, id, age) ?? {};
    // Mostly correct, sometimes a head that is out of date or never existed.
    const head = (model.sessions.get(id)?.entries.length ?? 1) + (offset < 6 ? 0 : offset - 8);
    const bodies = bodiesFrom(more, head);
    const consume = more % 2 === 0 ? [`m${(offset + more / 2) % 4}`] : [];
    const expected = model.append(id, { epoch, head, bodies, consume });
    const code = await codeOf(
      store.append(id, { epoch, head }, bodies, consume).then((reached) => same(reached, head + bodies.length)),
    );
    same(code, expected);
  },
  renew: async (model, store, id, [, age, ttl]) => {
    const lease = leaseOf(model, id, age);
    if (!lease) return;
    const ttlMs = ttl % 2 === 0 ? LONG : 0;
    same(await store.renew(lease, ttlMs), model.renew(lease, ttlMs));
  },
  release: async (model, store, id, [, age]) => {
    const lease = leaseOf(model, id, age);
    if (!lease) return;
    await store.release(lease);
    model.release(lease);
  },
  enqueue: async (model, store, id, [, number]) => {
    const session = model.sessions.get(id);
    const message = { ...userMessage('waits'), id: `m${number % 4}` };
    const sent = store.enqueue(id, { message, priority: 'next' });
    if (!session) return same(await codeOf(sent), 'SESSION_NOT_FOUND');
    same(await sent, model.enqueue(session, message.id));
  },
  fork: async (model, store, id, [, to, at]) => {
    const newId = pick(['c', 'd', 'a'], to);
    const upTo = at % (1 + (model.sessions.get(id)?.entries.length ?? 0) + (at > 6 ? 2 : 0));
    same(await codeOf(store.fork(id, upTo, newId)), model.fork(id, upTo, newId));
    await compareSession(model, store, newId);
  },
  snapshot: async (model, store, id, [, seq, format, byte]) => {
    const session = model.sessions.get(id);
    const snapshot = { seq, format: 1 + (format % 2), byte };
    const { byte: _, ...rest } = snapshot;
    const code = await codeOf(store.saveSnapshot(id, { ...rest, state: new Uint8Array([byte]) }));
    same(code, session ? 'resolved' : 'SESSION_NOT_FOUND');
    if (session) model.saveSnapshot(session, snapshot);
  },
  blob: async (model, store, id, [, number]) => {
    const session = model.sessions.get(id);
    const hash = pick(['a', 'b'], number);
    const code = await codeOf(store.putBlob(id, hash, new Uint8Array([hash.charCodeAt(0)])));
    same(code, session ? 'resolved' : 'SESSION_NOT_FOUND');
    session?.blobs.set(hash, hash.charCodeAt(0));
  },
  remove: async (model, store, _id, [, number]) => {
    const id = pick(['c', 'd', 'c', 'd', 'b'], number);
    same(await codeOf(store.remove(id)), model.remove(id));
    await compareSession(model, store, id);
  },
  list: async (model, store, _id, [, limit, cwd]) => {
    const filter = cwd % 3 === 2 ? {} : { cwd: pick(CWDS, cwd) };
    await compareList(model, store, { limit: 1 + (limit % 3), ...filter });
  },
};

/** Frequency of each command: work on a session is more frequent than its removal. */
export const COMMAND_WEIGHTS: Readonly<Record<string, number>> = {
  create: 1,
  acquire: 5,
  append: 9,
  renew: 3,
  release: 3,
  enqueue: 4,
  fork: 3,
  snapshot: 2,
  blob: 1,
  remove: 1,
  list: 1,
  reopen: 1,
};

/** The command of this name, with these numbers. */
export function storeCommand(name: string, numbers: Numbers): StoreCommand {
  const id = pick(IDS, numbers[0]);
  return {
    check: () => true,
    async run(model, subject) {
      await (name === 'reopen' ? reopen(subject) : RUNS[name]!(model, subject.store, id, numbers)); // safe: a name of the weights
      await compareSession(model, subject.store, id);
    },
    toString: () => `${name}(${id}, ${numbers.slice(1).join(', ')})`,
  };
}

/** The sessions that every sequence begins with. */
export async function prepare(model: ReferenceModel, { store }: Subject): Promise<void> {
  for (const id of ['a', 'b']) {
    await store.create(id, created('/one'));
    model.create(id, '/one');
  }
}

async function reopen(subject: Subject): Promise<void> {
  if (!subject.under.reopen) return;
  await subject.store[Symbol.asyncDispose]();
  subject.store = await subject.under.reopen();
}

/** The lease that was given `age` leases ago, mostly the latest. */
function leaseOf(model: ReferenceModel, id: string, age: number): Lease | undefined {
  const leases = model.leases.get(id) ?? [];
  return age < 7 ? leases[0] : leases[age - 6];
}

function bodiesFrom(number: number, head: number): EntryBody[] {
  const bodies: readonly EntryBody[] = [
    title(`title ${head}`),
    { type: 'metadata', metadata: { head: `${head}` } },
    { type: 'record', scope: [], record: { type: 'note', name: 'n', data: head } },
    { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' },
    { type: 'run_left', runId: 'r', waits: { until: head } },
    { type: 'run_left', runId: 'r', waits: {} },
    { type: 'run_resumed', runId: 'r' },
    { type: 'run_left', runId: 'r' },
    { type: 'run_ended', runId: 'r', subtype: 'success', usage: noUsage() },
    { type: 'run_ended', runId: 'r', subtype: 'error', usage: noUsage(), error: { code: 'C', message: `${head}` } },
  ];
  return Array.from({ length: number % 3 }, (_, index) => pick(bodies, number + index));
}
