import { fc, test } from '@fast-check/vitest';
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
    'offers and runs exactly what is allowed and not disallowed (S05g, S05h, P05)',
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

  it.each(['Bash(rm *)', 'Read(**)', '(', 7, null])('refuses the rule %j, which needs patterns', (rule) => {
    expect(() => toolNamesHandler({ allowed: [rule as string] })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    expect(() => toolNamesHandler({ disallowed: [rule as string] })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });
});
