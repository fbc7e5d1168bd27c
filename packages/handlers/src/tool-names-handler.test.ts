import { fc, test } from '@fast-check/vitest';
import type { AgentEvent } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, configOf, run, tool } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';
import { type ToolNames, toolNamesHandler } from './tool-names-handler.ts';

const TOOLS = ['a', 'b', 'c', 'toString', 'constructor2'];

/** Which tools are offered, and which run when the model asks for them anyway. */
async function judged(names: ToolNames) {
  const pipeline = new Pipeline([toolNamesHandler(names)]);
  const { tools } = await pipeline.beforeAgent(configOf(...TOOLS.map((name) => tool(name))), run());
  const answers = await Promise.all(
    TOOLS.map((name) => collect(pipeline.callTool(callOf(tool(name)), answering(name), run()))),
  );
  return {
    offered: tools.map((meta) => meta.tool.name),
    ran: answers.flatMap(({ value }) => (value.isError ? [] : [value.output])),
    answers,
  };
}

describe('toolNamesHandler', () => {
  const names = fc.option(fc.subarray(TOOLS), { nil: undefined });

  test.prop([names, names])(
    'offers and runs exactly what is allowed and not disallowed',
    async (allowed, disallowed) => {
      const expected = TOOLS.filter((name) => (allowed?.includes(name) ?? true) && !disallowed?.includes(name));

      const { offered, ran } = await judged({ ...(allowed ? { allowed } : {}), ...(disallowed ? { disallowed } : {}) });

      expect(offered).toEqual(expected);
      expect(ran).toEqual(expected);
    },
  );

  it('answers a refused call as not run, and goes by the whole name', async () => {
    const { answers, offered } = await judged({ allowed: ['a'], disallowed: ['A'] });

    expect(offered).toEqual(['a']);
    expect(answers[1]?.value).toEqual({ output: 'b is not available', isError: true, interrupted: 'not_run' });
  });

  it('refuses also what a handler outside of it has renamed', async () => {
    const rename = {
      name: 'rename',
      wrapToolCall: (call: never, next: (call: never) => never) => next({ ...(call as object), name: 'b' } as never),
    };
    const pipeline = new Pipeline([rename, toolNamesHandler({ disallowed: ['b'] })]);

    const { value } = await collect(pipeline.callTool(callOf(tool('a')), answering(), run()));

    expect(value.isError).toBe(true);
  });

  it('refuses a tool that is hidden by its own name, whatever it was asked for as', async () => {
    const pipeline = new Pipeline([toolNamesHandler({ disallowed: ['b'] })]);

    const { value } = await collect(pipeline.callTool({ ...callOf(tool('b')), name: 'a' }, answering(), run()));

    expect(value.isError).toBe(true);
  });

  it.each(['Bash(rm *)', 'Read(**)', '(', 7, null])('refuses the rule %j: it is about whole tools', (rule) => {
    expect(() => toolNamesHandler({ allowed: [rule as string] })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/autoApprove|not a text/) }),
    );
    expect(() => toolNamesHandler({ disallowed: [rule as string] })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  it.each([{ disallowedTools: ['Bash'] }, { disallowed: 'Bash' }, { allowed: ['*'] }, null, [], () => ({})])(
    'refuses %j: as options it would hide nothing',
    (options) => {
      expect(() => toolNamesHandler(options as never)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
    },
  );

  it('tells once a run of the names that no tool bears, with the nearest one', async () => {
    const names = { allowed: ['Read', 'Raed'], disallowed: ['Wirte'], mentioned: ['Bash(git *)', 'Read(x)', 'Raed'] };
    const handler = toolNamesHandler(names);
    const events: AgentEvent[] = [];
    const context = { ...run(), emit: (event: AgentEvent) => void events.push(event) };

    await handler.beforeAgent!(configOf(tool('Read'), tool('Write'), tool('Bash')), context);
    await handler.beforeAgent!(configOf(tool('Read')), { ...context, depth: 1 });

    expect(events).toEqual([
      {
        type: 'notification',
        kind: 'unknown_tool_name',
        message: expect.stringMatching(/Raed \(the nearest is Read\), Wirte \(the nearest is Write\);/),
      },
    ]);
  });
});
