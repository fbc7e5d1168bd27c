import { fc, test } from '@fast-check/vitest';
import type { AgentHandler, Tool } from '@x/core';
import { collect } from '@x/core/testing';
import { telemetryHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { recordedSpans } from '../test/recorded-spans.ts';
import { calls, echo, type RunParts, runOptions, toolNamed } from '../test/run-options.ts';
import { liveRun, runAgent } from './index.ts';

/** A run of the real loop under telemetry. */
function tracedRun(script: Parameters<typeof runOptions>[0], parts: RunParts = {}) {
  const recorded = recordedSpans();
  const telemetry = telemetryHandler({ tracer: recorded.tracer });
  const { options } = runOptions(script, { ...parts, handlers: [telemetry, ...(parts.handlers ?? [])] });
  return { ...recorded, telemetry, options, stream: runAgent(options) };
}

const never = new Promise<never>(() => undefined);
const onceEach = (spans: readonly { ends: number }[]) => spans.every(({ ends }) => ends === 1);

describe('runAgent under telemetry', () => {
  it('has the calls of a reply below the run, and what they start below them', async () => {
    const seen: (string | undefined)[] = [];
    const looks = toolNamed('looks', async () => void seen.push(activeName()));
    const { stream, tree, spans, activeName } = tracedRun([calls('echo', 'looks', 'looks'), { text: 'done' }], {
      tools: [echo(), looks],
    });

    await collect(stream);

    expect(tree()).toEqual([
      'invoke_agent main',
      '  chat scripted',
      '  execute_tool echo',
      '  execute_tool looks',
      '  execute_tool looks',
      '  chat scripted',
    ]);
    expect(seen).toEqual(['execute_tool looks', 'execute_tool looks']);
    expect(onceEach(spans)).toBe(true);
  });

  it('says which model the run asks, also when the call fails', async () => {
    const { stream, named } = tracedRun([{ error: new Error('x') }]);

    await expect(collect(stream)).rejects.toThrow('x');

    expect(named('chat scripted').attributes).toMatchObject({
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted',
      'error.type': 'Error',
    });
    expect(named('invoke_agent main')).toMatchObject({ failed: true, ends: 1 });
  });

  it('has the run of a subagent below the call that started it', async () => {
    const task: Tool = toolNamed('Task', async (_, { run, callId }) => {
      const { signal, journal } = run;
      const child = runOptions([{ text: 'x' }], { handlers: [telemetry] }).options;
      const facts = { sessionId: 's', runId: 'r', messageId: 'm', agentName: 'helper', depth: 1, signal };
      const own = liveRun({ ...facts, journal: journal.child(callId), parent: { run, callId } });
      await collect(runAgent({ ...child, run: own }));
    });
    const { stream, tree, telemetry, spans } = tracedRun([calls('Task'), {}], { tools: [task] });

    await collect(stream);

    expect(tree()).toEqual([
      'invoke_agent main',
      '  chat scripted',
      '  execute_tool Task',
      '    invoke_agent helper',
      '      chat scripted',
      '  chat scripted',
    ]);
    expect(onceEach(spans)).toBe(true);
  });

  it('ends the span of a tool that ignores the abort', async () => {
    const abort = new AbortController();
    const deaf = toolNamed('deaf', () => never);
    const { stream, spans, named } = tracedRun([calls('deaf')], { tools: [deaf], signal: abort.signal });
    for await (const event of stream) if (event.type === 'tool_started') setImmediate(() => abort.abort());

    expect(named('execute_tool deaf').attributes['error.type']).toBe('aborted');
    expect(named('invoke_agent main').attributes['agent_sdk.outcome']).toBe('aborted');
    expect(onceEach(spans)).toBe(true);
  });

  it('ends the span of a model call that an abort has left behind', async () => {
    const abort = new AbortController();
    const hangs: AgentHandler = {
      name: 'hangs',
      async *wrapModelCall() {
        yield { type: 'content', delta: 'a' };
        return await never;
      },
    };
    const { stream, spans, named } = tracedRun([{}], { handlers: [hangs], signal: abort.signal });
    for await (const event of stream) if (event.type === 'content') setImmediate(() => abort.abort());

    expect(named('chat scripted').attributes['agent_sdk.outcome']).toBe('aborted');
    expect(onceEach(spans)).toBe(true);
  });

  it('says that a run ended at its limit of turns', async () => {
    const { stream, named } = tracedRun([calls('echo'), calls('echo')], { maxTurns: 1 });

    await collect(stream);

    expect(named('invoke_agent main').attributes['agent_sdk.outcome']).toBe('max_turns');
  });

  const turns = fc.array(fc.array(fc.constantFrom('echo', 'fails', 'slow', 'missing'), { maxLength: 4 }), {
    maxLength: 4,
  });
  const how = fc.constantFrom('reads', 'leaves', 'aborts', 'model fails', 'observer fails', 'call fails');
  test.prop([turns, how, fc.nat(25)])('ends every span exactly once, however the run ends', async (named, end, at) => {
    const abort = new AbortController();
    let events = 0;
    const breaks: AgentHandler = {
      name: 'breaks',
      async *wrapToolCall(call, next) {
        if (end === 'call fails' && events > at) throw new Error('call');
        return yield* next(call);
      },
      onEvent() {
        if (end === 'observer fails' && events > at) throw new Error('observer');
      },
    };
    const script = (_: unknown, turn: number) => {
      const error = end === 'model fails' && events > at ? { error: new Error('model') } : {};
      return { text: ['a', 'b'], ...error, ...calls(...(named[turn - 1] ?? [])) };
    };
    const slow = toolNamed('slow', () => new Promise((resolve) => setImmediate(resolve)));
    const fails = toolNamed('fails', () => Promise.reject(new Error('x')));
    const { stream, spans } = tracedRun(script, {
      tools: [echo(), slow, fails],
      handlers: [breaks],
      signal: abort.signal,
    });

    try {
      for await (const _ of stream) {
        events += 1;
        if (events > at && end === 'leaves') break;
        if (events > at && end === 'aborts') abort.abort();
      }
    } catch {
      // however it ends
    }

    expect(onceEach(spans)).toBe(true);
    expect(spans.filter(({ parent }) => !parent)).toHaveLength(spans.length > 0 ? 1 : 0);
  });
});
