import { type AssistantMessage, type CallState, type Message, type ToolResult, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, type RunParts, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

/** The reply an interrupted attempt has recorded, made by the same model. */
async function replyOf(...names: string[]): Promise<Message> {
  const request = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
  return (await collect(scriptedModel([calls(...names)]).stream(request))).value;
}

/** A run that goes on behind a reply with these calls, of which the journal knows `states`. */
async function resumed(names: readonly string[], states: Readonly<Record<string, CallState>>, parts: RunParts = {}) {
  const messages = [userMessage('Begin.'), await replyOf(...names)];
  const past = { messages, turns: 1, call: (id: string) => states[id] };
  const run = runOptions([{ text: 'Done.' }], { input: [], past, ...parts });
  const { events, value } = await collect(runAgent(run.options));
  return { ...run, events, value };
}

describe('a run that goes on after a crash', () => {
  it('reuses a finished result, and touches neither the tool nor its wraps (Q18)', async () => {
    const asked: string[] = [];
    const handlers = [
      {
        name: 'h',
        async *wrapToolCall(call: never): AsyncGenerator<never, never> {
          throw asked.push(call);
        },
      },
    ];

    const { journal, value, events } = await resumed(
      ['echo'],
      { echo0: { state: 'finished', result: { output: 'before', isError: false } } },
      { handlers },
    );

    expect(asked).toEqual([]);
    expect(journal.records.map(({ record }) => record.type)).toEqual(['message']);
    expect(linesOf(value.messages)).toEqual(['user: Begin.', 'assistant: <echo>', 'tool: before', 'assistant: Done.']);
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
  });

  it.each(['pure', 'idempotent'] as const)('repeats a started %s call with the same key (Q17, Q18)', async (effect) => {
    const { journal } = await resumed(['echo'], { echo0: { state: 'started', effect } });

    expect(recordsOf(journal, 'tool_started')).toMatchObject([{ idempotencyKey: 's:echo0' }]);
    expect(recordsOf(journal, 'tool_finished')).toMatchObject([{ result: { output: '0', isError: false } }]);
  });

  it('never repeats a started non-idempotent call: its effect is not known (Q18)', async () => {
    const { journal } = await resumed(['echo'], { echo0: { state: 'started', effect: 'non_idempotent' } });

    expect(recordsOf(journal, 'tool_started')).toEqual([]);
    expect(recordsOf(journal, 'tool_finished')).toMatchObject([
      { result: { isError: true, interrupted: 'unknown', output: expect.stringContaining('effect is not known') } },
    ]);
  });

  it('goes by what was recorded about the effect, not by what the tool says now', async () => {
    const { journal } = await resumed(
      ['echo'],
      { echo0: { state: 'started', effect: 'non_idempotent' } },
      { tools: [echo({ effect: 'pure' })] },
    );

    expect(recordsOf(journal, 'tool_started')).toEqual([]);
  });

  it('runs a call of which nothing is known', async () => {
    const { journal } = await resumed(['echo', 'echo'], {
      echo0: { state: 'finished', result: { output: 'before', isError: false } },
    });

    expect(recordsOf(journal, 'tool_started').map(({ callId }) => callId)).toEqual(['echo1']);
  });

  it('records what reconcile answers, before the next model call (Q19)', async () => {
    const reconcile = async () => ({ output: 'settled', isError: false });

    const { journal, model } = await resumed(
      ['echo'],
      { echo0: { state: 'started', effect: 'non_idempotent' } },
      { reconcile },
    );

    expect(recordsOf(journal, 'tool_finished')).toMatchObject([{ result: { output: 'settled' } }]);
    expect(linesOf(model.requests[0]!.messages).at(-1)).toBe('tool: settled');
  });

  it('fails with the error of reconcile, its call answered (A22)', async () => {
    const reconcile = () => Promise.reject(new Error('no connection'));
    const messages = [userMessage('Begin.'), await replyOf('echo')];
    const past = { messages, turns: 1, call: () => ({ state: 'started', effect: 'non_idempotent' }) as const };
    const { options, journal } = runOptions([], { input: [], past, reconcile });

    await expect(collect(runAgent(options))).rejects.toThrow('no connection');

    expect(recordsOf(journal, 'tool_finished')).toMatchObject([{ result: { isError: true, interrupted: 'unknown' } }]);
  });

  it('does not claim that a call was never run which had begun, when it is aborted first', async () => {
    const messages = [userMessage('Begin.'), await replyOf('echo', 'echo')];
    const call = (id: string) => (id === 'echo0' ? ({ state: 'started', effect: 'idempotent' } as const) : undefined);
    const controller = new AbortController();
    const { options, journal } = runOptions([], {
      input: [],
      past: { messages, turns: 1, call },
      signal: controller.signal,
    });
    const stream = runAgent(options);
    await stream.next();

    controller.abort();
    for await (const _ of stream) continue;

    const interrupted = recordsOf(journal, 'tool_finished').map(({ callId, result }) => [callId, result.interrupted]);
    expect(interrupted).toEqual([
      ['echo0', 'unknown'],
      ['echo1', 'not_run'],
    ]);
  });

  it('asks no model when the last reply was an answer already', async () => {
    const answer = (
      await collect(
        scriptedModel([{ text: 'The answer.' }]).stream({
          instruction: '',
          messages: [],
          tools: [],
          signal: new AbortController().signal,
        }),
      )
    ).value;

    const { options, model } = runOptions([], {
      input: [],
      past: { messages: [userMessage('Begin.'), answer], turns: 1 },
    });
    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('success');
    expect(model.requests).toEqual([]);
  });

  it('counts the turns of the interrupted attempt', async () => {
    const { value, events } = await resumed(['echo'], {}, { maxTurns: 1 });

    expect(value.subtype).toBe('max_turns');
    expect(events.filter(({ type }) => type === 'turn_start')).toMatchObject([{ turn: 1 }]);
  });

  it('ends directly when the repeated call does so (A41)', async () => {
    const tools = [toolNamed('answer', async () => 'forty-two')];

    const { value, model } = await resumed(['answer'], {}, { tools, direct: ['answer'] });

    expect(value).toMatchObject({ subtype: 'success', content: 'forty-two' });
    expect(model.requests).toEqual([]);
  });

  describe('behind the answer of a call that returns directly', () => {
    /** A run of `turns` replies so far, whose last reply has this answer. */
    async function answered(result: ToolResult, turns: number) {
      const reply = (await replyOf('echo')) as AssistantMessage;
      const messages = [userMessage('Begin.'), reply, toolMessage(reply, [result])];
      const run = runOptions([{ text: 'Done.' }], { input: [], past: { messages, turns }, direct: ['echo'] });
      const { value } = await collect(runAgent(run.options));
      return { value, asked: run.model.requests.length };
    }

    it('ends with that answer, and asks the model nothing', async () => {
      const { value, asked } = await answered({ output: 'before', isError: false }, 1);

      expect(value).toMatchObject({ subtype: 'success', content: 'before' });
      expect(asked).toBe(0);
    });

    it.each<[string, ToolResult, number]>([
      ['the answer is an error', { output: 'no', isError: true }, 1],
      ['the answer is that of an earlier run', { output: 'before', isError: false }, 0],
    ])('goes on when %s', async (_why, result, turns) => {
      const { value, asked } = await answered(result, turns);

      expect(value.content).toBeUndefined();
      expect(asked).toBe(1);
    });
  });
});
