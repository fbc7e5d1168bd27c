import { createSession, defineTool, type ISession, memoryStore, objectSchema, prompt } from '@x/agent-sdk';
import { wireServer } from '@x/agent-sdk/testing';
import { describe, expect, it } from 'vitest';

interface Wire {
  readonly role: string;
  readonly reasoning_content?: unknown;
}
const chunk = (delta: object, finish_reason: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\ndata: [DONE]\n\n`;
const call = { index: 0, id: 'gSIMJiOkT', type: 'function', function: { name: 'look', arguments: '{}' } };
const refusal = (message: string) => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
});
/** Calls once, then answers. */
const answer = (messages: readonly Wire[]) =>
  messages.some(({ role }) => role === 'tool')
    ? { body: chunk({ reasoning_content: 'Ah.', content: 'Fine.' }, 'stop') }
    : { body: chunk({ reasoning_content: 'Hm.', tool_calls: [call] }, 'tool_calls') };

describe('a session of two messages', () => {
  it.each<[model: string, refused: string, isRefused: (message: Wire, before: Wire | undefined) => boolean]>([
    [
      'mistral-medium-latest',
      "Unexpected role 'user' after role 'tool'",
      ({ role }, before) => role === 'user' && before?.role === 'tool',
    ],
    [
      'deepseek-v4-pro',
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
      ({ role, reasoning_content }) => role === 'assistant' && typeof reasoning_content !== 'string',
    ],
  ])('succeeds with %s, which answers 400 to: %s', async (model, refused, isRefused) => {
    await using server = await wireServer(({ body }) => {
      const { messages } = JSON.parse(body) as { messages: readonly Wire[] };
      return messages.some((message, at) => isRefused(message, messages[at - 1])) ? refusal(refused) : answer(messages);
    });
    let session: ISession | undefined;
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      inputSchema: objectSchema({}),
      kind: 'readonly',
      execute: async () => {
        await session?.send('Quick, please.');
        return 'seen';
      },
    });
    session = await createSession({
      provider: { type: 'openai-compatible', apiKey: 'key-4711', baseUrl: `${server.url}/v1` },
      model,
      store: memoryStore(),
      tools: [look],
    });

    const ends: unknown[] = [];
    for (const words of ['Look.', 'And again?']) {
      await session.send(words);
      for await (const event of session.stream()) if (event.type === 'result') ends.push(event.subtype, event.content);
    }
    await session.close();

    expect(ends).toEqual(['success', 'Fine.', 'success', 'Fine.']);
    expect(server.requests.length).toBeGreaterThan(2);
  });
});

describe('an answer of a given form', () => {
  const json = '{"title":"Mistborn"}';
  const message = (text: string, phase?: string) => ({
    type: 'message',
    status: 'completed',
    role: 'assistant',
    ...(phase ? { phase } : {}),
    content: [{ type: 'output_text', annotations: [], text }],
  });

  it.each([
    ['told twice', [message(json), message(json)]],
    ['behind a commentary', [message('Let me look.', 'commentary'), message(json, 'final_answer')]],
  ])('is read from one reply: %s', async (_what, items) => {
    const output = items.map((item, at) => ({ id: `msg_${at}`, ...item }));
    const steps = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }));
    const usage = { input_tokens: 9, output_tokens: 9 };
    const end = { type: 'response.completed', response: { status: 'completed', output, usage } };
    await using server = await wireServer({
      body: [...steps, end].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    });

    const { structured } = await prompt('Which book?', {
      provider: { type: 'openai-compatible', api: 'responses', apiKey: 'key-4711', baseUrl: `${server.url}/v1` },
      model: 'gpt-5.4',
      outputFormat: {
        type: 'json_schema',
        name: 'book',
        schema: objectSchema({ title: { type: 'string', description: 'Its title.' } }),
      },
    });

    expect(structured).toEqual({ title: 'Mistborn' });
    expect(server.requests).toHaveLength(1);
  });
});
