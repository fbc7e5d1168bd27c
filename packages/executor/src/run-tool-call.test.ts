import { getEventListeners } from 'node:events';
import type { AgentEvent, Journal, Tool, ToolCall, ToolContext } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { echo, recordsOf, toolNamed } from '../test/run-options.ts';
import { checkInput } from './check-input.ts';
import { memoryJournal } from './memory-journal.ts';
import { liveRun } from './run-context.ts';
import { runToolCall, type ToolCallOptions } from './run-tool-call.ts';

function callOf(tool: Tool | undefined, input: unknown = {}, signal = new AbortController().signal): ToolCall {
  return {
    id: 'c1',
    name: tool?.name ?? 'missing',
    input,
    tool,
    workspace: memoryWorkspace({ env: { A: '1' } }),
    signal,
  };
}

function optionsFor(journal: Journal = memoryJournal(), more: Partial<ToolCallOptions> = {}): ToolCallOptions {
  const signal = new AbortController().signal;
  return {
    run: liveRun({ sessionId: 's', runId: 'r', agentName: 'main', messageId: 'm', depth: 0, signal, journal }),
    checked: undefined,
    limits: {},
    ...more,
  };
}

describe('runToolCall', () => {
  it('records tool_started, durable, before the tool is touched (ZD06)', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const journal = { ...memoryJournal(), write: () => gate.promise.then(() => void order.push('durable')) };
    const tool = toolNamed('t', async () => void order.push('executed'));
    const stream = runToolCall(callOf(tool), optionsFor(journal));

    const first = await stream.next();
    const second = stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    const before = [...order];
    gate.resolve();
    await second;

    expect(first.value).toEqual({ type: 'tool_started', id: 'c1' });
    expect(before).toEqual([]);
    expect(order).toEqual(['durable', 'executed']);
  });

  it('does not touch the tool when the record is refused', async () => {
    let executed = false;
    const journal = { ...memoryJournal(), write: () => Promise.reject(new Error('fenced')) };
    const tool = toolNamed('t', async () => void (executed = true));

    await expect(collect(runToolCall(callOf(tool), optionsFor(journal)))).rejects.toThrow('fenced');

    expect(executed).toBe(false);
  });

  it('gives the tool its context (Q17)', async () => {
    let seen: ToolContext | undefined;
    const tool = toolNamed('t', async (_, context) => void (seen = context));
    const options = optionsFor();

    await collect(runToolCall(callOf(tool), options));

    expect(seen).toMatchObject({
      sessionId: 's',
      callId: 'c1',
      idempotencyKey: 's:c1',
      cwd: '/workspace',
      env: { A: '1' },
    });
    expect(seen?.run).toBe(options.run);
  });

  it('records the key, the effect and the input as the model gave it (ZD06, Q16)', async () => {
    const journal = memoryJournal();
    const input = { text: 'a' };

    await collect(runToolCall(callOf(echo({ effect: 'idempotent' }), input), optionsFor(journal)));

    expect(recordsOf(journal, 'tool_started')).toEqual([
      { type: 'tool_started', callId: 'c1', name: 'echo', input, effect: 'idempotent', idempotencyKey: 's:c1' },
    ]);
  });

  it.each([
    ['an unknown tool', callOf(undefined), 'Tool not found: missing'],
    ['an input that does not fit', callOf(echo(), { text: 1 }), 'Invalid input for echo: text must be a string'],
    [
      'an input with several faults, all of them',
      callOf(echo(), { txt: 1 }),
      'Invalid input for echo: text is required; txt is not known; known are text',
    ],
  ])('answers %s with an error, and records no start (Q04)', async (_, call, output) => {
    const journal = memoryJournal();

    const { value, events } = await collect(runToolCall(call, optionsFor(journal)));

    expect(value).toEqual({ output, isError: true });
    expect(events).toEqual([]);
    expect(journal.records).toEqual([]);
  });

  it('parses once when no handler has changed the call', async () => {
    let parsed = 0;
    const tool: Tool = { ...echo(), inputSchema: { json: {}, parse: (value) => (parsed++, { ...(value as object) }) } };
    const checked = checkInput(tool, { text: 'a' });
    const given = 'fault' in checked ? undefined : checked;

    await collect(runToolCall(callOf(tool, given?.parsed), optionsFor(memoryJournal(), { checked: given })));

    expect(parsed).toBe(1);
  });

  it.each([
    ['the input', (tool: Tool) => callOf(tool, { text: 1 })],
    ['the tool', (tool: Tool) => callOf({ ...tool }, { text: 1 })],
  ])('parses again when a handler has changed %s (A42)', async (_, change) => {
    const tool = echo();
    const checked = { tool, raw: { text: 'a' }, parsed: { text: 'a' }, before: { text: 'a' } };

    const { value } = await collect(runToolCall(change(tool), optionsFor(memoryJournal(), { checked })));

    expect(value).toMatchObject({ isError: true, output: expect.stringContaining('text must be a string') });
  });

  it('makes the failure of a tool a result', async () => {
    const tool = toolNamed('t', () => Promise.reject(new Error('no luck')));

    expect((await collect(runToolCall(callOf(tool), optionsFor()))).value).toEqual({
      output: 'no luck',
      isError: true,
    });
  });

  it('makes a result that is none an error', async () => {
    const tool: Tool = {
      ...toolNamed('t', async () => ''),
      // oxlint-disable-next-line require-yield
      async *execute() {
        return undefined as never;
      },
    };

    expect((await collect(runToolCall(callOf(tool), optionsFor()))).value.isError).toBe(true);
  });

  it('ends a tool after its time, with an unknown effect, and leaves no listener (Q06)', async () => {
    const signals: AbortSignal[] = [];
    const tool = toolNamed('t', (_, { signal }) => new Promise(() => void signals.push(signal)));
    const { signal } = new AbortController();

    const { value } = await collect(
      runToolCall(callOf(tool, {}, signal), optionsFor(memoryJournal(), { limits: { toolTimeout: 10 } })),
    );

    expect(value).toEqual({
      output: 'Execution timeout after 10ms; the tool was stopped',
      isError: true,
      interrupted: 'unknown',
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('answers an aborted call with an unknown effect, although the tool ignores its signal (S13)', async () => {
    const controller = new AbortController();
    const tool = toolNamed('t', () => new Promise(() => void setImmediate(() => controller.abort())));

    const { value } = await collect(runToolCall(callOf(tool, {}, controller.signal), optionsFor()));

    expect(value).toMatchObject({
      isError: true,
      interrupted: 'unknown',
      output: expect.stringContaining('effect is not known'),
    });
  });

  it('passes progress on as it comes, and bounds the output (E19)', async () => {
    const tool = toolNamed('t', async function* () {
      yield 'x'.repeat(100);
      yield 'y'.repeat(100);
    });

    const { events, value } = await collect(
      runToolCall(callOf(tool), optionsFor(memoryJournal(), { limits: { maxToolOutputBytes: 20 } })),
    );

    const progress = (delta: string): AgentEvent => ({ type: 'tool_progress', id: 'c1', delta });
    expect(events.slice(1)).toEqual([progress('x'.repeat(100)), progress('y'.repeat(100))]);
    expect(value.output).toBe('xxxxxxxxxx\n[... 180 bytes of 200 cut ...]\nyyyyyyyyyy');
  });
});
