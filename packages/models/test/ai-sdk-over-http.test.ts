import { readFileSync } from 'node:fs';
import { type AssistantMessage, defineTool, type Message, type ModelRequest, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { wireServer } from '../src/testing/index.ts';
import { type AI_SDK_MODELS, aiSdkModelAt } from './ai-sdk-subjects.ts';

type Name = keyof typeof AI_SDK_MODELS;
type Body = Readonly<Record<string, unknown>>;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  kind: 'readonly',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  execute: async () => 'done',
});
const PNG = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
const PDF = { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=', name: 'a.pdf' } as const;
const TEXT = { type: 'file', mediaType: 'text/plain', data: 'aGVsbG8=', name: 'a.txt' } as const;
const LINK = { type: 'link', mediaType: 'image/*', url: 'https://a.example/b.png' } as const;

function wire(path: string): string {
  return readFileSync(new URL(`wire/${path}.sse`, import.meta.url), 'utf8');
}

/** Asks a model once, and then again with what `next` makes of its reply; both bodies. */
async function bodiesOf(
  name: Name,
  stream: string,
  asked: Partial<ModelRequest>,
  next: (reply: AssistantMessage) => readonly Message[] = () => [],
): Promise<readonly Body[]> {
  const server = await wireServer({ body: wire(stream) });
  try {
    const model = aiSdkModelAt(name, server.url);
    const base = {
      instruction: 'Be brief.',
      messages: [userMessage('Hello')],
      tools: [],
      signal: AbortSignal.timeout(10_000),
    };
    const request: ModelRequest = { ...base, ...asked };
    const { value } = await collect(model.stream(request));
    await collect(model.stream({ ...request, messages: [...request.messages, ...next(value)] }));
    return server.requests.map(({ body }) => JSON.parse(body) as Body); // an object, by all of the APIs
  } finally {
    await server.close();
  }
}

const answered = (reply: AssistantMessage): readonly Message[] => [
  reply,
  toolMessage(reply, [{ output: 'done', isError: false, images: [PNG] }]),
];

describe('requests through real providers of the AI SDK', () => {
  it.each<[Name, string]>([
    ['openai chat', 'openai-chat/text'],
    ['openai responses', 'openai-responses/text'],
    ['anthropic', 'anthropic/text'],
    ['google', 'gemini/text'],
    ['openai chat, version 3', 'openai-chat/text'],
    ['openai chat, version 2', 'openai-chat/text'],
  ])('%s: have pictures and files, and files of text as text', async (name, stream) => {
    const [body] = await bodiesOf(name, stream, { messages: [userMessage([PNG, PDF, TEXT])] });

    const text = JSON.stringify(body);
    expect(text).toContain('iVBORw0KGgo=');
    expect(text).toContain('JVBERi0=');
    expect(text).toContain('hello');
  });

  it.each<[Name, string]>([
    ['openai chat', 'openai-chat/text'],
    ['anthropic', 'anthropic/text'],
    ['openai chat, version 2', 'openai-chat/text'],
  ])('%s: have addresses that the service fetches', async (name, stream) => {
    const [body] = await bodiesOf(name, stream, { messages: [userMessage([LINK])] });

    expect(JSON.stringify(body)).toContain('https://a.example/b.png');
  });

  it.each<[Name, string, RegExp]>([
    ['openai chat', 'openai-chat/call', /"role":"tool",[^{}]*"content":"done"/],
    ['anthropic', 'anthropic/call', /"type":"tool_result",[^{}]*"content":"done"/],
    ['openai responses', 'openai-responses/call', /"type":"function_call_output",[^{}]*"output":"done"/],
    ['openai chat, version 3', 'openai-chat/call', /"role":"tool",[^{}]*"content":"done"/],
    ['openai chat, version 2', 'openai-chat/call', /"role":"tool",[^{}]*"content":"done"/],
  ])('%s: have results, and their pictures behind them', async (name, stream, result) => {
    const [, body] = await bodiesOf(name, stream, { tools: [echo] }, answered);

    const text = JSON.stringify(body);
    expect(text).toMatch(result);
    expect(text.indexOf('iVBORw0KGgo=')).toBeGreaterThan(text.search(result));
  });

  it('tell Anthropic its thoughts with their signatures', async () => {
    const [, body] = await bodiesOf('anthropic', 'anthropic/thinking', {}, (reply) => [reply, userMessage('More')]);

    const thinking = { type: 'thinking', thinking: 'First, think.', signature: 'EqQBCgIYAhIkMWY+/zQ0==' };
    expect(body).toMatchObject({ messages: [{}, { role: 'assistant', content: [thinking, {}] }, {}] });
  });

  it('tell Google the signatures of its calls', async () => {
    const [, body] = await bodiesOf('google', 'gemini/call', { tools: [echo] }, answered);

    expect(JSON.stringify(body)).toMatch(/"thoughtSignature":"[^"]+"/);
  });

  it('tell OpenAI the items of its reasoning', async () => {
    const [, body] = await bodiesOf('openai responses', 'openai-responses/reasoning', {}, (reply) => [
      reply,
      userMessage('More'),
    ]);

    expect(JSON.stringify(body)).toContain('rs_68ac');
  });

  it('tell another model the words alone', async () => {
    const reply = (await replyOf('anthropic', 'anthropic/thinking')) as Message;
    const [body] = await bodiesOf('openai chat', 'openai-chat/text', {
      messages: [userMessage('Hello'), reply, userMessage('More')],
    });

    expect(JSON.stringify(body)).toContain('Then speak.');
    expect(JSON.stringify(body)).not.toMatch(/First, think|EqQBCgIY/);
  });

  it.each<[Name, string, object]>([
    [
      'openai chat',
      'openai-chat/text',
      { response_format: { json_schema: { strict: false, schema: { type: 'object' } } } },
    ],
    ['openai responses', 'openai-responses/text', { text: { format: { strict: false, schema: { type: 'object' } } } }],
    ['google', 'gemini/text', { generationConfig: { responseMimeType: 'application/json' } }],
  ])('%s: have the form of the answer', async (name, stream, expected) => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const [body] = await bodiesOf(name, stream, { outputFormat: { name: 'answer', schema, strict: false } });

    expect(body).toMatchObject(expected);
  });

  it.each<[Name, string, object]>([
    ['openai chat', 'openai-chat/text', { max_tokens: 50, tool_choice: 'required' }],
    [
      'google',
      'gemini/text',
      { generationConfig: { maxOutputTokens: 50 }, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    ],
  ])('%s: have the options of the model', async (name, stream, expected) => {
    const [body] = await bodiesOf(name, stream, {
      tools: [echo],
      options: { maxOutputTokens: 50, toolChoice: 'required' },
    });

    expect(body).toMatchObject(expected);
  });

  it('are refused where the provider says that it ignores an option', async () => {
    const asked = bodiesOf('openai responses', 'openai-responses/text', { options: { temperature: 0.5 } });

    await expect(asked).rejects.toThrow('does not support temperature');
  });
});

async function replyOf(name: Name, stream: string): Promise<AssistantMessage> {
  const server = await wireServer({ body: wire(stream) });
  try {
    const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal: AbortSignal.timeout(10_000) };
    return (await collect(aiSdkModelAt(name, server.url).stream(request))).value;
  } finally {
    await server.close();
  }
}
