import { join } from 'node:path';
import type { AgentEvent } from '@x/core';
import { afterEach, describe, expect, it } from 'vitest';
import { streamable } from '../../../mcp/test/support/http-servers.ts';
import { closeAll, folder, linesOf } from '../../../mcp/test/support/hubs.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { memoryStore, type SessionOptions } from '../../src/index.ts';
import { echoed, obeying } from '../support/obeying.ts';

afterEach(closeAll);

const asks = (what: string, level?: string) => ({
  name: 'mcp__own__ask',
  input: { what, ...(level ? { level } : {}) },
});
const said = { role: 'assistant', content: { type: 'text', text: 'Hi.' }, model: 'm' };
const ANSWERS: NonNullable<SessionOptions['mcpHandlers']> = {
  roots: (server) => [{ uri: 'file:///work', name: server }],
  elicit: async (_, { message }) => ({ action: 'accept', content: { colour: `${String(message)} Red.` } }),
  sample: async () => said,
};
const SERVERS = {
  stdio: async () => stdio(),
  http: async () => ({ type: 'http' as const, url: (await streamable()).url }),
};

describe.each(['stdio', 'http'] as const)('what a server asks of the host, over %s', (kind) => {
  it('is answered by the functions of mcpHandlers, also after a resume that gives them', async () => {
    const [store, own] = [memoryStore(), await SERVERS[kind]()];
    const first = await obeying({ mcpServers: { own }, mcpHandlers: ANSWERS, store });
    const before = await first.ask(asks('roots'), asks('elicit'), asks('sample'), asks('capabilities'));
    await first.session.close();

    const { sessionId } = first.session;
    const second = await obeying({ mcpServers: { own }, mcpHandlers: ANSWERS, store, sessionId });

    expect(before.slice(0, 2).map((text) => JSON.parse(text))).toEqual([
      [{ uri: 'file:///work', name: 'own' }],
      { action: 'accept', content: { colour: 'Which colour? Red.' } },
    ]);
    expect(before.slice(2).map((text) => JSON.parse(text))).toMatchObject([
      said,
      { roots: {}, elicitation: { form: {} }, sampling: {} },
    ]);
    expect(await second.ask(asks('elicit'))).toEqual([before[1]]);
  });

  it('is refused, and no capability announced, without them', async () => {
    const { ask } = await obeying({ mcpServers: { own: await SERVERS[kind]() } });

    const answers = await ask(asks('roots'), asks('elicit'), asks('sample'), asks('capabilities'));

    expect(answers.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/^! .*(not support|Method not found)/)));
    expect(JSON.parse(answers[3]!)).toEqual({});
  });
});

describe('what a server logs', () => {
  const logged = async (options: Partial<SessionOptions>) => {
    const notices: AgentEvent[] = [];
    const onEvent = (event: AgentEvent) => void (event.type === 'notification' && notices.push(event));
    const journal = join(folder(), 'journal');
    const mcpServers = { own: stdio({ journal }) };
    const { session, ask } = await obeying({ mcpServers, handlers: [{ name: 'observer', onEvent }], ...options });
    await ask(asks('log', 'info'), asks('log', 'error'), echoed('x'));
    return { session, notices, levels: linesOf(journal).filter((line) => line.startsWith('level')) };
  };

  it('is a notification from mcpLogLevel on, and no part of the diagnosis', async () => {
    const { session, notices, levels } = await logged({ mcpLogLevel: 'warning' });

    expect(notices).toEqual([
      { type: 'notification', kind: 'mcp_log', message: 'MCP server own: error (plain): {"a":1}' },
    ]);
    expect(levels).toEqual(['level warning']);
    expect(session.diagnosis().checks).toEqual([]);
  });

  it('is nothing to anybody without it', async () => {
    const { notices, levels } = await logged({});

    expect([notices, levels]).toEqual([[], []]);
  });
});

it.each<[string, object, string]>([
  ['mcpHandlers', { elicitation: async () => ({}) }, 'elicitation'],
  ['mcpHandlers', { elicit: 'yes' }, 'mcpHandlers.elicit'],
  ['mcpLogLevel', 'loud' as never, 'mcpLogLevel'],
])('%s: %j is refused, and named', async (option, value, name) => {
  await expect(obeying({ [option]: value })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(name),
  });
});
