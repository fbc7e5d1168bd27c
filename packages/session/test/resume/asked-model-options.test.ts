import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '@x/core/testing';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createSession,
  exportSession,
  forkSession,
  importSession,
  memoryStore,
  resumeSession,
  type SendOptions,
  type SessionOptions,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { bodiesOf, echoTool, read, say, toolNamed } from '../support/makers.ts';
import { mortal } from '../support/mortal-store.ts';
import { optionTakers } from '../support/option-takers.ts';
import { abandonedAt, expiring } from '../support/resumed.ts';

const folder = mkdtempSync(join(tmpdir(), 'asked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const STORES: readonly (readonly [string, () => SessionStore])[] = [
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
];
const sending = { modelOptions: { seed: 1, toolChoice: 'required' } } as const satisfies SendOptions;
const call = { toolCalls: [{ name: 'echo', input: { text: 'a' } }] };
const done = { text: 'Done.' };

async function goneOn(store: SessionStore, sessionId: string, script: Script, options: Partial<SessionOptions> = {}) {
  const takers = optionTakers(script);
  const { provider } = takers;
  const tools = [echoTool()];
  return { ...takers, session: await resumeSession({ provider, model: 'm', store, sessionId, tools, ...options }) };
}

describe.each(STORES)('options of a message, in %s', (_name, make) => {
  it('are kept while it waits for another process', async () => {
    const store = make();
    const { session } = await made(store, []);
    await session.send('Begin.', sending);
    await session.close();

    const next = await goneOn(store, session.sessionId, [call, done]);
    await read(next.session);

    expect(next.asked()).toEqual([sending.modelOptions, { seed: 1 }]);
  });

  it('hold after a crash behind a reply, and its choice of a tool is used up', async () => {
    const store = expiring(make());
    const work = toolNamed('work', async () => 'worked', { kind: 'readonly', effect: 'pure' });
    const { provider } = optionTakers([{ toolCalls: [{ name: 'work' }] }]);
    const crash = { store, provider, modelOptions: { toolChoice: 'required' } } as const;
    const { sessionId } = await abandonedAt([], work, crash, { modelOptions: { seed: 1 } });

    const takers = optionTakers([done, done]);
    const session = await resumeSession({ ...crash, provider: takers.provider, model: 'm', sessionId, tools: [work] });
    await read(session);
    await say(session, 'And now?');

    expect(takers.asked()).toEqual([{ seed: 1 }, { toolChoice: 'required' }]);
  });

  it('come along into a fork behind the message, and into an import', async () => {
    const store = make();
    const { session } = await made(store, [call, done]);
    await say(session, 'Begin.', sending);
    const { sessionId } = session;
    const [first] = session.messages;
    const other = make();
    await importSession(exportSession(sessionId, { store }), { store: other });

    const takers = optionTakers([done]);
    const own = { provider: takers.provider, model: 'm', tools: [echoTool()], messageId: first!.id };
    await read(await forkSession({ ...own, store, sessionId }));
    await read(await forkSession({ ...own, store: other, sessionId }));

    expect(takers.asked()).toEqual([sending.modelOptions, sending.modelOptions]);
  });
});

describe('options of a message, at a crash', () => {
  it('hold when the process ended between the message and its reply, the choice of a tool too', async () => {
    const isReply = (text: string) => text.includes('"role":"assistant"');
    const { inner, store, gone } = mortal((bodies) => (isReply(JSON.stringify(bodies)) ? 'before' : undefined));
    const { session } = await made(store, [call]);
    await session.send('Begin.', sending);
    void Array.fromAsync(session.stream());
    await gone;

    const next = await goneOn(inner, session.sessionId, [call, done]);
    await read(next.session);

    expect(next.asked()).toEqual([sending.modelOptions, { seed: 1 }]);
  });

  it('are recorded in one step with the message', async () => {
    const steps: string[] = [];
    const memory = memoryStore();
    const store: SessionStore = {
      ...memory,
      append(sessionId, expected, bodies, consume) {
        steps.push(bodies.map((body) => (body.type === 'record' ? body.record.type : body.type)).join(' '));
        return memory.append(sessionId, expected, bodies, consume);
      },
    };
    const { session } = await made(store, [done]);

    await say(session, 'Begin.', sending);

    expect(steps).toContain('message note');
    const notes = (await bodiesOf(store, session.sessionId)).filter((body) =>
      JSON.stringify(body).includes('model_options'),
    );
    expect(notes).toHaveLength(1);
  });

  it('hold when a compaction has taken the message out of the conversation', async () => {
    const store = expiring(memoryStore());
    const { session } = await made(store, [call]);
    await session.send('Begin.', sending);
    const events = session.stream();
    for (let step = await events.next(); !step.done && step.value.type !== 'tool_result'; ) step = await events.next();
    const { sessionId } = session;
    const log = await bodiesOf(store, sessionId);
    const summary = {
      type: 'compaction',
      id: 'c',
      createdAt: new Date(0).toISOString(),
      summary: 'Sum.',
      tokensBefore: 9,
    };
    const reply = session.messages.find(({ role }) => role === 'assistant')!;
    const record = { ...summary, keptFrom: reply.id } as const;
    const lease = await store.acquire(sessionId, 'me', 10_000);
    await store.append(sessionId, { epoch: lease!.epoch, head: log.length }, [
      { type: 'record', scope: [], record: record as never }, // safe: of its shape
    ]);

    const next = await goneOn(store, sessionId, [done]);
    await read(next.session);

    expect(next.session.messages.some((message) => message.role === 'user' && message.modelOptions)).toBe(false);
    expect(next.asked()).toEqual([{ seed: 1 }]);
  });
});

async function made(store: SessionStore, script: Script) {
  const takers = optionTakers(script);
  const { provider } = takers;
  return { ...takers, session: await createSession({ provider, model: 'm', store, tools: [echoTool()] }) };
}
