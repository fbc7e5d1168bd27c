import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentHandler, type Message, textOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, memoryStore, resumeSession, type SessionOptions, sqliteStore } from '../../src/index.ts';
import { echoTool, resultOf, say } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'frozen-messages-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const stores = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
] as const;

/** A session with the tool `echo`, a model that calls it once, and what the model was sent. */
async function made(store: SessionOptions['store'], options: Partial<SessionOptions> = {}) {
  const ran: string[] = [];
  const model = scriptedModel([
    { toolCalls: [{ name: 'echo', input: { text: 'asked' } }] },
    { text: 'First.' },
    { text: 'Second.' },
  ]);
  const given: SessionOptions = {
    provider: { type: 'custom', createModel: () => model },
    model: 'm',
    allowedTools: ['echo'],
    tools: [echoTool((text) => ran.push(text))],
    ...(store ? { store } : {}),
    ...options,
  };
  const session = await createSession(given);
  const resumed = async () => (await resumeSession({ ...given, sessionId: session.sessionId })).messages;
  return { session, model, ran, resumed };
}

const write = (target: object, key: string, value: unknown) => () => Object.assign(target, { [key]: value });
const inputIn = (messages: readonly Message[]) =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])));

describe.each(stores)('with the %s store', (_, open) => {
  it('a reader of session.messages cannot change what the model is sent (S32)', async () => {
    const { session, model, resumed } = await made(open());
    await say(session, 'original');

    const [first, reply, answers] = session.messages;
    expect(write(first!.content[0]!, 'text', 'forged')).toThrow(TypeError);
    expect(write(reply!.content[0]!, 'input', { text: 'forged' })).toThrow(TypeError);
    expect(write(inputIn([reply!])[0] as object, 'text', 'forged')).toThrow(TypeError);
    expect(write(answers!.content[0]!, 'output', 'forged')).toThrow(TypeError);
    expect(() => (first!.content as unknown[]).push({ type: 'text', text: 'more' })).toThrow(TypeError);
    await say(session, 'next');

    expect(JSON.stringify(model.requests.at(-1)!.messages)).not.toContain('forged');
    expect(await resumed()).toEqual(session.messages);
  });

  it('a reader of the stream cannot change the call that it sees, and may keep the usage as its own', async () => {
    const { session, ran, resumed } = await made(open());
    await session.send('x');
    const refused: unknown[] = [];
    for await (const event of session.stream()) {
      if (event.type === 'tool_use') refused.push(Reflect.set(event.input as object, 'text', 'forged'));
      if (event.type === 'usage') event.usage.inputTokens += 1000;
    }

    expect(refused).toEqual([false]);
    expect(ran).toEqual(['asked']);
    expect(inputIn(session.messages)).toEqual([{ text: 'asked' }]);
    expect(await resumed()).toEqual(session.messages);
  });

  it.each<[string, Partial<SessionOptions>, string]>([
    [
      'beforeModelRewriteHistory of handler redacts',
      {
        handlers: [
          {
            name: 'redacts',
            beforeModelRewriteHistory: (messages) => {
              for (const { content } of messages) write(content[0]!, 'text', 'CHANGED')();
              return messages;
            },
          },
        ],
      },
      'HANDLER_ERROR',
    ],
    [
      'beforeModelRewriteHistory of handler legacy-middleware',
      {
        middlewares: [{ beforeChatModel: ({ messages }) => void write(messages[0]!.content[0]!, 'text', 'CHANGED')() }],
      },
      'HANDLER_ERROR',
    ],
  ])(
    '%s that writes into a message ends the run, and the session stays as it was (A47)',
    async (who, options, code) => {
      const { session, resumed } = await made(open(), options);

      const events = await say(session, 'original');

      expect(events.find(({ type }) => type === 'error')).toMatchObject({
        code,
        message: expect.stringContaining(`${who} must return changed copies, since messages are frozen`),
      });
      expect(resultOf(events).subtype).toBe('error');
      expect(session.messages.map((message) => message.role === 'user' && textOf(message))).toEqual(['original']);
      expect(await resumed()).toEqual(session.messages);
    },
  );

  it('a rewriter that returns changed copies changes what the model is sent, and not the session (A47)', async () => {
    const redacts: AgentHandler = {
      name: 'redacts',
      beforeModelRewriteHistory: (messages) =>
        messages.map((message) =>
          message.role === 'user' ? { ...message, content: [{ type: 'text', text: 'redacted' }] } : message,
        ),
    };
    const { session, model, resumed } = await made(open(), { handlers: [redacts] });

    await say(session, 'original');

    expect(JSON.stringify(model.requests[0]!.messages)).toContain('redacted');
    expect(JSON.stringify(session.messages)).not.toContain('redacted');
    expect(await resumed()).toEqual(session.messages);
  });

  it('messages that were read from the log are frozen like those of a run', async () => {
    const { session, resumed } = await made(open());
    await say(session, 'original');

    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));

    expect(session.messages.map(frozen)).toEqual([true, true, true, true]);
    expect((await resumed()).map(frozen)).toEqual([true, true, true, true]);
  });
});
