import { defineTool, objectSchema, type Tool } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { type WireServer, wireServer } from '@x/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSession, memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import { only, say } from '../support/makers.ts';

const tools: readonly Tool[] = ['parcel', 'letter'].map((place) =>
  defineTool({
    name: `print_${place}`,
    description: `Prints a ${place}.`,
    inputSchema: objectSchema({ id: { type: 'string', description: 'Which.' } }),
    execute: async ({ id }) => `${place} ${id}`,
  }),
);
const SEARCH = { type: 'server_tool_use', id: 'srv_1', name: 'tool_search_tool_bm25', input: { query: 'parcel' } };
const FOUND = {
  type: 'tool_search_tool_result',
  tool_use_id: 'srv_1',
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: 'print_parcel' }],
  },
};
const USE = { type: 'tool_use', id: 'toolu_1', name: 'print_parcel', input: { id: '7' } };
const DONE = { type: 'text', text: 'Done.' };
const reply = (...blocks: readonly object[]) => {
  const events = [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: blocks.includes(USE) ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 2 },
    },
    { type: 'message_stop' },
  ];
  return { body: events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('') };
};

interface Body {
  readonly tools: readonly { readonly name: string; readonly defer_loading?: true }[];
  readonly messages: readonly unknown[];
}
const bodiesOf = ({ requests }: WireServer) => requests.map(({ body }) => JSON.parse(body) as Body);
const sentBy = ({ tools: sent }: Body, isDeferred: boolean) =>
  sent.filter(({ defer_loading }) => (defer_loading === true) === isDeferred).map(({ name }) => name);
const byService = { mode: 'always', by: 'service' } as const;

/** Options for a session with a service that finds a tool, calls it, and is done. */
async function service(): Promise<{ server: WireServer; options: SessionOptions }> {
  const server = await wireServer([reply(SEARCH, FOUND, USE), reply(DONE)]);
  onTestFinished(() => server.close());
  const provider = { type: 'anthropic', apiKey: 'k', baseUrl: server.url } as const;
  const open = { permissionMode: 'bypassPermissions', toolDiscovery: byService } as const;
  return { server, options: { provider, model: 'claude-sonnet-4-5', tools, store: memoryStore(), ...open } };
}

describe("toolDiscovery with by: 'service'", () => {
  it('leaves the search to the service, and what it finds is called by its name (M28)', async () => {
    const { server, options } = await service();
    const session = await createSession(options);

    const events = await say(session, 'Print it.');

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'print_parcel', output: 'parcel 7' }]);
    const [first, second] = bodiesOf(server);
    expect(sentBy(first!, true)).toEqual(['print_parcel', 'print_letter']);
    expect(sentBy(first!, false)).toEqual(expect.arrayContaining(['Read', 'Bash', 'tool_search_tool_bm25']));
    expect(sentBy(first!, false).filter((name) => ['ToolSearch', 'CallTool'].includes(name))).toEqual([]);
    expect(second!.tools).toEqual(first!.tools);
    expect(JSON.stringify(second!.messages)).toContain(JSON.stringify(FOUND));
    await session.close();
  });

  it('asks about the call of a tool that was found, where a rule wants that', async () => {
    const { options } = await service();
    const asked = await createSession({ ...options, permissionMode: 'default', alwaysAsk: ['print_parcel'] });
    const events = await say(asked, 'Print it.');

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'print_parcel', isError: true }]);
    await asked.close();
  });

  it('leaves it to the session for an agent whose model has no search', async () => {
    const child = scriptedModel([{ text: 'Done.' }], { name: 'child' });
    const task = { name: 'Task', input: { subagent_type: 'other', description: 'd', prompt: 'p' } };
    const main = { ...scriptedModel([{ toolCalls: [task] }, { text: 'Done.' }], { name: 'main' }), defersTools: true };
    const session = await createSession({
      provider: { type: 'custom', createModel: (name) => (name === 'main' ? main : child) },
      model: 'main',
      agents: [{ name: 'other', description: 'd', systemPrompt: 's', model: 'child' }],
      tools,
      store: memoryStore(),
      toolDiscovery: byService,
    });

    await say(session, 'Print it.');

    expect(main.requests[0]!.deferredTools).toEqual(tools);
    const [asked] = child.requests;
    expect(asked!.deferredTools).toBeUndefined();
    const names = asked!.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['ToolSearch', 'CallTool']));
    expect(names).not.toContain('print_parcel');
    await session.close();
  });

  it('goes on without it after a resume: what the service found is not sent again', async () => {
    const { server, options } = await service();
    const session = await createSession(options);
    await say(session, 'Print it.');
    await session.close();

    const again = await resumeSession({ ...options, sessionId: session.sessionId, toolDiscovery: 'always' });
    await say(again, 'And now?');

    const last = bodiesOf(server).at(-1)!;
    expect(sentBy(last, true)).toEqual([]);
    expect(sentBy(last, false)).toEqual(expect.arrayContaining(['ToolSearch', 'CallTool']));
    const said = JSON.stringify(last.messages);
    expect(['tool_search_tool', 'tool_reference'].filter((word) => said.includes(word))).toEqual([]);
    expect(said).toContain('parcel 7');
    await again.close();
  });

  it.each<[string, Partial<SessionOptions>, string]>([
    ['a model without a search', { model: 'claude-opus-4-1' }, 'the service of claude-opus-4-1 has no search of tools'],
    ['a fallback without one', { fallbackModel: 'claude-opus-4-1' }, 'the service of claude-opus-4-1 has no search'],
    ['a rule against it', { disallowedTools: ['Service(tool_search)'] }, 'denied by the rule Service(tool_search)'],
    ['a rule against all', { disallowedTools: ['Service'] }, 'denied by the rule Service'],
    ['another word', { toolDiscovery: { by: 'model' as 'service' } }, 'toolDiscovery.by'],
  ])('is refused for %s', async (_, more, message) => {
    const { options } = await service();

    await expect(createSession({ ...options, ...more })).rejects.toThrow(message);
  });

  it('is refused for another model in the middle of a session', async () => {
    const { options } = await service();
    const session = await createSession(options);

    await expect(session.setModel('claude-3-7-sonnet-latest')).rejects.toThrow('toolDiscovery.by');
    await session.setModel('claude-opus-5');
    await session.close();
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['no discovery', { toolDiscovery: { mode: 'off', by: 'service' }, model: 'claude-opus-4-1' }],
    ['a rule about another tool of the service', { disallowedTools: ['Service(web_search)'] }],
  ])('is taken with %s', async (_, more) => {
    const { options } = await service();
    const session = await createSession({ ...options, ...more });

    await expect(session.close()).resolves.toBeUndefined();
  });
});
