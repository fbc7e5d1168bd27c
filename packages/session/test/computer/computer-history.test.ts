import type { ModelRequest } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import type { WireServer } from '@x/models/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createSession, forkSession, memoryStore, resumeSession } from '../../src/index.ts';
import {
  bodiesOf,
  type ComputerService,
  SERVICES,
  serving,
  TOOLSET,
  type Wanted,
} from '../support/computer-services.ts';
import { abandonedCall, acting, computer, PNG } from '../support/computers.ts';
import { bodiesOf as logOf, only, read, resultOf, say, scriptedProvider } from '../support/makers.ts';
import { blobsIn } from '../support/parts.ts';

const open: WireServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function served(service: ComputerService, turns: readonly (readonly Wanted[])[]) {
  const server = await serving(service, turns);
  open.push(server);
  return server;
}
async function acted(...[service, turns, options]: Parameters<typeof acting>) {
  const made = await acting(service, turns, { autoApprove: ['computer'], ...options });
  open.push(made.server);
  return made;
}
const FINISHED: Wanted[][] = [['look'], ['click'], ['done']];

describe.each(SERVICES)('the history of $name', (service) => {
  it('has a call that a crash has interrupted as one of unknown effect, and it is not done again', async () => {
    const { store, sessionId, server } = await abandonedCall(service);
    open.push(server);
    const { tool, done } = computer();

    const provider = service.config(server.url);
    const again = await resumeSession({
      provider,
      model: service.model,
      store,
      sessionId,
      tools: [tool],
      autoApprove: ['computer'],
      allowedTools: ['computer'],
    });
    const events = await read(again);

    expect(done).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true, output: expect.stringContaining('effect') }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('is sent by a resumed session as by the one that has made it, byte for byte', async () => {
    const { session, store, given, server } = await acted(service, FINISHED);
    await session.close();
    const again = await resumeSession({ ...given, sessionId: session.sessionId });

    const events = await say(again, 'And now?');

    const key = ['messages', 'input', 'contents'].find((name) => Object.hasOwn(bodiesOf(server)[0]!, name))!;
    const [, , before, after] = bodiesOf(server).map((body) => body[key] as unknown[]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(store).toBeDefined();
  });

  it('is taken over by a fork', async () => {
    const { session, given } = await acted(service, FINISHED);

    const fork = await forkSession({ ...given, sessionId: session.sessionId });
    const events = await say(fork, 'And now?');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('is compacted, and the service takes both the history that is condensed and what is left', async () => {
    const { session, server } = await acted(service, FINISHED);

    const condensed = await say(session, '/compact');
    const events = await say(session, 'And now?');

    expect(resultOf(condensed)).toMatchObject({ subtype: 'success' });
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(server.requests).toHaveLength(5);
    expect(server.requests[4]?.body).not.toContain(PNG);
  });

  it.each(SERVICES.filter(({ name }) => name !== service.name))('is taken over by $name', async (other) => {
    const { session, store, given } = await acted(service, [...FINISHED.slice(0, 2), ['unknown'], ['done']]);
    await session.close();
    const server = await served(other, [['click'], ['done']]);

    const next = { provider: other.config(server.url), model: other.model };
    const again = await resumeSession({ ...given, ...next, store, sessionId: session.sessionId });
    const events = await say(again, 'Once more.');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.body).toContain(PNG);
  });

  it('is read by a model without computer use, without the tool', async () => {
    const { session, store } = await acted(service, FINISHED);
    await session.close();
    const { provider, models } = scriptedProvider([{ text: 'I see.' }]);

    const again = await resumeSession({ provider, model: 'm', store, sessionId: session.sessionId, allowedTools: [] });
    const events = await say(again, 'What did you do?');

    expect(resultOf(events)).toMatchObject({ content: 'I see.' });
    expect(JSON.stringify(models[0]?.requests[0]?.messages)).toContain('"name":"computer"');
  });
});

it('answers the later calls of a reply whose first one a crash has interrupted, and runs none', async () => {
  const { store, sessionId, server } = await abandonedCall(TOOLSET, ['click', 'type']);
  open.push(server);
  const { tool, done } = computer();

  const provider = TOOLSET.config(server.url);
  const given = { provider, model: TOOLSET.model, store, sessionId, tools: [tool], allowedTools: ['computer'] };
  const events = await read(await resumeSession({ ...given, autoApprove: ['computer'] }));

  expect(done).toEqual([]);
  expect(only(events, 'tool_result').at(-1)).toMatchObject({
    output: 'Not executed: an earlier computer action in this turn failed.',
  });
  expect(resultOf(events)).toMatchObject({ content: 'Done.' });
});

describe('a session with computer use', () => {
  const { tool } = computer();
  const custom = scriptedProvider([]).provider;
  const key = { apiKey: 'none' };

  it.each([
    ['chat completions', { type: 'openai-compatible', ...key }, 'gpt-5.6-sol'],
    ['a model without', { type: 'openai-compatible', ...key, api: 'responses' }, 'gpt-5'],
    ['a deployment on Azure', { type: 'azure-openai', ...key, baseUrl: 'http://a', api: 'responses' }, 'gpt-5.6-sol'],
    ['an old Claude', { type: 'anthropic', ...key }, 'claude-3-haiku-20240307'],
    ['an old Gemini', { type: 'gemini', ...key }, 'gemini-3-pro-preview'],
    ['a model of the host', custom, 'm'],
  ] as const)('is refused for %s, by the names of both', async (_what, provider, model) => {
    const made = createSession({ provider, model, tools: [tool] });

    await expect(made).rejects.toThrow(new RegExp(`the tool computer is not taken by ${model}|scripted`));
  });

  it('is refused for a fallback without it, and for a change to such a model', async () => {
    const given = { provider: TOOLSET.config('http://localhost'), model: TOOLSET.model, tools: [tool] };

    await expect(createSession({ ...given, fallbackModel: 'claude-3-haiku-20240307' })).rejects.toThrow(
      'the tool computer is not taken by claude-3-haiku-20240307',
    );
    const session = await createSession({ ...given, store: memoryStore() });
    await expect(session.setModel('claude-3-haiku-20240307')).rejects.toThrow('is not taken by claude-3-haiku');
    await session.close();
  });

  it('does not start an agent whose model has none', async () => {
    const script = ({ messages }: ModelRequest) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : {
            toolCalls: [{ id: 't', name: 'Task', input: { subagent_type: 'a', description: 'Do.', prompt: 'Do it.' } }],
          };
    const createModel = (name: string) => ({ ...scriptedModel(script, { name }), usesComputer: name === 'm' });
    const agents = [{ name: 'a', description: 'An agent.', model: 'other' }];
    const session = await createSession({
      provider: { type: 'custom', createModel },
      model: 'm',
      tools: [tool],
      agents,
    });

    const events = await say(session, 'Do it.');

    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('the tool computer is not taken by other') },
    ]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });

  it('is made for any model when a list leaves the tool out', async () => {
    const session = await createSession({ provider: custom, model: 'm', tools: [tool], disallowedTools: ['computer'] });

    await expect(session.close()).resolves.toBeUndefined();
  });

  it('keeps a large screenshot once, outside of the entries of its log', async () => {
    const data = 'iVBORw0KGgo='.padStart(600_000, 'A');
    const { tool: plain } = computer();
    const large = { ...plain, execute: () => picture(data) };
    const { session, store, server } = await acted(TOOLSET, [['look'], ['done']], { tools: [large] });

    expect(server.requests[1]?.body).toContain(data);
    expect(await blobsIn(store, session.sessionId)).toHaveLength(1);
    expect(JSON.stringify(await logOf(store, session.sessionId))).not.toContain(data);
  });
});

async function* picture(data: string) {
  yield* [];
  return { output: '', isError: false, images: [{ type: 'image' as const, mediaType: 'image/png', data }] };
}
