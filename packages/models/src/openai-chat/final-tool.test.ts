import { readFileSync } from 'node:fs';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { echo } from '../../test/features/exchange.ts';
import { createModel } from '../create-model.ts';
import { wireServer } from '../testing/index.ts';
import type { OpenAICompatibleConfig } from '../wire/provider-config.ts';
import { givesAnswerByTool } from './final-tool.ts';

const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const outputFormat = { name: 'answer', schema, strict: true };
const file = readFileSync(new URL('../../test/wire/openai-chat/final-tool.sse', import.meta.url), 'utf8');

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
const finished = (reason: string) => `${chunk({}, { finish_reason: reason })}data: [DONE]\n\n`;
const call = (name: string, text: string, index = 0) =>
  chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: text } }] });
interface Asked {
  readonly model?: string;
  readonly config?: Partial<OpenAICompatibleConfig>;
  readonly request?: Partial<ModelRequest>;
  readonly form?: boolean;
}

/** What is sent, and what comes of it. */
async function ask(body: string, { model = 'deepseek-chat', config = {}, request = {}, form = true }: Asked = {}) {
  await using server = await wireServer({ body });
  const { signal } = new AbortController();
  const asked = {
    instruction: 'Be brief.',
    messages: [userMessage('Hi')],
    tools: [],
    signal,
    ...(form ? { outputFormat } : {}),
    ...request,
  };
  const given = { ...config, type: 'openai-compatible', apiKey: 'k', baseUrl: server.url } as const;
  const { events, value } = await collect(createModel(given, model).stream(asked));
  const told = { content: '', thinking: '' };
  for (const event of events)
    if (event.type === 'content' || event.type === 'thinking') told[event.type] += event.delta;
  const sent = JSON.parse(server.requests[0]?.body ?? '') as Readonly<Record<string, unknown>>;
  return { sent, reply: value, ...told };
}

describe('givesAnswerByTool', () => {
  it.each([
    'gpt-3.5-turbo',
    'gpt-4',
    'gpt-4-turbo-2024-04-09',
    'openai/gpt-4-32k',
    'ft:gpt-3.5-turbo-0125:org',
    'deepseek-chat',
    'deepseek-reasoner',
  ])('knows that %s has no form of its own', (name) => {
    expect(givesAnswerByTool(name)).toBe(true);
  });

  it.each([
    'gpt-4o',
    'gpt-4o-mini',
    'gpt-4.1',
    'gpt-4.5-preview',
    'gpt-5',
    'o3',
    'chatgpt-4o-latest',
    'my-gpt-4',
    'any',
  ])('leaves %s its own', (name) => {
    expect(givesAnswerByTool(name)).toBe(false);
  });

  it('does what the host says, whatever the name', () => {
    expect(givesAnswerByTool('any', 'tool')).toBe(true);
    expect(givesAnswerByTool('gpt-4', 'native')).toBe(false);
  });
});

describe('a model without a form of its own', () => {
  it('is told to answer by a tool, which it must call', async () => {
    const { sent } = await ask(file, { request: { tools: [echo] } });

    expect(sent).toMatchObject({
      tools: [{ function: { name: 'echo' } }, { function: { name: 'answer', parameters: schema } }],
      tool_choice: 'required',
      messages: [{ role: 'system', content: expect.stringMatching(/^Be brief\.\n\n.*tool answer/) }, { role: 'user' }],
    });
    expect(sent).not.toHaveProperty('response_format');
  });

  it('gives its answer as text, and its words beside it as thinking', async () => {
    const { reply, content, thinking } = await ask(file);

    expect(reply).toMatchObject({
      content: [
        { type: 'thinking', text: 'I have added it up.' },
        { type: 'text', text: '{"answer":42}' },
      ],
      stopReason: 'end',
      usage: { inputTokens: 120, cacheReadTokens: 64 },
    });
    expect([content, thinking]).toEqual(['{"answer":42}', 'I have added it up.']);
  });

  it('may answer in plain text all the same', async () => {
    const { reply, content } = await ask(
      chunk({ content: '{"answer":' }) + chunk({ content: '1}' }) + finished('stop'),
    );

    expect(reply).toMatchObject({ content: [{ type: 'text', text: '{"answer":1}' }], stopReason: 'end' });
    expect(content).toBe('{"answer":1}');
  });

  it('tells thoughts at once, and in the order of the message', async () => {
    const parts = [
      chunk({ reasoning_content: 'one ' }),
      chunk({ content: 'two ' }),
      chunk({ reasoning_content: 'three' }),
      call('answer', '{"answer":1}'),
    ];
    const { reply, thinking } = await ask(parts.join('') + finished('tool_calls'), { model: 'deepseek-reasoner' });

    expect(reply.content.map((block) => [block.type, 'text' in block && block.text])).toEqual([
      ['thinking', 'one '],
      ['thinking', 'two '],
      ['thinking', 'three'],
      ['text', '{"answer":1}'],
    ]);
    expect(thinking).toBe('one two three');
  });

  it('goes on with the calls it makes of other tools', async () => {
    const calls = call('echo', '{"text":"hi"}') + finished('tool_calls');
    const { reply } = await ask(calls, { request: { tools: [echo] } });

    expect(reply).toMatchObject({ content: [{ type: 'tool_use', name: 'echo' }], stopReason: 'tool_use' });
  });

  it('keeps what came of an answer that was cut by the length limit', async () => {
    const { reply } = await ask(call('answer', '{"answer": 4') + finished('length'));

    expect(reply).toMatchObject({ content: [{ type: 'text', text: '{"answer": 4' }], stopReason: 'length' });
  });

  it('has not answered where the stream ends in the answer without a finish', async () => {
    await expect(ask(`${call('answer', '{"answer": 4')}data: [DONE]\n\n`)).rejects.toMatchObject({ retryable: true });
  });

  it('has a name for the tool that no other has, and services take', async () => {
    const taken = { ...echo, name: 'my_answer' };
    const named = { ...outputFormat, name: 'my answer' };
    const { sent } = await ask(file, { request: { tools: [taken], outputFormat: named } });

    expect(sent['tools']).toMatchObject([{ function: { name: 'my_answer' } }, { function: { name: 'my_answer_' } }]);
  });

  it('gives what is no object as the member of one', async () => {
    const list = { name: 'answer', schema: { type: 'array', items: { type: 'number' } }, strict: true };
    const body = call('answer', '{"value":[1,2]}') + finished('tool_calls');
    const { sent, content } = await ask(body, { request: { outputFormat: list } });

    expect(sent['tools']).toMatchObject([{ function: { parameters: { properties: { value: list.schema } } } }]);
    expect(content).toBe('[1,2]');
  });

  it.each<[string, Asked]>([
    ['the model refuses it', { model: 'deepseek-reasoner' }],
    ['the host has it think', { config: { extraBody: { thinking: { type: 'enabled' } } } }],
  ])('is not forced to the tool where %s', async (_, asked) => {
    const { sent } = await ask(file, asked);

    expect(sent).toMatchObject({ tools: [{ function: { name: 'answer' } }] });
    expect(sent).not.toHaveProperty('tool_choice');
  });

  it('lets the host say whether it is forced', async () => {
    const { sent } = await ask(file, { config: { extraBody: { tool_choice: 'auto' } } });

    expect(sent['tool_choice']).toBe('auto');
  });

  it('is asked as any other where no form is wanted', async () => {
    const { sent, content } = await ask(chunk({ content: 'Hi.' }) + finished('stop'), { form: false });

    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('tool_choice');
    expect(content).toBe('Hi.');
  });
});

describe('the option structuredOutput', () => {
  it('gives any model the tool, or none', async () => {
    const tool = await ask(file, { model: 'any', config: { structuredOutput: 'tool' } });
    const native = await ask(file, { config: { structuredOutput: 'native' } });

    expect(tool.content).toBe('{"answer":42}');
    expect(tool.sent).not.toHaveProperty('response_format');
    expect(native.sent).toMatchObject({ response_format: { type: 'json_schema' } });
    expect(native.reply.stopReason).toBe('tool_use');
  });
});
