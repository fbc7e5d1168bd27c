import { textOf, userMessage } from '@x/core';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { anthropicReply, look, talkTo } from './talk.ts';

const anthropic = { type: 'anthropic' } as const;
const user = userMessage('Hello');
const told = (list: readonly object[]) =>
  list.map((event) => Object.values(event).map(String)).filter(([type]) => type === 'content' || type === 'thinking');

describe("calls of Anthropic's own tools", () => {
  const text = (is: string) => [{ type: 'text', text: is }] as const;
  const search = (id: string) =>
    [
      { type: 'server_tool_use', id, name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '{"query":"x"}' },
    ] as const;
  const found = (tool_use_id: string) => [{ type: 'web_search_tool_result', tool_use_id, content: [] }] as const;

  it('go back with their results when they have no input', async () => {
    const advice = { type: 'advisor_tool_result', tool_use_id: 's1', content: { type: 'advisor_result', text: '4.' } };
    const call = { type: 'server_tool_use', id: 's1', name: 'advisor', input: {} };
    const reply = anthropicReply(
      [[call, { type: 'input_json_delta', partial_json: '' }], [advice], text('4')],
      'end_turn',
    );
    await using server = await wireServer(reply);
    const { ask, sent } = talkTo(server, anthropic, 'claude-sonnet-5');

    const { value } = await ask();
    await ask([user, value, userMessage('Sure?')]);

    expect(sent()).toMatchObject({ messages: [{}, { content: [call, advice, { text: '4' }] }, {}] });
  });

  it('are continued when the service pauses, until it ends', async () => {
    await using server = await wireServer([
      anthropicReply([text('I search.'), search('s1')], 'pause_turn'),
      anthropicReply([found('s1'), search('s2')], 'pause_turn'),
      anthropicReply([found('s2'), text('Found.')], 'end_turn', { output_tokens: 6 }),
      anthropicReply([text('Yes.')], 'end_turn'),
    ]);
    const { ask, sent } = talkTo(server, anthropic, 'claude-sonnet-4-5');
    const call = { type: 'server_tool_use', name: 'web_search', input: { query: 'x' } };

    const { events: seen, value } = await ask([user], { replyId: 'r' });

    expect(told(seen)).toEqual([
      ['content', 'I search.'],
      ['content', 'Found.'],
    ]);
    expect(value).toMatchObject({
      id: 'r',
      stopReason: 'end',
      usage: { inputTokens: 21, outputTokens: 16, totalTokens: 37 },
    });
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: [{ text: 'I search.' }, { ...call, id: 's1' }] }],
    });
    expect(sent()).toMatchObject({
      messages: [{}, { content: [{}, { id: 's1' }, { tool_use_id: 's1' }, { ...call, id: 's2' }] }],
    });

    await ask([user, value, userMessage('Sure?')]);
    expect(sent()).toMatchObject({ messages: [{}, { content: { length: 6 } }, { content: [{ text: 'Sure?' }] }] });
  });

  it('end after twenty pauses, without the call that is still open', async () => {
    await using server = await wireServer(anthropicReply([text('.'), search('s1')], 'pause_turn'));
    const { ask } = talkTo(server, anthropic, 'claude-sonnet-4-5');

    const { value } = await ask();

    expect([server.requests.length, value.stopReason, textOf(value)]).toEqual([21, 'end', '.'.repeat(21)]);
    await ask([user, value, userMessage('Sure?')]);
    expect(server.requests[20]?.body).toContain('server_tool_use');
    expect(JSON.parse(server.requests[21]?.body ?? '')).toMatchObject({
      messages: [{}, { content: { length: 21 } }, {}],
    });
    expect(server.requests[21]?.body).not.toContain('server_tool_use');
  });
});

it('counts what a compaction by Anthropic has cost', async () => {
  const iterations = [
    { type: 'compaction', input_tokens: 60_385, output_tokens: 522, cache_read_input_tokens: 100 },
    { type: 'advisor_message', input_tokens: 9_000, output_tokens: 9 },
    { type: 'message', input_tokens: 612, output_tokens: 2_819 },
  ];
  const reported = { input_tokens: 612, output_tokens: 2_819, iterations };
  await using server = await wireServer(anthropicReply([[{ type: 'text', text: 'x' }]], 'end_turn', reported));

  const { value } = await talkTo(server, anthropic, 'claude-opus-4-6').ask();

  expect(value.usage).toEqual({ inputTokens: 61_097, outputTokens: 3_341, totalTokens: 64_438, cacheReadTokens: 100 });
});

it('sends user messages in a row to Anthropic as one, results first, whatever is said later', async () => {
  const call = { type: 'tool_use', id: 't1', name: 'look', input: {} };
  await using server = await wireServer(anthropicReply([[call]], 'tool_use'));
  const { ask, sent } = talkTo(server, anthropic, 'claude-sonnet-4-5');
  const { value } = await ask([user]);
  const results = {
    id: 'x',
    createdAt: value.createdAt,
    role: 'tool' as const,
    content: [{ type: 'tool_result' as const, toolUseId: 't1', name: 'look', output: 'seen', isError: false }],
  };
  const shapes = () =>
    (sent()['messages'] as { role: string; content: { type: string; text?: string }[] }[]).map(
      ({ role, content }) => `${role}: ${content.map(({ type, text = type }) => text).join(', ')}`,
    );

  const history = [user, userMessage('and again'), value, results, userMessage('Stop.'), userMessage('Now.')];
  await ask(history, { tools: [look] });
  expect(shapes()).toEqual(['user: Hello, and again', 'assistant: tool_use', 'user: tool_result, Stop., Now.']);

  // the same bytes are used again for a shorter history, and for another one
  await ask(history.slice(0, 4), { tools: [look] });
  expect(shapes()).toEqual(['user: Hello, and again', 'assistant: tool_use', 'user: tool_result']);
  await ask([user, userMessage('else')], { tools: [look] });
  expect(shapes()).toEqual(['user: Hello, else']);
  await ask([user, value, results], { tools: [look] });
  expect(shapes()).toEqual(['user: Hello', 'assistant: tool_use', 'user: tool_result']);
});
