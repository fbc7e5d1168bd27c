import { defineTool, objectSchema, type Tool } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forkSession, memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, only, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

const PLACES = ['invoice', 'ticket', 'parcel', 'meeting', 'picture', 'contract', 'garden', 'engine'];
const VERBS = ['create', 'delete', 'find', 'change', 'print'];
/** Tools that do nothing but say what they were given; about 100 tokens each. */
const MANY: readonly Tool[] = PLACES.flatMap((place) =>
  VERBS.map((verb) =>
    defineTool({
      name: `${verb}_${place}`,
      description: `${verb} a ${place}. ${'This text is long, as such texts are. '.repeat(6)}`,
      inputSchema: objectSchema({ id: { type: 'string', description: `The ${place}.` } }),
      kind: verb === 'delete' ? 'execute' : 'readonly',
      execute: async ({ id }) => `${verb} ${place} ${id}`,
    }),
  ),
);
const call = (name: string, input: unknown = { id: '7' }) => ({ name: 'CallTool', input: { name, input } });
const search = (query: string) => ({ name: 'ToolSearch', input: { query } });
const always: Partial<SessionOptions> = { tools: MANY, toolDiscovery: 'always', permissionMode: 'bypassPermissions' };

/** A session whose model makes one call after the other, and then is done. */
async function calling(calls: readonly { name: string; input: unknown }[], options: Partial<SessionOptions> = {}) {
  const script: Script = ({ messages }) => {
    const begun = messages.findLastIndex(({ role }) => role === 'user');
    const next = calls[(messages.length - 1 - begun) / 2];
    return next ? { toolCalls: [next] } : { text: 'Done.' };
  };
  const { provider, models } = scriptedProvider(script);
  const made = await scriptedSession(script, { allowedTools: undefined as never, ...always, provider, ...options });
  onTestFinished(() => made.session.close());
  const offered = (turn: number) => models[0]!.requests.at(turn)!.tools.map(({ name }) => name);
  return { session: made.session, model: models[0]!, offered };
}
const outputs = (events: Awaited<ReturnType<typeof say>>) =>
  only(events, 'tool_result').map(({ output, isError }) => (isError ? `! ${output}` : output));

describe('toolDiscovery', () => {
  it('sends a search tool instead of the definitions, and what it finds can be called (M28)', async () => {
    const { session, model, offered } = await calling([search('print a parcel'), call('print_parcel')]);

    const events = await say(session, 'Begin.');

    expect(offered(0)).toEqual(expect.arrayContaining(['Bash', 'ToolSearch', 'CallTool']));
    expect(offered(0)).not.toContain('print_parcel');
    const [found, printed] = outputs(events);
    expect(JSON.parse(found!.split('\n')[1]!)).toMatchObject({
      name: 'print_parcel',
      input: { properties: { id: { type: 'string' } }, required: ['id'] },
    });
    expect(found!.split('\n')).toHaveLength(1 + 5);
    expect(printed).toBe('print parcel 7');
    expect(model.requests[0]!.tools.find(({ name }) => name === 'ToolSearch')?.description).toContain('print_parcel');
  });

  it('shows a call as one of the tool itself to everybody but the model', async () => {
    const { session, model } = await calling([call('print_parcel')]);

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_use')).toMatchObject([{ name: 'print_parcel', input: { id: '7' } }]);
    expect(only(events, 'tool_result')).toMatchObject([{ name: 'print_parcel' }]);
    const [, reply, answers] = model.requests[1]!.messages;
    expect(reply!.content).toMatchObject([{ name: 'CallTool', input: { name: 'print_parcel', input: { id: '7' } } }]);
    expect(answers!.content).toMatchObject([{ name: 'CallTool', output: 'print parcel 7' }]);
  });

  it('changes no byte of what was sent before while 10 tools are found and called', async () => {
    const steps = PLACES.slice(0, 5).flatMap((place) => [
      search(`find a ${place}`),
      call(`find_${place}`),
      search(`change_${place}`),
      call(`change_${place}`),
    ]);
    const { session, model } = await calling(steps);
    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result').filter(({ isError }) => isError)).toEqual([]);
    const sent = model.requests.map(({ tools, messages }) => ({
      tools: JSON.stringify(tools.map(({ name, description, inputSchema }) => [name, description, inputSchema.json])),
      messages: messages.map((message) => JSON.stringify(message)),
    }));
    expect(sent).toHaveLength(21);
    expect(new Set(sent.map(({ tools }) => tools)).size).toBe(1);
    for (const [turn, { messages }] of sent.entries()) {
      const before = sent[turn - 1]?.messages ?? [];
      expect(messages.slice(0, before.length)).toEqual(before);
    }
  });

  it.each<[string, Partial<SessionOptions>, boolean]>([
    ['auto defers nothing below the threshold', { toolDiscovery: 'auto' }, false],
    ['auto is the default', { toolDiscovery: { thresholdTokens: 1_000_000 } }, false],
    ['auto defers what is above it', { toolDiscovery: { thresholdTokens: 1_000 } }, true],
    ['off defers nothing', { toolDiscovery: 'off' }, false],
    ['off with a threshold', { toolDiscovery: { mode: 'off', thresholdTokens: 1 } }, false],
  ])('%s', async (_, options, isDeferred) => {
    const { session, offered } = await calling([], options);
    await say(session, 'Begin.');
    expect([offered(0).includes('ToolSearch'), offered(0).includes('print_parcel')]).toEqual([isDeferred, !isDeferred]);
  });

  it('gives as many results as maxResults, and all that are named', async () => {
    const names = 'find_ticket, print_ticket change_ticket';
    const options = { toolDiscovery: { mode: 'always', maxResults: 2 } } as const;
    const { session } = await calling([search('a ticket'), search(names), search('zzzz qqqq')], options);

    const [few, named, none] = outputs(await say(session, 'Begin.'));

    expect(few!.split('\n')).toHaveLength(1 + 2);
    expect(named!.split('\n')).toHaveLength(1 + 3);
    expect(none).toContain('No tool was found');
  });

  it('says what is wrong with a call', async () => {
    const { session } = await calling([
      { name: 'CallTool', input: {} },
      call('no_such_tool'),
      call('print_parcel', { ids: 7 }),
      { name: 'CallTool', input: { name: 'print_parcel', input: '{"id":"8"}' } },
      call('CallTool', {}),
      { name: 'CallTool', input: { name: 'print_parcel', input: '{"id":' } },
    ]);

    const said = outputs(await say(session, 'Begin.'));

    expect(said).toEqual([
      expect.stringMatching(/^! Nothing was called/),
      expect.stringMatching(/^! Tool not found: no_such_tool/),
      expect.stringMatching(/^! .*id/),
      'print parcel 8',
      expect.stringMatching(/^! Nothing was called/),
      expect.stringMatching(/^! /),
    ]);
  });
});

describe('guards with toolDiscovery', () => {
  const run = async (options: Partial<SessionOptions>) => {
    const { session } = await calling([search('delete_parcel'), call('delete_parcel')], options);
    return outputs(await say(session, 'Begin.'));
  };

  it('runs a call that nothing forbids (the control)', async () => {
    expect((await run({}))[1]).toBe('delete parcel 7');
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['disallowedTools', { disallowedTools: ['delete_parcel'] }],
    ['allowedTools without it', { allowedTools: ['print_parcel', 'find_parcel'] }],
    ['alwaysAsk with nobody to ask', { alwaysAsk: ['delete_parcel'], permissionMode: 'default' }],
    ['plan mode', { permissionMode: 'plan' }],
    [
      'a hook',
      {
        hooks: {
          PreToolUse: [{ matcher: 'delete_parcel', hooks: [() => ({ decision: 'block', reason: 'no' }) as never] }],
        },
      },
    ],
    [
      'a middleware for the name',
      {
        handlers: [
          {
            name: 'h',
            wrapToolCall: (one, next) =>
              one.name === 'delete_parcel' ? next({ ...one, name: 'gone', tool: undefined }) : next(one),
          },
        ],
      },
    ],
  ])('holds for a call through CallTool: %s', async (_, options) => {
    const [found, deleted] = await run(options);
    expect(found).not.toMatch(/^!/);
    expect(deleted).toMatch(/^! /);
  });

  it('finds no tool that a list has taken out', async () => {
    const [found] = await run({ disallowedTools: ['delete_parcel'] });
    expect(found).not.toContain('"delete_parcel"');
    expect((await run({}))[0]).toContain('"delete_parcel"');
  });

  it('asks about the tool itself', async () => {
    const asked: unknown[] = [];
    await run({
      permissionMode: 'default',
      alwaysAsk: ['delete_parcel'],
      canUseTool: async (name, input) => (asked.push([name, input]), { behavior: 'allow' }),
    });
    expect(asked).toEqual([
      ['ToolSearch', { query: 'delete_parcel' }],
      ['delete_parcel', { id: '7' }],
    ]);
  });

  it.each([['ToolSearch'], ['CallTool']])(
    'refuses a tool of the host named %s, unless discovery is off',
    async (name) => {
      const own = defineTool({ name, description: 'x', inputSchema: objectSchema({}), execute: async () => '' });
      await expect(calling([], { tools: [...MANY, own] })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining("toolDiscovery: 'off'"),
      });
      await calling([], { tools: [...MANY, own], toolDiscovery: 'off' });
    },
  );
});

describe('a session with toolDiscovery', () => {
  it('goes on after a resume and a fork, also without discovery', async () => {
    const store = memoryStore();
    const { session } = await calling([search('print_parcel'), call('print_parcel')], { store });
    await say(session, 'Begin.');
    const { sessionId } = session;
    await session.close();
    for (const toolDiscovery of ['always', 'off'] as const) {
      for (const open of [resumeSession, forkSession]) {
        const { provider, models } = scriptedProvider([{ text: 'Yes.' }]);
        const again = await open({ ...always, provider, model: 'm', store, sessionId, toolDiscovery });
        expect(resultOf(await say(again, 'Go on.')).subtype).toBe('success');
        await again.close();
        const { messages } = models[0]!.requests[0]!;
        const names = messages.flatMap(({ content }) => content.flatMap((one) => ('name' in one ? [one.name] : [])));
        const last = toolDiscovery === 'off' ? 'print_parcel' : 'CallTool';
        expect(names).toEqual(['ToolSearch', 'ToolSearch', last, last]);
      }
    }
  });

  it('fills the window with what is sent, not with what can be found', async () => {
    const long = 'word '.repeat(1_000);
    const compactions = async (toolDiscovery: 'always' | 'off') => {
      let count = 0;
      const createModel = (name: string) =>
        scriptedModel(() => ({ text: long, usage: { inputTokens: 0 } }), { name, contextWindow: 9_000 });
      const handlers = [
        {
          name: 'count',
          onEvent: ({ type }: { readonly type: string }) => void (count += Number(type === 'compaction')),
        },
      ];
      const { session } = await calling([], { provider: { type: 'custom', createModel }, toolDiscovery, handlers });
      for (const text of ['One.', 'Two.', 'Three.']) await say(session, text);
      return count;
    };
    expect(await compactions('always')).toBe(0);
    expect(await compactions('off')).toBeGreaterThan(0);
  });

  it('records calls by the names of their tools', async () => {
    const store = memoryStore();
    const { session } = await calling([call('print_parcel')], { store });
    await say(session, 'Begin.');
    const text = JSON.stringify(await bodiesOf(store, session.sessionId));
    expect(text).toContain('print_parcel');
    expect(text).not.toContain('CallTool');
  });

  it('lets subagents search, among the tools that they have', async () => {
    const agents = [{ name: 'clerk', description: 'Knows parcels.', tools: MANY.slice(0, 15).map(({ name }) => name) }];
    const script: Script = ({ messages, tools }) => {
      const isClerk = !tools.some(({ name }) => name === 'Bash');
      const step = (messages.length - 1) / 2;
      if (!isClerk) {
        const input = { subagent_type: 'clerk', description: 'x', prompt: 'Find it.' };
        return step === 0 ? { toolCalls: [{ name: 'Task', input }] } : { text: 'Done.' };
      }
      const calls = [search('find_ticket'), search('find_engine'), call('find_ticket'), call('find_engine')];
      return calls[step] ? { toolCalls: [calls[step]] } : { text: 'Found.' };
    };
    const { provider, models } = scriptedProvider(script);
    const { session } = await scriptedSession(script, {
      allowedTools: undefined as never,
      ...always,
      provider,
      agents,
    });
    onTestFinished(() => session.close());

    await say(session, 'Begin.');

    const last = models.flatMap(({ requests }) => requests).find(({ messages }) => messages.length === 9)!;
    const results = last.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const [found, notFound, used, unused] = results.map((one) => ('output' in one ? one.output : ''));
    expect(last.tools.map(({ name }) => name)).toEqual(['ToolSearch', 'CallTool']);
    expect([found!.includes('"find_ticket"'), notFound!.includes('"find_engine"')]).toEqual([true, false]);
    expect([used, unused]).toEqual(['find ticket 7', expect.stringContaining('not found')]);
  });
});
