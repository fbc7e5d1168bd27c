import type { ModelOptions } from '@x/core';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  exportSession,
  importSession,
  memoryStore,
  resumeSession,
  type SessionOptions,
} from '../../src/index.ts';
import { sealed } from '../support/exports.ts';
import { only, say, toolNamed } from '../support/makers.ts';
import { optionTakers } from '../support/option-takers.ts';

const modelOptions = { serviceTools: [{ type: 'web_search' }] } as const satisfies ModelOptions;
const done = { text: 'Done.' };

function made(options: Partial<SessionOptions>, script: readonly object[] = [done, done, done]) {
  const takers = optionTakers(script);
  return { ...takers, session: createSession({ provider: takers.provider, model: 'm', ...options }) };
}

describe('tools of the service in a session', () => {
  it('are asked for in every request, also where allowedTools lists others', async () => {
    const { session, asked } = made({ modelOptions, allowedTools: [] });

    await say(await session, 'Hi');

    expect(asked()).toEqual([modelOptions]);
  });

  it.each([
    ['disallowedTools', 'Service(web_search)'],
    ['disallowedTools', 'Service'],
    ['disallowedTools', 'web_search'],
    ['disallowedTools', 'WebSearch'],
    ['disallowedTools', 'websearch'],
    ['disallowedTools', 'service(web_search)'],
    ['disallowedTools', 'Service(*)'],
    ['disallowedTools', 'Service(web_serch)'],
    ['alwaysAsk', 'Service(web_search)'],
    ['alwaysAsk', 'Service'],
    ['autoApprove', 'Service(web_search)'],
    ['allowedTools', 'Service(web_search)'],
  ])('are refused with the session when it guards them by %s: %s', async (field, written) => {
    const open = { handlers: [{ name: 'open', beforeAgent: () => undefined }] };

    await expect(made({ ...open, modelOptions, [field]: [written] }).session).rejects.toThrow(/Service/);
  });

  it.each([
    ['disallowedTools', 'web_search'],
    ['disallowedTools', 'WebSearch'],
    ['alwaysAsk', 'web_search'],
    ['alwaysAsk', 'WebSearch(domain:a.b)'],
  ])('are not guarded by a name, which is refused before anybody asks for them: %s %s', async (field, written) => {
    const handlers = [{ name: 'open', beforeAgent: () => undefined }];

    await expect(made({ handlers, [field]: [written] }).session).rejects.toThrow('write Service(web_search)');
  });

  it('leave a tool of the session with such a name alone', async () => {
    const tools = [toolNamed('web_search', async () => 'found', { kind: 'readonly' })];

    const { session } = made({ modelOptions, tools, disallowedTools: ['web_search', 'WebFetch'] });

    await expect(session).resolves.toHaveProperty('sessionId');
  });

  it('may be guarded against before anybody asks for them: then a message that does is refused', async () => {
    const { session, asked } = made({ disallowedTools: ['Service(web_search)'] });
    const own = await session;

    await expect(own.send('Hi', { modelOptions })).rejects.toThrow('denied by the rule Service(web_search)');
    const other = { serviceTools: [{ type: 'code_execution' }] } as const;
    await say(own, 'Hi', { modelOptions: other });

    expect(asked()).toEqual([other]);
  });

  it('that are servers take what gives access to them from the session alone, and it is nowhere in the log', async () => {
    const store = memoryStore();
    const server = { type: 'mcp', name: 'docs', url: 'https://docs.example/mcp' } as const;
    const secret = { serviceTools: [{ ...server, authorization: 'secret-4711', headers: { 'x-key': 'secret-4712' } }] };
    const { session, asked } = made({ store, modelOptions: secret });
    const own = await session;

    await say(own, 'Hi');
    await say(own, 'Hi', { modelOptions: { serviceTools: [server] } });

    for (const fields of [{ authorization: 'secret-4711' }, { headers: { 'x-key': 'secret-4712' } }]) {
      const sent = own.send('Hi', { modelOptions: { serviceTools: [{ ...server, ...fields }] } });
      await expect(sent).rejects.toThrow(`serviceTools[0].${Object.keys(fields)[0]} would be kept`);
    }
    expect(asked()).toEqual([secret, { serviceTools: [server] }]);
    await own.close();
    const log = await Array.fromAsync(exportSession(own.sessionId, { store }));
    expect(log.join('')).toContain('docs.example');
    expect(log.join('')).not.toContain('secret-');
  });

  it.each(['Service(mcp)', 'Service'])('that are servers are denied by a rule: %s', async (rule) => {
    const serviceTools = [{ type: 'mcp', name: 'docs', url: 'https://docs.example/mcp' }] as const;

    const { session } = made({ modelOptions: { serviceTools }, disallowedTools: [rule] });

    await expect(session).rejects.toThrow(`denied by the rule ${rule}`);
  });

  it('are not given to a run that another process was asked for them in', async () => {
    const store = memoryStore();
    const first = await made({ store }).session;
    await first.send('Hi', { modelOptions });
    await first.close();
    const { provider, asked } = optionTakers([done]);
    const disallowedTools = ['Service'];

    const { sessionId } = first;
    const second = await resumeSession({ provider, model: 'm', store, sessionId, disallowedTools });
    const events = await Array.fromAsync(second.stream());

    expect(only(events, 'result')).toEqual([expect.objectContaining({ subtype: 'error' })]);
    expect(JSON.stringify(events)).toContain('denied by the rule Service');
    expect(asked()).toEqual([]);
    await second.close();
  });

  it('are not given to a subagent with a list of tools of its own', async () => {
    const task = (subagent_type: string) => ({
      toolCalls: [{ name: 'Task', input: { subagent_type, description: 'd', prompt: 'p' } }],
    });
    const agents = [
      { name: 'bound', description: 'd', systemPrompt: 's', tools: ['work'] },
      { name: 'free', description: 'd', systemPrompt: 's' },
    ];
    const tools = [toolNamed('work', async () => 'worked', { kind: 'readonly' })];
    const { session, asked } = made({ modelOptions, agents, tools }, [task('bound'), done, task('free'), done, done]);

    await say(await session, 'Hi');

    expect(asked()).toEqual([modelOptions, undefined, modelOptions, modelOptions, modelOptions]);
  });

  it('are steps of a reply that move with its session', async () => {
    const store = memoryStore();
    const { session } = made({ store });
    const own = await session;
    await say(own, 'Hi');
    await own.close();
    const lines = await Array.fromAsync(exportSession(own.sessionId, { store }));
    const step = { name: 'code_execution', id: 's1', state: 'done', files: [{ id: 'file_1', name: 'a.csv' }] };
    const said = '{"type":"text","text":"Done."}';
    const withStep = (serviceTool: object) =>
      sealed(
        lines.map((line) =>
          line.replace(said, `{"type":"thinking","text":"","serviceTool":${JSON.stringify(serviceTool)}},${said}`),
        ),
      );

    const to = memoryStore();
    await importSession(withStep(step), { store: to });
    const wrong = importSession(withStep({ ...step, state: 'maybe' }), { store: memoryStore() });
    const unnamed = importSession(withStep({ ...step, files: [{ name: 'a.csv' }] }), { store: memoryStore() });

    await expect(wrong).rejects.toThrow('state');
    await expect(unnamed).rejects.toThrow('files[0].id');
    const { provider } = optionTakers([done]);
    const again = await resumeSession({ provider, model: 'm', store: to, sessionId: own.sessionId });
    expect(JSON.stringify(again.messages)).toContain('"files":[{"id":"file_1","name":"a.csv"}]');
    await again.close();
  });
});
