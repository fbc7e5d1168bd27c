import { readFileSync } from 'node:fs';
import { type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai/web';
import { type AssistantMessage, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const NAME = 'gemini-2.5-flash';
const messages = [userMessage('Hello')];
const wire = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url));

const ours = async ({ url }: WireServer, name = NAME) => {
  const model = createModel({ type: 'gemini', apiKey: 'k', baseUrl: url }, name);
  const { signal } = new AbortController();
  return (await collect(model.stream({ instruction: 'Be brief.', messages, tools: [], signal }))).value;
};
const theirs = async ({ url }: WireServer, model = NAME) => {
  const client = new GoogleGenAI({ apiKey: 'k', apiVersion: 'v1beta', httpOptions: { baseUrl: url } });
  // a reply that goes on in a second request is not what is compared
  const config = { systemInstruction: 'Be brief.', automaticContinuation: false };
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hello', config }))
    chunks.push(chunk);
  return chunks;
};

/** What both say, in one form: the parts as they go back, text that goes on joined. */
interface Facts {
  readonly parts: readonly object[];
  readonly usage: readonly (number | undefined)[];
  readonly stopReason: string;
}
function joined(parts: readonly Part[]): readonly object[] {
  const all: Part[] = [];
  for (const { functionCall, ...part } of parts) {
    const last = all.at(-1);
    const isText = part.text !== undefined && !part.thoughtSignature;
    const goesOn = isText && last?.text !== undefined && !last.thoughtSignature && last.thought === part.thought;
    if (isText && part.text === '') continue;
    if (goesOn) last.text += part.text ?? '';
    else if (functionCall)
      all.push({ ...part, functionCall: { name: functionCall.name!, args: functionCall.args ?? {} } });
    else all.push({ ...part });
  }
  return all;
}
function factsOfOurs({ content, usage, stopReason }: AssistantMessage): Facts {
  const parts = content.map((block): Part => {
    const { signature, part } = (block.providerData?.data ?? {}) as { signature?: string; part?: Part };
    if (part) return part;
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (block.type === 'text') return { text: block.text, ...signed };
    if (block.type === 'thinking') return { text: block.text, thought: true, ...signed };
    return { functionCall: { name: block.name, args: block.input as Record<string, unknown> }, ...signed };
  });
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return { parts: joined(parts), usage: [inputTokens, outputTokens, cacheReadTokens, reasoningTokens], stopReason };
}
const STOP: Readonly<Record<string, string>> = {
  STOP: 'end',
  OTHER: 'end',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  MODEL_ARMOR: 'refusal',
};
function factsOfTheirs(chunks: readonly GenerateContentResponse[]): Facts {
  const parts = joined(chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []));
  const reason = chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason;
  const blocked = chunks.some((chunk) => chunk.promptFeedback?.blockReason);
  const reported = chunks.flatMap((chunk) => chunk.usageMetadata ?? []);
  const last = (field: 'cachedContentTokenCount' | 'thoughtsTokenCount' | 'candidatesTokenCount') =>
    reported.findLast((usage) => usage[field] !== undefined)?.[field];
  const { promptTokenCount = 0, toolUsePromptTokenCount = 0 } = reported.at(-1)!; // every fixture has it
  const output = (last('candidatesTokenCount') ?? 0) + (last('thoughtsTokenCount') ?? 0);
  const stopReason = blocked ? 'refusal' : STOP[reason ?? '']!;
  const calls = parts.some((part) => 'functionCall' in part);
  return {
    parts,
    usage: [
      promptTokenCount + toolUsePromptTokenCount,
      output,
      last('cachedContentTokenCount'),
      last('thoughtsTokenCount'),
    ],
    stopReason: stopReason === 'end' && calls ? 'tool_use' : stopReason,
  };
}

describe('the official client reads the same', () => {
  it.each([
    'text',
    'text-crlf',
    'text-cr',
    'text-compact',
    'text-over-lines',
    'finish-in-every-chunk',
    'finish-in-empty-chunk',
    'finish-with-empty-text',
    'thoughts',
    'thoughts-interleaved',
    'signature-on-empty-part',
    'signature-on-text',
    'call',
    'call-with-id',
    'call-with-text',
    'call-without-arguments',
    'parallel-calls',
    'parallel-calls-without-id',
    'calls-over-chunks',
    'calls-over-chunks-without-id',
    'length',
    'length-in-thoughts',
    'continuation',
    'safety',
    'recitation',
    'model-armor',
    'other-with-text',
    'prompt-blocked',
    'empty',
    'cached',
    'tool-use-usage',
    'structured',
    'code-execution',
    'image',
  ])('from %s', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurs(mine)).toEqual(factsOfTheirs(other));
  });

  it.each(['call-with-id', 'parallel-calls', 'calls-over-chunks', 'call-without-arguments'])(
    'with the same ids from %s',
    async (name) => {
      await using server = await wireServer({ body: wire(name) });

      const [mine, other] = [await ours(server), await theirs(server)];

      const ids = other.flatMap((chunk) => (chunk.functionCalls ?? []).map(({ id }) => id));
      expect(mine.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))).toEqual(ids);
    },
  );

  it.each(['error-in-stream', 'error-as-bare-json', 'error-over-lines', 'malformed'])(
    'fails too from %s',
    async (name) => {
      await using server = await wireServer({ body: wire(name) });

      await expect(theirs(server)).rejects.toThrow(/./);
      await expect(ours(server)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    },
  );

  // the client hands these out as if they were replies
  it.each(['cut', 'malformed-call', 'error-in-list'])('does not see that %s is none', async (name) => {
    await using server = await wireServer({ body: wire(name) });

    await expect(theirs(server)).resolves.toBeInstanceOf(Array);
    await expect(ours(server)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it.each(['gemini-2.5-flash', 'models/gemini-2.5-flash', 'tunedModels/mine-17'])(
    'sends %s to the same address with the same headers',
    async (name) => {
      await using server = await wireServer({ body: wire('text') });

      await ours(server, name);
      await theirs(server, name);

      const [mine, other] = server.requests;
      expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
      for (const header of ['x-goog-api-key', 'x-goog-api-client', 'content-type', 'user-agent'])
        expect(mine?.headers[header]).toBe(other?.headers[header]);
      expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
    },
  );

  it('sends the same body, but for the thoughts that it asks for', async () => {
    await using server = await wireServer({ body: wire('text') });

    await ours(server, 'gemini-2.0-flash');
    await theirs(server, 'gemini-2.0-flash');

    const [mine, other] = server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const { generationConfig, systemInstruction, ...rest } = other!; // two requests were made
    expect(generationConfig).toEqual({});
    expect(systemInstruction).toMatchObject(mine!['systemInstruction'] as object);
    expect(rest).toMatchObject({ contents: mine!['contents'] });
  });
});
