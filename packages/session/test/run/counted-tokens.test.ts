import { type WireRequest, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { createSession, memoryStore } from '../../src/index.ts';
import { bodiesOf, only, say, toolNamed } from '../support/makers.ts';

const streamed = (events: readonly Readonly<Record<string, unknown>>[]) =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
/** A reply of the messages API with one block, before which the service has counted so many tokens. */
const reply = (content_block: object, input_tokens: number, stop_reason = 'end_turn') =>
  streamed([
    { type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]);
const text = (said: string, tokens: number) => reply({ type: 'text', text: said }, tokens);

/** A session of a window of 10,000 tokens, whose second message makes a tool return about 5,000 by an estimate, and what its service got. */
async function talked(count: string, status = 200) {
  const isCount = ({ path }: WireRequest) => path.endsWith('/count_tokens');
  await using server = await wireServer((request) => {
    if (isCount(request)) return { status, headers: { 'content-type': 'application/json' }, body: count };
    if (request.body.includes('y'.repeat(100))) return { body: text('Done.', 3_000) };
    if (!request.body.includes('Look.')) return { body: text('Well.', 100) };
    if (!request.body.includes('"tools"')) return { body: text('The gist.', 100) };
    return { body: reply({ type: 'tool_use', id: 'c1', name: 'look', input: {} }, 200, 'tool_use') };
  });
  const store = memoryStore();
  const look = toolNamed('look', async () => 'y'.repeat(20_000), { kind: 'readonly' });
  await using session = await createSession({
    provider: { type: 'anthropic', apiKey: 'k', baseUrl: server.url, contextWindow: 10_000 },
    model: 'claude-sonnet-4-5',
    store,
    tools: [look],
    allowedTools: ['look'],
  });
  const events = [];
  for (const message of ['Hello.', 'Look.', 'And now?']) events.push(...(await say(session, message)));
  const counts = server.requests.filter(isCount);
  const compactions = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
    body.type === 'record' && body.record.type === 'compaction' ? [body.record] : [],
  );
  return { events, compactions, counts, replies: server.requests.length - counts.length };
}

describe('tokens counted by the service', () => {
  it('are asked for once, where the estimate could be on either side of the threshold, and decide', async () => {
    const { compactions, counts, replies } = await talked('{"input_tokens":3000}');

    expect(counts).toHaveLength(1); // of four turns
    expect(JSON.parse(counts[0]?.body ?? '')).toMatchObject({
      model: 'claude-sonnet-4-5',
      tools: expect.arrayContaining([expect.objectContaining({ name: 'look' })]),
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    });
    expect(compactions).toEqual([]);
    expect(replies).toBe(4);
  });

  it('let a history be compacted that is long although the estimate is below the threshold', async () => {
    const { compactions, replies } = await talked('{"input_tokens":9500}');

    expect(compactions).toMatchObject([{ tokensBefore: 9_500 }]);
    expect(replies).toBe(5);
  });

  it('are estimated where the service does not count, which ends no run', async () => {
    const { events, compactions, counts } = await talked('{"error":{"message":"no such path"}}', 404);

    expect(counts).toHaveLength(1);
    expect(compactions).toEqual([]);
    expect(only(events, 'result').map(({ subtype }) => subtype)).toEqual(['success', 'success', 'success']);
  });
});
