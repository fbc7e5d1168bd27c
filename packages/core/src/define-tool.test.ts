import { ValidationError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool, isTool, type ToolDefinition, type ToolOutput, toResult } from './define-tool.ts';
import { collect } from './testing/collect.ts';
import type { Tool, ToolContext } from './tool.ts';

const context = (): ToolContext => ({ callId: 'call-1', signal: new AbortController().signal }) as ToolContext; // the tools below read no more
const input = z.object({ text: z.string() });
const minimal = { name: 'echo', description: 'd', inputSchema: input, execute: async () => 'ok' };
const returning = (output: ToolOutput): Tool => defineTool({ ...minimal, execute: async () => output }) as Tool; // parse is not called
const run = (tool: Tool) => collect(tool.execute({}, context()));

describe('defineTool', () => {
  it('chooses carefully when nothing is said', () => {
    expect(defineTool(minimal)).toMatchObject({
      name: 'echo',
      kind: 'execute',
      effect: 'non_idempotent',
      parallelSafe: false,
      streaming: false,
    });
    expect(defineTool(minimal)).not.toHaveProperty('subject');
  });

  it('takes a readonly tool for pure and safe beside others', () => {
    expect(defineTool({ ...minimal, kind: 'readonly' })).toMatchObject({ effect: 'pure', parallelSafe: true });
    expect(defineTool({ ...minimal, kind: 'write' })).toMatchObject({ effect: 'non_idempotent', parallelSafe: false });
  });

  it('takes every option as given', () => {
    const options = { kind: 'readonly', effect: 'idempotent', parallelSafe: false, streaming: true } as const;

    expect(defineTool({ ...minimal, ...options })).toMatchObject(options);
  });

  it('hands the parsed input and the context to execute', async () => {
    const execute = vi.fn<ToolDefinition<typeof input>['execute']>(async () => 'ok');
    const tool = defineTool({ ...minimal, execute });
    const given = context();

    await collect(tool.execute(tool.inputSchema.parse({ text: 'x' }), given));

    expect(execute).toHaveBeenCalledWith({ text: 'x' }, given);
  });

  it('keeps this of a definition that has state', async () => {
    const definition = {
      ...minimal,
      count: undefined,
      prefix: '> ',
      async execute({ text }: { text: string }) {
        return this.prefix + text;
      },
      subject({ text }: { text: string }) {
        return { type: 'command' as const, line: this.prefix + text };
      },
    };
    const { count: _, prefix, ...plain } = definition;
    const tool = defineTool(Object.assign(Object.create({ prefix }) as object, plain));

    const { value } = await collect(tool.execute({ text: 'x' }, context()));

    expect(value.output).toBe('> x');
    expect(tool.subject?.({ text: 'x' })).toEqual({ type: 'command', line: '> x' });
  });

  it('passes on what execute throws', async () => {
    const tool = defineTool({ ...minimal, execute: () => Promise.reject(new Error('below')) });

    await expect(collect(tool.execute({ text: '' }, context()))).rejects.toThrow('below');
  });

  it('does not call execute before it is pulled', async () => {
    const execute = vi.fn<() => Promise<string>>(async () => 'ok');
    const stream = defineTool({ ...minimal, execute }).execute({ text: '' }, context());

    await stream.return(undefined as never);

    expect(execute).not.toHaveBeenCalled();
  });

  it.each(['a', 'Read', 'run_command', 'mcp__a__b', 'kebab-name', 'x'.repeat(64)])('accepts the name %s', (name) => {
    expect(defineTool({ ...minimal, name }).name).toBe(name);
  });

  it.each(['', ' ', '1a', '_a', 'a b', 'a.b', 'ünicode', 'x'.repeat(65), 'constructor', 'prototype', '__proto__', 7])(
    'refuses the name %j',
    (name) => {
      expect(() => defineTool({ ...minimal, name: name as string })).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'name' }),
      );
    },
  );

  it.each([
    ['description', { description: ' ' }],
    ['execute', { execute: 'echo' }],
    ['kind', { kind: 'delete' }],
    ['effect', { effect: 'none' }],
    ['timeout', { timeout: 5 }],
  ])('refuses a definition whose %s does not fit, naming it', (field, change) => {
    expect(() => defineTool({ ...minimal, ...change } as never)).toThrow(
      expect.objectContaining({ name: 'ValidationError', field, message: expect.stringContaining('echo') }),
    );
  });

  it('refuses an input schema that is none', () => {
    expect(() => defineTool({ ...minimal, inputSchema: { parser: 'object' } })).toThrow(ValidationError);
  });
});

describe('what a tool returns', () => {
  it('a text is the output', async () => {
    expect((await run(returning('hello'))).value).toStrictEqual({ output: 'hello', isError: false });
  });

  it('an object is sent as JSON and kept as data', async () => {
    const answer = { a: [1] };

    const { value } = await run(returning(answer));

    expect(value).toStrictEqual({ output: '{"a":[1]}', isError: false, data: answer });
    expect(value.data).toBe(answer);
  });

  it.each([
    [undefined, ''],
    [null, ''],
    [0, '0'],
    [false, 'false'],
    [[], '[]'],
    [() => 1, '[function]'],
  ])('%s becomes the output %j and stays as data', (answer, output) => {
    expect(toResult(answer)).toStrictEqual({ output, isError: false, data: answer });
  });

  it('parts are joined text and images', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
    const parts = [{ type: 'text', text: 'see ' }, image, { type: 'text', text: 'this' }];

    const { value } = await run(returning(parts));

    expect(value).toStrictEqual({ output: 'see this', isError: false, data: parts, images: [image] });
  });

  it('parts that are files are its files', () => {
    const file = { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'r.pdf' };
    const parts = [{ type: 'text', text: 'see' }, file];

    expect(toResult(parts)).toStrictEqual({ output: 'see', isError: false, data: parts, files: [file] });
    expect(toResult([{ ...file, data: 7 }])).not.toHaveProperty('files');
  });

  it('text parts alone have no images and no files', () => {
    expect(toResult([{ type: 'text', text: 'x' }])).toStrictEqual({
      output: 'x',
      isError: false,
      data: [{ type: 'text', text: 'x' }],
    });
  });

  it.each([[[{ type: 'text' }]], [[{ type: 'image', data: 'x' }]], [[null]]])('%j is no list of parts', (value) => {
    expect(toResult(value).output).toBe(JSON.stringify(value));
  });

  it('a result is taken as it is', () => {
    const result = { output: 'failed', isError: true };

    expect(toResult(result)).toBe(result);
  });
});

describe('a tool that streams', () => {
  it('is recognised by its generator', () => {
    expect(defineTool({ ...minimal, execute: async function* () {} }).streaming).toBe(true);
  });

  it('yields text as progress of its call, and events as they are', async () => {
    const notification = { type: 'notification', kind: 'test', message: 'half' } as const;
    const tool = defineTool({
      ...minimal,
      async *execute() {
        yield 'one ';
        yield notification;
        yield 'two';
      },
    });

    const { events, value } = await collect(tool.execute({ text: '' }, context()));

    expect(events).toEqual([
      { type: 'tool_progress', id: 'call-1', delta: 'one ' },
      notification,
      { type: 'tool_progress', id: 'call-1', delta: 'two' },
    ]);
    expect(value).toEqual({ output: 'one two', isError: false });
  });

  it('answers with what it returns, when it returns something', async () => {
    const tool = defineTool({
      ...minimal,
      async *execute() {
        yield 'progress';
        return { total: 1 };
      },
    });

    const { value } = await collect(tool.execute({ text: '' }, context()));

    expect(value.data).toEqual({ total: 1 });
  });

  it('may also be a function that returns a generator, when it says so', async () => {
    async function* inner() {
      yield 'x';
    }
    const tool = defineTool({ ...minimal, streaming: true, execute: () => inner() });

    expect((await collect(tool.execute({ text: '' }, context()))).value.output).toBe('x');
  });

  it('runs its finally when the reader leaves early', async () => {
    const closed = vi.fn<() => void>();
    const tool = defineTool({
      ...minimal,
      async *execute() {
        try {
          yield 'one';
          yield 'two';
        } finally {
          closed();
        }
      },
    });

    for await (const _ of tool.execute({ text: '' }, context())) break;

    expect(closed).toHaveBeenCalledOnce();
  });

  it('runs its finally when the reader throws into it, and passes on what it throws itself', async () => {
    const closed = vi.fn<() => void>();
    const tool = defineTool({
      ...minimal,
      async *execute() {
        try {
          yield 'one';
          throw new Error('below');
        } finally {
          closed();
        }
      },
    });
    const stream = tool.execute({ text: '' }, context());
    await stream.next();

    await expect(stream.throw(new Error('from above'))).rejects.toThrow('from above');
    expect(closed).toHaveBeenCalledOnce();
    await expect(collect(tool.execute({ text: '' }, context()))).rejects.toThrow('below');
  });
});

describe('defineTool', () => {
  it('refuses a generator that is not async, whose output would be lost', () => {
    const execute = function* () {
      yield 'text';
    };

    expect(() => defineTool({ ...minimal, execute: execute as never })).toThrow(
      expect.objectContaining({ field: 'execute', message: expect.stringContaining('write async *execute') }),
    );
  });
});

describe('isTool', () => {
  it('tells tools from definitions', () => {
    expect(isTool(defineTool(minimal))).toBe(true);
    expect(isTool(minimal)).toBe(false);
    expect(isTool({ ...minimal, inputSchema: { json: {}, parse: (value: unknown) => value } })).toBe(false);
  });

  it.each([null, undefined, {}, { inputSchema: null }])('says no to %j', (value) => {
    expect(isTool(value as never)).toBe(false);
  });
});
