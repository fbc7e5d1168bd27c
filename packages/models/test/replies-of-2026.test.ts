import { type AssistantMessage, textOf, userMessage } from '@x/core';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { anthropicReply, chat, chunk, look, response, said, talkTo } from './talk.ts';

const chatModel = { type: 'openai-compatible' } as const;
const responses = { type: 'openai-compatible', api: 'responses' } as const;
const anthropic = { type: 'anthropic' } as const;
const user = userMessage('Hello');
const plain = ({ content }: AssistantMessage) => content.map(({ providerData: _, ...block }) => block);
const told = (list: readonly object[]) =>
  list.map((event) => Object.values(event).map(String)).filter(([type]) => type === 'content' || type === 'thinking');

describe('a commentary of responses', () => {
  const aside = said('msg_1', 'Let me look.', { phase: 'commentary' });
  const answer = said('msg_2', '{"title":"Dune"}', { phase: 'final_answer' });
  const summary = [{ type: 'summary_text', text: 'Hm.' }];
  const thought = { id: 'rs_1', type: 'reasoning', summary, encrypted_content: 'sealed' };
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };

  it.each([
    [
      'before an answer is thinking',
      [aside, answer],
      [
        ['thinking', 'Let me look.'],
        ['content', '{"title":"Dune"}'],
      ],
    ],
    [
      'stays in its place among thoughts',
      [aside, thought, answer],
      [
        ['thinking', 'Let me look.Hm.'],
        ['content', '{"title":"Dune"}'],
      ],
    ],
    ['before a call is text', [aside, call], [['content', 'Let me look.']]],
    [
      'at the end is text',
      [thought, aside],
      [
        ['thinking', 'Hm.'],
        ['content', 'Let me look.'],
      ],
    ],
    [
      'is text before a call, and thinking before the answer behind it',
      [aside, call, said('msg_3', 'Now.', { phase: 'commentary' }), answer],
      [
        ['content', 'Let me look.'],
        ['thinking', 'Now.'],
        ['content', '{"title":"Dune"}'],
      ],
    ],
  ])('%s', async (_what, items, expected) => {
    await using server = await wireServer(response(...items));
    const { ask, sent } = talkTo(server, responses, 'gpt-5.4');

    const { events: seen, value } = await ask();

    expect(told(seen)).toEqual(expected);
    const texts = expected.flatMap(([type, text]) => (type === 'content' ? [text] : [])).join('');
    expect(textOf(value)).toBe(texts);
    await ask([user, value, userMessage('Go on.')]);
    const { input } = sent() as { input: readonly object[] };
    const messages = input.filter((item) => Object.entries(item).some(([, is]) => is === 'assistant'));
    expect(messages).toEqual(items.filter(({ type }) => type === 'message'));
  });
});

it('sends a message of responses whose text is empty back with its part', async () => {
  const picture = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'aGk=' };
  await using server = await wireServer(response(picture, said('msg_1', '')));
  const { ask, sent } = talkTo(server, responses, 'gpt-5');

  const { value } = await ask();
  await ask([user, value, userMessage('Nice.')]);

  expect((sent()['input'] as unknown[]).slice(1, 3)).toEqual([picture, said('msg_1', '')]);
});

it.each([
  ['gpt-5.6', undefined, ['reasoning.encrypted_content']],
  ['openai.gpt-5.6-luna', undefined, ['reasoning.encrypted_content']],
  ['our-deployment', undefined, ['reasoning.encrypted_content']],
  ['grok-4.5', ['a'], ['reasoning.encrypted_content', 'a']],
  ['gpt-5', ['a', 'reasoning.encrypted_content'], ['reasoning.encrypted_content', 'a']],
  ['gpt-5', [], []],
  ['openai/gpt-oss-120b', undefined, undefined],
  ['gpt-oss-20b', ['a'], ['a']],
  ['our-gpt4o', undefined, undefined],
  ['gpt-5-chat-latest', undefined, undefined],
])('asks %s that is asked for %j for %j', async (model, wanted, include) => {
  await using server = await wireServer(response(said('msg_1', 'Hi.')));
  const { ask, sent } = talkTo(server, { ...responses, ...(wanted ? { extraBody: { include: wanted } } : {}) }, model);

  await ask();

  expect(sent()['include']).toEqual(include);
});

describe('a call of a tool that was not offered', () => {
  const ending = { finishReason: 'UNEXPECTED_TOOL_CALL', finishMessage: 'undeclared function: list_files' };
  const part = { functionCall: { name: 'list_files', args: {} }, thoughtSignature: 'CtAEAY89a19P' };
  const reply = (parts: readonly object[]) => ({
    body: `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, ...ending }] })}\r\n\r\n`,
  });

  it('by Gemini is a call, which goes back signed', async () => {
    await using server = await wireServer(reply([part]));
    const { ask, sent } = talkTo(server, { type: 'gemini' }, 'gemini-3-flash-preview');

    const { value } = await ask([user], { tools: [look] });
    await ask([user, value], { tools: [look] });

    expect(value).toMatchObject({ stopReason: 'tool_use', content: [{ name: 'list_files', input: {} }] });
    expect(sent()).toMatchObject({ contents: [{}, { parts: [{ thoughtSignature: 'CtAEAY89a19P' }] }] });
  });

  it('by Gemini is an error to be retried when the service keeps it to itself', async () => {
    await using server = await wireServer(reply([{ text: 'I list.' }]));

    await expect(talkTo(server, { type: 'gemini' }, 'gemini-3-flash-preview').ask()).rejects.toMatchObject({
      retryable: true,
      details: { code: 'UNEXPECTED_TOOL_CALL' },
    });
  });

  const failed = {
    error: { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' },
  };

  it.each([
    ['as the answer', { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(failed) }],
    ['in the stream', chat(failed)],
  ])('by Groq is an error to be retried: %s', async (_where, answer) => {
    await using server = await wireServer(answer);

    await expect(talkTo(server, chatModel, 'llama-3.3').ask()).rejects.toMatchObject({
      statusCode: 400,
      retryable: true,
    });
  });
});

describe('usage of chat completions', () => {
  it.each([
    ['read and written at once, as the total says', { total_tokens: 2_268 }, 2_168],
    ['more than the prompt, where nothing says so', {}, 6_490],
  ])('counts a cache that is %s', async (_what, total, inputTokens) => {
    const details = { prompt_tokens_details: { cached_tokens: 2_161, cache_write_tokens: 2_161 } };
    const usage = { prompt_tokens: 2_168, completion_tokens: 100, ...total, ...details };
    await using server = await wireServer(chat(chunk({ content: 'x' }, 'stop'), { choices: [], usage }));

    const { value } = await talkTo(server, chatModel, 'google/gemini-2.5-flash').ask();

    expect(value.usage).toMatchObject({ inputTokens, cacheReadTokens: 2_161, cacheWriteTokens: 2_161 });
  });
});

describe('a whole reply in one object', () => {
  const whole = (message: object) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ choices: [{ index: 0, message, finish_reason: '' }] }),
  });

  it('is complete without a finish reason', async () => {
    await using server = await wireServer(whole({ role: 'assistant', content: 'Hi.' }));

    const { value } = await talkTo(server, chatModel, 'snowflake').ask();

    expect(value).toMatchObject({ stopReason: 'end', content: [{ type: 'text', text: 'Hi.' }] });
  });

  it('is not when a call in it is half', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"a":' } };
    await using server = await wireServer(whole({ role: 'assistant', tool_calls: [call] }));

    await expect(talkTo(server, chatModel, 'snowflake').ask()).rejects.toMatchObject({ code: 'STREAM_CUT' });
  });
});

it.each([
  ['{"error":{"message":"too many images"}}', 'Provider returned error: too many images'],
  ['upstream is down', 'Provider returned error: upstream is down'],
  ['', 'Provider returned error'],
])('tells what a router was told: %j', async (raw, words) => {
  const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'x' } };
  const headers = { 'content-type': 'application/json' };
  await using server = await wireServer({ status: 400, headers, body: JSON.stringify({ error }) });

  await expect(talkTo(server, chatModel, 'm').ask()).rejects.toThrow(new RegExp(`answered 400: ${words}$`));
});

describe('pages that a reply names', () => {
  const pages = [{ url: 'https://a.example/', title: 'A' }, { url: 'https://b.example/' }];
  const [, b] = pages;
  const cited: readonly ({ readonly url?: string; readonly title?: string } | null)[] = [
    { url: 'https://a.example/', title: 'A' },
    { url: 'https://b.example/' },
    { url: 'https://a.example/', title: 'again' },
    { title: 'No address' },
    null,
  ];
  const grounded = (groundingChunks: readonly object[]) => {
    const content = { parts: [{ text: 'So.' }] };
    const candidate = { content, finishReason: 'STOP', groundingMetadata: { groundingChunks } };
    return { body: `data: ${JSON.stringify({ candidates: [candidate] })}\n\n` };
  };

  it.each([
    [
      'Anthropic',
      anthropic,
      anthropicReply(
        [
          [
            { type: 'text', text: '' },
            { type: 'text_delta', text: 'So.' },
            ...cited.map((citation) => ({ type: 'citations_delta', citation })),
          ],
        ],
        'end_turn',
      ),
    ],
    [
      'responses',
      responses,
      response(said('msg_1', 'So.', { content: [{ type: 'output_text', text: 'So.', annotations: cited }] })),
    ],
    [
      'chat completions',
      chatModel,
      chat(
        chunk({ content: 'So.' }),
        chunk({ annotations: cited.map((url_citation) => ({ type: 'url_citation', url_citation })) }, 'stop'),
      ),
    ],
    ['Perplexity', chatModel, chat({ ...chunk({ content: 'So.' }, 'stop'), citations: ['x'], search_results: cited })],
    [
      'Gemini',
      { type: 'gemini' } as const,
      grounded(cited.map((page) => ({ web: page && { uri: page.url, title: page.title } }))),
    ],
  ])('are sources of its text: %s', async (_service, config, answer) => {
    await using server = await wireServer(answer);
    const { ask } = talkTo(server, config, 'm');

    const { value } = await ask();

    expect(plain(value)).toEqual([{ type: 'text', text: 'So.', sources: pages }]);
  });

  it('are addresses alone where Perplexity has no titles', async () => {
    await using server = await wireServer(
      chat({ ...chunk({ content: 'So.' }, 'stop'), citations: ['https://b.example/'] }),
    );

    const { value } = await talkTo(server, chatModel, 'sonar').ask();

    expect(plain(value)).toEqual([{ type: 'text', text: 'So.', sources: [b] }]);
  });
});
