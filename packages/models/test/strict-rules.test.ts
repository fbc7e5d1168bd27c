import { fc, test } from '@fast-check/vitest';
import { textOf } from '@x/core';
import { type WireServer, wireServer } from '@x/models/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { histories } from './strict/histories.ts';
import { type Rule, refusalOf, STRICT, type Wire } from './strict/rules.ts';
import { anthropicReply, chat, chunk, look, response, said, talkTo, titled } from './talk.ts';

const chatModel = { type: 'openai-compatible' } as const;
const fine = chat(chunk({ content: 'Fine.' }, 'stop'));
const services = [
  ['openai', 'gpt-5', chatModel, fine],
  ['deepseek', 'deepseek-v4-pro', chatModel, fine],
  ['mistral', 'mistral-medium-latest', chatModel, fine],
  [
    'anthropic',
    'claude-sonnet-4-5',
    { type: 'anthropic' },
    anthropicReply([[{ type: 'text', text: 'Fine.' }]], 'end_turn'),
  ],
  ['responses', 'gpt-5.4', { ...chatModel, api: 'responses' }, response(said('msg_1', 'Fine.'))],
] as const;

/** A service that refuses what its rules refuse. */
const strict = (rules: readonly Rule[], answer: { readonly body: string }) =>
  wireServer(({ body }) => {
    const message = refusalOf(rules, JSON.parse(body) as Wire); // safe: what an adapter writes is an object
    if (message === undefined) return answer;
    const headers = { 'content-type': 'application/json' };
    return { status: 400, headers, body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }) };
  });

describe.each(services)('a strict %s', (service, model, config, answer) => {
  const choices = { tool_choice: config.type === 'anthropic' ? { type: 'auto' } : 'auto' };
  let server: WireServer;
  let ask: ReturnType<typeof talkTo>['ask'];
  beforeAll(async () => {
    server = await strict(STRICT[service], answer);
    ask = talkTo(server, { ...config, extraBody: choices }, model).ask;
  });
  afterAll(() => server.close());

  test.prop(
    {
      messages: histories({ provider: config.type, model }),
      tools: fc.constantFrom([look], []),
      isFormed: fc.boolean(),
      deferred: fc.constantFrom('', 'hidden', 'others'),
    },
    { numRuns: 100, seed: 87 },
  )('takes every history of a session', async ({ messages, tools, isFormed, deferred }) => {
    const isDeferred = deferred !== '' && ['anthropic', 'responses'].includes(service);
    const deferredTools = isDeferred ? { deferredTools: [{ ...look, name: deferred }] } : {};
    const { value } = await ask(messages, { tools, ...deferredTools, ...(isFormed ? { outputFormat: titled } : {}) });

    expect(textOf(value)).toBe('Fine.');
  });
});

const called = (id: string) => ({ role: 'assistant', content: null, tool_calls: [{ id }], reasoning_content: '' });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' });
const [asks, ok] = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'b', reasoning_content: '' },
];
const chatOf = (...messages: readonly object[]) => ({ messages });
const anthropicOf = (...contents: readonly (readonly object[])[]) =>
  chatOf(...contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })));
const word = { type: 'text', text: 'a' };
const use = { type: 'tool_use', id: 't' };
const used = { type: 'tool_result', tool_use_id: 't' };
const broken: Readonly<Record<string, Wire>> = {
  "'tool_choice' is only allowed when 'tools' are specified": { tool_choice: 'auto' },
  'an assistant message with tool_calls must be followed by a tool message for each': chatOf(
    asks,
    called('abcdefghi'),
    asks,
  ),
  'Assistant message must have either content or tool_calls': chatOf(asks, { ...ok, content: null }, asks),
  "'tool_call_id' is too long: at most 40": chatOf(called('x'.repeat(41)), result('x'.repeat(41))),
  'The `reasoning_content` in the thinking mode must be passed back to the API.': chatOf({
    role: 'assistant',
    content: 'b',
  }),
  'This response_format type is unavailable now': { response_format: { type: 'json_schema' } },
  'Thinking mode does not support this tool_choice': { tools: [{}], tool_choice: 'required' },
  "Unexpected role 'user' after role 'tool'": chatOf(called('abcdefghi'), result('abcdefghi'), asks),
  'Tool call id must be a-z, A-Z, 0-9, with a length of 9': chatOf(called('call_1'), result('call_1')),
  'Expected last role User or Tool': chatOf(asks, ok),
  'tool_choice may only be specified while providing tools': { tool_choice: {} },
  'roles must alternate between "user" and "assistant"': chatOf(
    ...[1, 2].map(() => ({ role: 'user', content: [word] })),
  ),
  '`tool_use` ids were found without `tool_result` blocks immediately after': anthropicOf([word], [use], [word]),
  'unexpected `tool_use_id` found in `tool_result` blocks': anthropicOf([used]),
  'tool_result blocks must come first in the content': anthropicOf([word], [use], [word, used]),
  'text content blocks must contain non-whitespace text': anthropicOf([{ type: 'text', text: ' ' }]),
  'messages must have non-empty content': anthropicOf([word], []),
  'Invalid `signature` in `thinking` block': anthropicOf([word], [{ type: 'thinking', thinking: 'a' }, word]),
  'Tools with defer_loading cannot use prompt caching': { tools: [{ defer_loading: true, cache_control: {} }, {}] },
  'At least one tool must have defer_loading=false': { tools: [{ defer_loading: true }] },
  'Tool reference not found in available tools': anthropicOf(
    [word],
    [{ type: 'tool_search_tool_result', content: { tool_references: [{ tool_name: 'a' }] } }],
  ),
  'tool_search_tool_bm25 was called, and is not among the tools': anthropicOf(
    [word],
    [{ type: 'server_tool_use', name: 'tool_search_tool_bm25' }],
  ),
  'Deferred tools require tools.tool_search': { tools: [{ defer_loading: true }] },
  'No tool output found for function call': { input: [{ type: 'function_call', call_id: 'c' }] },
  'No tool call found for function call output': { input: [{ type: 'function_call_output', call_id: 'c' }] },
  "Item of type 'reasoning' was provided without its required following item": {
    input: [{ type: 'reasoning', encrypted_content: 'ours' }, { role: 'user' }],
  },
  'assistant messages may not contain images': anthropicOf([word], [{ type: 'image' }]),
  'image_generation_call must have an id and a result': { input: [{ type: 'image_generation_call', id: 'ig' }] },
  'The encrypted content could not be verified': { input: [{ type: 'reasoning' }, { role: 'assistant' }] },
};
const rules = Object.entries(STRICT).flatMap(([service, list]) => list.map((rule) => [service, rule.words] as const));

describe('the rules themselves', () => {
  it.each(rules)('%s refuses what breaks: %s', (service, words) => {
    expect(refusalOf(STRICT[service as keyof typeof STRICT], broken[words] ?? {})).toBe(words); // safe: a key of it
  });

  it('are told by the service as an error with a status of 400', async () => {
    await using server = await strict([{ words: 'never', breaks: () => true }], fine);

    await expect(talkTo(server, chatModel, 'm').ask()).rejects.toMatchObject({ statusCode: 400, retryable: false });
  });
});
