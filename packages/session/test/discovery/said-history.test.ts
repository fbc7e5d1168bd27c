import { type AssistantMessage, defineTool, objectSchema, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { namedStream, SaidHistory } from '../../src/discovery/call-by-name.ts';
import { DeferredTools } from '../../src/discovery/deferred-tools.ts';

const reply = (content: AssistantMessage['content']): AssistantMessage => ({
  id: 'r',
  createdAt: '2026-01-01T00:00:00.000Z',
  role: 'assistant',
  content,
  provider: 'p',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'tool_use',
});
const use = (id: string, name: string, input: unknown = {}) => ({ type: 'tool_use', id, name, input }) as const;
const text = { type: 'text', text: 'So be it.' } as const;
const tool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, inputSchema: objectSchema({}), execute: async () => '' });

describe('SaidHistory', () => {
  const history = new SaidHistory((name) => name === 'Bash');

  it('changes calls of tools that are not sent, and their results, and nothing else', () => {
    const asked = userMessage('Begin.');
    const mixed = reply([text, use('1', 'Bash', { command: 'ls' }), use('2', 'print', { id: 7 })]);
    const answers = toolMessage(mixed, [
      { output: 'a', isError: false },
      { output: 'b', isError: true },
    ]);

    const [first, second, third] = history.of([asked, mixed, answers]);

    expect(first).toBe(asked);
    expect(second).toEqual({
      ...mixed,
      content: [text, mixed.content[1], use('2', 'CallTool', { name: 'print', input: { id: 7 } })],
    });
    expect(third!.content).toEqual([answers.content[0], { ...answers.content[1], name: 'CallTool' }]);
  });

  it('gives the same object each time, that of the history where nothing changes', () => {
    const same = reply([text, use('1', 'Bash')]);
    const other = reply([use('2', 'print')]);
    expect(history.of([same])[0]).toBe(same);
    expect(history.of([other])[0]).toBe(history.of([other])[0]);
  });
});

describe('namedStream', () => {
  async function* saying(said: AssistantMessage) {
    yield { type: 'content', delta: 'So be it.' } as const;
    return said;
  }

  it('names the calls of a reply that says and does other things as well', async () => {
    const said = reply([text, use('1', 'CallTool', { name: 'print', input: { id: 7 } }), use('2', 'Bash')]);
    const { events, value } = await collect(namedStream(saying(said)));
    expect(events).toEqual([{ type: 'content', delta: 'So be it.' }]);
    expect(value.content).toEqual([text, use('1', 'print', { id: 7 }), use('2', 'Bash')]);
  });

  it.each([
    [{ name: 'print' }, {}],
    [{ name: 'print', input: '{"id":7}' }, { id: 7 }],
    [{ name: 'print', input: '7' }, '7'],
    [{ name: 'print', input: 'null' }, 'null'],
    [{ name: 'print', input: '{' }, '{'],
    [{ name: 'print', input: null }, {}],
  ])('takes %o for a call with the input %o', async (input, expected) => {
    const { value } = await collect(namedStream(saying(reply([use('1', 'CallTool', input)]))));
    expect(value.content).toEqual([use('1', 'print', expected)]);
  });

  it.each([[{}], [{ name: '' }], [{ name: 7, input: {} }], [undefined], [null]])(
    'leaves a call of nothing: %o',
    async (input) => {
      const said = reply([use('1', 'CallTool', input)]);
      const { value } = await collect(namedStream(saying(said)));
      expect(value).toEqual(said);
    },
  );
});

describe('DeferredTools', () => {
  it('lists the names of few tools, by server', () => {
    const few = DeferredTools.of([tool('mcp__a__x'), tool('print'), tool('mcp__b__y'), tool('mcp__a__z')]);
    expect(few.overview.split('\n').slice(1)).toEqual(['mcp__a__x, mcp__a__z', 'print', 'mcp__b__y']);
  });

  it('counts those of many', () => {
    const names = Array.from({ length: 600 }, (_, at) => `mcp__${at % 2 ? 'mail' : 'calendar'}__tool_number_${at}`);
    const many = DeferredTools.of([...names, 'print'].map(tool));
    expect(many.overview).toBe('Tools that can be found, by server: calendar (300), mail (300), other tools (1)');
  });

  it('finds what is named exactly before what is alike', async () => {
    const all = DeferredTools.of(['send_mail', 'send_letter', 'read_mail'].map(tool));
    const names = async (query: string, limit: number) => (await all.search(query, limit)).map(({ name }) => name);
    expect((await names('read_mail', 1))[0]).toBe('read_mail');
    expect(await names('"read_mail", send_letter', 1)).toEqual(['send_letter', 'read_mail']);
    expect((await names('mail', 2)).toSorted()).toEqual(['read_mail', 'send_mail']);
  });
});
