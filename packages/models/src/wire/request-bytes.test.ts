import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type Message, type ModelRequest, objectSchema, type Tool, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { chatFormat } from '../openai-chat/to-request.ts';
import { RequestBytes } from './request-bytes.ts';

const signal = new AbortController().signal;
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => {
  return { instruction: 'Be brief.', messages, tools: [], signal, ...more };
};
const tool = (name: string): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: objectSchema({ text: { type: 'string', description: 'What.' } }),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: '', isError: false };
  },
});

const format = chatFormat('m');
/** The same body, made the simple way. */
function simply(asked: ModelRequest): string {
  const head = format.head(asked, format.tools(asked));
  const messages = asked.messages.flatMap((message) => format.messages(message)).map((wire) => JSON.stringify(wire));
  return `${head}${head.endsWith('[') || messages.length === 0 ? '' : ','}${messages.join(',')}]}`;
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud83d', 'a\udc00b', '\u{1F30D}'.repeat(900)),
);
const id = fc.uuid();
const createdAt = fc.constant('2026-11-21T00:00:00.000Z');
const image = fc.record({
  type: fc.constant('image' as const),
  mediaType: fc.constant('image/png'),
  data: fc.base64String(),
});
const textBlock = fc.record({ type: fc.constant('text' as const), text });
const thinking = fc.record({ type: fc.constant('thinking' as const), text });
const call = fc.record({
  type: fc.constant('tool_use' as const),
  id,
  name: fc.constant('echo'),
  input: fc.jsonValue(),
});
const result = fc.record(
  {
    type: fc.constant('tool_result' as const),
    toolUseId: id,
    name: fc.constant('echo'),
    output: text,
    isError: fc.boolean(),
    images: fc.array(image, { maxLength: 2 }),
  },
  { requiredKeys: ['type', 'toolUseId', 'name', 'output', 'isError'] },
);
const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    id,
    createdAt,
    role: fc.constant('user' as const),
    content: fc.array(fc.oneof(textBlock, image), { maxLength: 3 }),
  }),
  fc.record({ id, createdAt, role: fc.constant('tool' as const), content: fc.array(result, { maxLength: 3 }) }),
  fc.record({
    id,
    createdAt,
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(textBlock, thinking, call), { maxLength: 4 }),
    provider: fc.constant('anthropic'),
    model: fc.constant('m'),
    usage: fc.constant(usage),
    stopReason: fc.constantFrom<AssistantMessage['stopReason'][]>('end', 'tool_use', 'interrupted'),
  }),
);
/** What may happen to a history between two calls. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), messages: fc.array(message, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat({ max: 12 }) }),
  fc.record({
    kind: fc.constant('replace' as const),
    at: fc.nat({ max: 12 }),
    messages: fc.array(message, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('instruct' as const), instruction: fc.oneof(fc.constant(''), text) }),
  fc.record({ kind: fc.constant('equip' as const), names: fc.subarray(['echo', 'read', 'grep']) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function taken(before: ModelRequest, next: Step): ModelRequest {
  if (next.kind === 'append') return { ...before, messages: [...before.messages, ...next.messages] };
  if (next.kind === 'cut') return { ...before, messages: before.messages.slice(0, next.at) };
  if (next.kind === 'replace') return { ...before, messages: before.messages.toSpliced(next.at, 1, ...next.messages) };
  if (next.kind === 'instruct') return { ...before, instruction: next.instruction };
  return { ...before, tools: next.names.map(tool) };
}

describe('RequestBytes', () => {
  test.prop([fc.array(fc.tuple(step, fc.boolean()), { maxLength: 14, size: 'max' })], { numRuns: 400 })(
    'makes the bytes that JSON.stringify makes, however the history changes, and leaves those alone that are under way',
    (steps) => {
      const bytes = new RequestBytes(chatFormat('m'));
      const underWay: [bytes: Buffer, expected: string][] = [];
      let present = request([userMessage('Hello')]);

      for (const [next, givenBack] of steps) {
        present = taken(present, next);
        const body = bytes.bodyOf(present);
        expect(body.bytes.toString('utf8')).toBe(simply(present));
        if (givenBack) body.giveBack();
        else underWay.push([body.bytes, simply(present)]);
      }

      for (const [sent, expected] of underWay) expect(sent.toString('utf8')).toBe(expected);
    },
  );

  it('keeps every wire message of a message that makes the buffer grow', () => {
    const output = '\u{1F30D}'.repeat(900);
    const results = ['a', 'b'].map((toolUseId) => ({
      type: 'tool_result' as const,
      toolUseId,
      name: 'echo',
      output,
      isError: false,
    }));
    const present = request([userMessage('Hello'), { id: '1', createdAt: '', role: 'tool', content: results }]);

    expect(new RequestBytes(chatFormat('m')).bodyOf(present).bytes.toString('utf8')).toBe(simply(present));
  });

  it('goes by the message itself and not by its id, and by the form of the answer too', () => {
    const bytes = new RequestBytes(chatFormat('m'));
    const message = userMessage('one');
    const tools = [tool('echo')];
    const outputFormat = { name: 'o', schema: { type: 'object' }, strict: false };
    const present = [
      request([message], { tools }),
      request([{ ...message, content: [{ type: 'text', text: 'rewritten' }] }], { tools }),
      request([message], { tools, outputFormat }),
      request([message], { tools, outputFormat: { ...outputFormat, name: 'p' } }),
      request([message], { tools }),
    ];

    for (const each of present) expect(bytes.bodyOf(each).bytes.toString('utf8')).toBe(simply(each));
  });

  it('serialises a message and a list of tools only once', () => {
    let conversions = 0;
    const counted = (message: Message): Message =>
      new Proxy(message, { get: (target, key) => (key === 'role' && conversions++, Reflect.get(target, key)) });
    const history = [counted(userMessage('one')), counted(userMessage('two'))];
    const tools = [tool('echo')];
    const bytes = new RequestBytes(chatFormat('m'));

    bytes.bodyOf(request(history, { tools })).giveBack();
    const afterOne = conversions;
    bytes.bodyOf(request([...history, userMessage('three')], { tools })).giveBack();

    expect(conversions).toBe(afterOne);
  });

  it('lends the same buffer again once a body was given back, and never while it is out', () => {
    const bytes = new RequestBytes(chatFormat('m'));
    const history = [userMessage('one')];

    const first = bytes.bodyOf(request(history));
    const second = bytes.bodyOf(request(history));
    second.giveBack();
    const third = bytes.bodyOf(request(history));

    expect(second.bytes.buffer).not.toBe(first.bytes.buffer);
    expect(third.bytes.buffer).toBe(second.bytes.buffer);
  });

  it('keeps everything before the messages byte-identical from turn to turn', () => {
    const bytes = new RequestBytes(chatFormat('m'));
    const history: Message[] = [userMessage('one')];
    const heads = new Set<string>();

    for (let turn = 0; turn < 5; turn++) {
      // a fresh list of the same tools, as a careless caller makes one
      const body = bytes.bodyOf(request([...history], { tools: [tool('echo'), tool('read')] })).bytes.toString('utf8');
      heads.add(body.slice(0, body.indexOf('{"role":"user"')));
      history.push(userMessage(`turn ${turn}`));
    }

    expect(heads.size).toBe(1);
  });

  it('asks for the wished form of the answer', () => {
    const outputFormat = { name: 'answer', schema: { type: 'object' }, strict: true };
    const { bytes } = new RequestBytes(chatFormat('m')).bodyOf(request([userMessage('x')], { outputFormat }));

    expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
      },
    });
  });

  it('is valid JSON even without an instruction and without a message', () => {
    const { bytes } = new RequestBytes(chatFormat('m')).bodyOf(request([], { instruction: '' }));

    expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ messages: [] });
  });
});
