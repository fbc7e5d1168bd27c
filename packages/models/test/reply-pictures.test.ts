import { type AssistantMessage, type Message, type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { costOf, createModel } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { exchange } from './features/exchange.ts';
import { PROVIDERS } from './features/providers.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1').toString('base64');
const providerOf = (name: string) => PROVIDERS.find((one) => one.name === name)!; // each name here is one of them
const sse = (events: readonly object[]) => events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('');

const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' };
const CALL = {
  id: 'ig_1',
  type: 'image_generation_call',
  status: 'generating',
  output_format: 'webp',
  result: PNG,
  revised_prompt: 'A red cat.',
};
const SAID = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Here.' }] };
const responsesStream = (...output: readonly object[]) =>
  sse([
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, result: null, status: 'in_progress' } },
      { type: 'response.image_generation_call.partial_image', output_index, partial_image_b64: 'AAAA' },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { id: 'r', status: 'completed', output } },
  ]);
const geminiStream = (...parts: readonly object[]) =>
  sse([{ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }]);
const PART = { inlineData: { mimeType: 'image/png', data: PNG }, thoughtSignature: 'sig' };
const echo = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'echo', arguments: '{}' };

const replyOf = async (name: string, body: string, more: Partial<Omit<ModelRequest, 'model'>> = {}) =>
  (await exchange(providerOf(name), { body }, more)).reply;
/** The body of the next request, for another provider too. */
async function sentTo(name: string, messages: readonly Message[], model?: string) {
  const provider = providerOf(name);
  const answer = { body: provider.stream('text') };
  return (await exchange(provider, answer, { messages, ...(model ? { model } : {}) })).body;
}
const after = (reply: AssistantMessage) => [userMessage('Draw.'), reply, userMessage('Bluer.')];

describe('a picture that a model makes', () => {
  it.each([
    ['responses', responsesStream(REASONING, CALL, SAID), 'image/webp', { image_generation: 1 }],
    ['gemini', geminiStream(PART, { text: 'Here.' }), 'image/png', undefined],
  ] as const)('is a block of the reply of %s, in its place', async (name, body, mediaType, uses) => {
    const { content, usage } = await replyOf(name, body);

    expect(content.filter(({ type }) => type !== 'thinking')).toEqual([
      { type: 'image', mediaType, data: PNG, providerData: expect.any(Object) },
      expect.objectContaining({ type: 'text', text: 'Here.' }),
    ]);
    expect(usage.serviceToolUses).toEqual(uses);
    expect(JSON.stringify(content).split(PNG)).toHaveLength(2);
  });

  it('costs what the host says, and is unknown without a price', async () => {
    const { usage } = await replyOf('responses', responsesStream(CALL));
    const price = { input: 0, output: 0 };

    expect(costOf(usage, price)).toBeUndefined();
    expect(costOf(usage, { ...price, uses: { image_generation: 0.04 } })).toBe(0.04);
  });

  it('is a step of the reply where a tool of the service has made it', async () => {
    const { content } = await replyOf('responses', responsesStream(CALL));

    const serviceTool = { name: 'image_generation', id: 'ig_1', state: 'done', input: 'A red cat.' };
    expect(content).toMatchObject([{ type: 'thinking', serviceTool }, { type: 'image' }]);
  });

  it('goes back to its service as it came', async () => {
    const drawn = [
      await replyOf('responses', responsesStream(REASONING, CALL, SAID)),
      await replyOf('gemini', geminiStream(PART, { text: 'Here.' })),
    ] as const;

    const { output_format: _, revised_prompt: __, ...call } = CALL; // the service knows no such parameters of an input
    const { input } = await sentTo('responses', after(drawn[0]));
    expect(input).toEqual([expect.anything(), REASONING, call, SAID, expect.anything()]);
    expect((await sentTo('gemini', after(drawn[1])))['contents']).toEqual([
      expect.anything(),
      { role: 'model', parts: [PART, { text: 'Here.' }] },
      expect.anything(),
    ]);
  });

  it('is the one that was streamed where the last event leaves it out', async () => {
    const stream = responsesStream(CALL).replace(/("output":.*"result":)"[^"]+"/, '$1null');

    const { content } = await replyOf('responses', stream);

    expect(content).toContainEqual(expect.objectContaining({ type: 'image', data: PNG }));
  });

  it.each([
    ['image/svg+xml', 'svg'],
    ['image/png', undefined],
    ['image/png', 'a/b'],
  ])('is %s where its format is %s', async (mediaType, output_format) => {
    const { content } = await replyOf('responses', responsesStream({ ...CALL, output_format }));

    expect(content).toContainEqual(expect.objectContaining({ type: 'image', mediaType }));
  });

  it('is left out when it is larger than 20 MiB, and never sent back', async () => {
    const data = 'A'.repeat(Math.ceil((20 * 1024 * 1024 * 4) / 3) + 4);
    const body = sse([
      { type: 'response.completed', response: { status: 'completed', output: [{ ...CALL, result: data }] } },
    ]);
    const drawn = [
      await replyOf('responses', body),
      await replyOf('gemini', geminiStream({ inlineData: { mimeType: 'image/png', data } })),
    ];

    for (const reply of drawn) {
      expect(reply.content.at(-1)).toMatchObject({
        type: 'text',
        text: expect.stringMatching(/^\[image: .*left out\]$/),
      });
    }
    expect(JSON.stringify(await sentTo('responses', after(drawn[0]!)))).not.toContain('image_generation_call');
  });
});

describe('a picture of another service', () => {
  const NAME = `[image: image/webp, ${Buffer.from(PNG, 'base64').length} bytes`;

  it.each(['chat', 'azure-openai', 'anthropic', 'gemini'])(
    'is shown to a model of %s behind the reply',
    async (name) => {
      const reply = await replyOf('responses', responsesStream(REASONING, CALL, SAID));

      const text = JSON.stringify(await sentTo(name, after(reply)));

      expect(text).toContain(`${NAME}]`);
      expect(text).toContain('Pictures of the reply:');
      expect(text.split(PNG)).toHaveLength(2);
      expect(text.indexOf(PNG)).toBeGreaterThan(text.indexOf('Here.'));
    },
  );

  it('is shown to responses too, and to another model there that does not reason', async () => {
    const drawn = await replyOf('gemini', geminiStream(PART, { text: 'Here.' }));
    const own = await replyOf('responses', responsesStream(REASONING, CALL, SAID));

    for (const [reply, model] of [
      [drawn, 'gpt-5'],
      [own, 'gpt-4.1'],
    ] as const) {
      const { input } = await sentTo('responses', after(reply), model);
      expect(input).toContainEqual({
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Pictures of the reply:' },
          expect.objectContaining({ type: 'input_image' }),
        ],
      });
      expect(JSON.stringify(input)).not.toContain('image_generation_call');
    }
  });

  it.each([
    ['chat', 'deepseek-chat'],
    ['anthropic', 'claude-2.1'],
  ])('is said in words to a model that reads none (%s %s)', async (name, model) => {
    const reply = await replyOf('responses', responsesStream(CALL, SAID));

    const text = JSON.stringify(await sentTo(name, after(reply), model));

    expect(text).toContain(`${NAME}: not shown here]`);
    expect(text).not.toContain(PNG);
  });

  it('is said in words when it is larger than every service takes', async () => {
    const bytes = (size: number) => Buffer.alloc(size).toString('base64');
    const texts = [3_750_000, 3_750_001].map(async (size) => {
      const reply = await replyOf('responses', responsesStream({ ...CALL, result: bytes(size) }, SAID));
      return JSON.stringify(await sentTo('anthropic', after(reply)));
    });

    const [shown, told] = await Promise.all(texts);

    expect(shown).toContain('Pictures of the reply:');
    expect(told).not.toContain('Pictures of the reply:');
    expect(told).toContain('not shown here]');
  });

  it('stands behind its reply without another one in between, where results came before that', async () => {
    const results: Message = {
      id: 'r',
      createdAt: '',
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: 'c1', name: 'echo', output: 'a', isError: false }],
    };
    const calling = await replyOf('responses', responsesStream(echo));
    const reply = await replyOf('responses', responsesStream(CALL, SAID));
    const history = [userMessage('Draw.'), calling, results, reply, userMessage('Bluer.')];

    const { messages } = await sentTo('chat', history, 'mistral-medium-latest');

    const roles = (messages as readonly { readonly role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'user']);
  });

  it('is said in words where results follow the reply', async () => {
    const { content, ...reply } = await replyOf('responses', responsesStream(CALL, echo));
    const calling: Message = { ...reply, content };
    const results: Message = {
      id: 'r',
      createdAt: '',
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: 'c1', name: 'echo', output: 'a', isError: false }],
    };

    const { messages } = await sentTo('anthropic', [userMessage('Draw.'), calling, results]);

    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: `${NAME}: not shown here]` }, { type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result' }] },
    ]);
  });
});

describe('image_generation', () => {
  it.each([
    ['gemini', 'gemini-3-pro-preview', {}, 'makes no pictures'],
    ['gemini', 'gemini-3-pro-image-preview', { size: '1024x1024' }, 'size 1024x1024'],
    ['gemini', 'gemini-3-pro-image-preview', { quality: 'high' }, 'quality'],
    ['responses', 'gpt-5', { size: '2K' }, 'size 2K'],
    ['responses', 'gpt-5', { aspectRatio: '16:9' }, 'aspectRatio'],
  ] as const)('refuses by name what the service does not have: %s %s %j', (name, model, fields, word) => {
    const made = createModel(providerOf(name).config('http://127.0.0.1:9'), model);

    expect(() => made.checkOptions?.({ serviceTools: [{ type: 'image_generation', ...fields }] })).toThrow(word);
  });

  it('beside functions is no tool for Gemini, and asks for no other mode of calls', async () => {
    const server = await wireServer({ body: geminiStream(PART) });
    const model = createModel(providerOf('gemini').config(server.url), 'gemini-3-pro-image-preview');
    const options = { serviceTools: [{ type: 'image_generation', size: '2K', aspectRatio: '16:9' }] } as const;
    const { signal } = new AbortController();

    await collect(model.stream({ instruction: '', messages: [userMessage('Draw.')], tools: [], signal, options }));

    const body = JSON.parse(server.requests[0]?.body ?? '') as object;
    await server.close();
    const imageConfig = { imageSize: '2K', aspectRatio: '16:9' };
    expect(body).toMatchObject({ generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig } });
    for (const field of ['tools', 'toolConfig']) expect(body).not.toHaveProperty(field);
  });
});
