import { readFileSync } from 'node:fs';
import { type AssistantMessage, type Message, type ToolMessage, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { wireServer } from '../testing/index.ts';

type Part = Readonly<Record<string, unknown>>;
interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}

const wire = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url), 'utf8');

/** The parts as the service sent them: text that goes on is one part, what says nothing is left out. */
function partsOf(stream: string): readonly Part[] {
  const parts: Record<string, unknown>[] = [];
  for (const line of stream.split('\n').filter((text) => text.startsWith('data: {'))) {
    const chunk = JSON.parse(line.slice('data: '.length)) as { candidates: { content?: { parts?: Part[] } }[] };
    for (const part of chunk.candidates[0]?.content?.parts ?? []) {
      const last = parts.at(-1);
      const { text, thought, thoughtSignature } = part;
      const goesOn = typeof text === 'string' && thoughtSignature === undefined;
      if (goesOn && text === '') continue;
      const joins = goesOn && last?.['text'] !== undefined && !last['thoughtSignature'] && last['thought'] === thought;
      if (joins) last['text'] = `${String(last['text'])}${text}`;
      else parts.push({ ...part });
    }
  }
  return parts;
}

/** The reply to one stream, logged and read again, and what is sent with the next question. */
async function sentAfter(stream: string, model: string, changed: (reply: AssistantMessage) => AssistantMessage = same) {
  await using server = await wireServer({ body: stream });
  const asked = createModel({ type: 'gemini', apiKey: 'k', baseUrl: server.url }, model);
  const ask = (messages: readonly Message[]) => {
    const { signal } = new AbortController();
    return collect(asked.stream({ instruction: '', messages, tools: [], signal }));
  };
  const question = userMessage('Hello');
  const { value } = await ask([question]);
  const reply = changed(JSON.parse(JSON.stringify(value)) as AssistantMessage);
  const results: ToolMessage = {
    id: 'r',
    createdAt: '',
    role: 'tool',
    content: toolUsesOf(reply).map(({ id, name }) => {
      return { type: 'tool_result', toolUseId: id, name, output: 'ok', isError: false };
    }),
  };
  await ask([question, reply, results, userMessage('And now?')]);
  const { contents } = JSON.parse(server.requests[1]!.body) as { contents: Content[] }; // two were sent
  return contents;
}
const same = (reply: AssistantMessage) => reply;

describe('a reply that goes back', () => {
  it.each([
    'text',
    'thoughts',
    'thoughts-interleaved',
    'signature-on-empty-part',
    'signature-on-text',
    'call',
    'call-with-id',
    'call-with-text',
    'parallel-calls',
    'parallel-calls-without-id',
    'calls-over-chunks',
    'code-execution',
    'image',
  ])('is what the service sent: %s', async (name) => {
    for (const model of ['gemini-2.5-flash', 'gemini-3-pro-preview']) {
      const contents = await sentAfter(wire(name), model);

      expect(contents[1]).toEqual({ role: 'model', parts: partsOf(wire(name)) });
    }
  });

  it('has results with the ids of the calls, in their order', async () => {
    const given = await sentAfter(wire('parallel-calls'), 'gemini-3-pro-preview');
    const missing = await sentAfter(wire('parallel-calls-without-id'), 'gemini-2.5-flash');

    const response = { name: 'echo', response: { output: 'ok' } };
    expect(given[2]?.parts).toEqual([
      { functionResponse: { id: 'fc_1', ...response } },
      { functionResponse: { id: 'fc_2', ...response } },
    ]);
    expect(missing[2]?.parts).toEqual([{ functionResponse: response }, { functionResponse: response }]);
  });

  it('has neither thoughts nor signatures of another provider, and the stand-in where signatures are checked', async () => {
    const foreign = (reply: AssistantMessage): AssistantMessage => ({
      ...reply,
      provider: 'anthropic',
      content: reply.content.map((block) =>
        block.providerData
          ? { ...block, providerData: { provider: 'anthropic', data: block.providerData.data } }
          : block,
      ),
    });

    const newest = await sentAfter(wire('call'), 'gemini-3-pro-preview', foreign);
    const older = await sentAfter(wire('call'), 'gemini-2.5-flash', foreign);

    const functionCall = { name: 'echo', args: { text: 'h\u00ef' } };
    expect(newest[1]?.parts).toEqual([{ functionCall, thoughtSignature: 'skip_thought_signature_validator' }]);
    expect(older[1]?.parts).toEqual([{ functionCall }]);
  });
});
