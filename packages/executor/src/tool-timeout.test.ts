import { type AgentHandler, sleep } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { agent, cast, tasks, withAgents } from '../test/subagents.ts';
import { runAgent } from './run-agent.ts';

const stuck = () => toolNamed('stuck', () => new Promise(() => undefined));
const timedOut = expect.objectContaining({ code: 'TIMEOUT', timeoutMs: 10 });

describe('a tool that is out of time', () => {
  it('is an error for the model, when nothing else is said', async () => {
    const { options } = runOptions([calls('stuck'), { text: 'I see.' }], { tools: [stuck()], toolTimeout: 10 });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages).slice(2)).toEqual([
      'tool: Execution timeout after 10ms; the tool was stopped',
      'assistant: I see.',
    ]);
  });

  it('ends the run with onToolTimeout `throw`, after the calls beside it are answered', async () => {
    const { options, journal, model } = runOptions([calls('stuck', 'echo')], {
      tools: [stuck(), echo()],
      toolTimeout: 10,
      onToolTimeout: 'throw',
    });

    await expect(collect(runAgent(options))).rejects.toEqual(timedOut);

    const results = recordsOf(journal, 'tool_finished').map(({ callId, result }) => [callId, result.interrupted]);
    expect(results).toEqual([
      ['echo1', undefined],
      ['stuck0', 'unknown'],
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('ends the run with onToolTimeout `throw` whatever a handler makes of the result', async () => {
    const handler: AgentHandler = {
      name: 'hides',
      async *wrapToolCall(call, next) {
        yield* next(call);
        return { output: 'All is well.', isError: false };
      },
    };
    const parts = { tools: [stuck()], toolTimeout: 10, onToolTimeout: 'throw', handlers: [handler] } as const;
    const { options } = runOptions([calls('stuck')], parts);

    await expect(collect(runAgent(options))).rejects.toEqual(timedOut);
  });

  it('is not one that had to wait for a permission: only its own time counts', async () => {
    const asks: AgentHandler = {
      name: 'asks',
      async *wrapToolCall(call, next) {
        await sleep(40);
        return yield* next(call);
      },
    };
    const parts = { tools: [echo()], toolTimeout: 20, onToolTimeout: 'throw', handlers: [asks] } as const;
    const { options } = runOptions([calls('echo'), { text: 'Done.' }], parts);

    expect((await collect(runAgent(options))).value.subtype).toBe('success');
  });

  it('does not end a run whose tools are in time', async () => {
    const parts = { toolTimeout: 10_000, onToolTimeout: 'throw' } as const;
    const { options } = runOptions([calls('echo'), { text: 'Done.' }], parts);

    expect((await collect(runAgent(options))).value.subtype).toBe('success');
  });

  it('ends the runs around a subagent too', async () => {
    const script = cast({ main: [tasks('helper'), { text: 'Thanks.' }], helper: [calls('stuck'), { text: 'Done.' }] });
    const parts = { tools: [stuck()], toolTimeout: 10, onToolTimeout: 'throw' } as const;
    const { options } = withAgents(script, [agent('helper')], parts);

    await expect(collect(runAgent(options))).rejects.toEqual(timedOut);
  });
});
