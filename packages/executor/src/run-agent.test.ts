import { AgentError, type AgentHandler, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, recordsOf, runOptions, slowEcho, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('runAgent', () => {
  it('asks, runs the tools, asks again', async () => {
    const { options, journal } = runOptions([calls('echo', 'echo'), { text: ['Do', 'ne.'] }], {
      tools: [slowEcho()],
    });

    const { events, value } = await collect(runAgent(options));

    expect(value.subtype).toBe('success');
    expect(typesOf(events).join(' ')).toBe(
      'turn_start user_message message usage ' +
        'tool_use tool_started tool_use tool_started tool_result tool_result turn_end ' +
        'turn_start content content message usage turn_end',
    );
    expect(journal.records.map(({ record }) => record.type).join(' ')).toBe(
      'message message tool_started tool_started tool_finished tool_finished message',
    );
    expect(linesOf(value.messages)).toEqual([
      'user: Begin.',
      'assistant: <echo> <echo>',
      'tool: 0 1',
      'assistant: Done.',
    ]);
  });

  it('stops at maxTurns, the calls of the last reply answered (S12)', async () => {
    const { options, journal, model } = runOptions(() => calls('echo'), { maxTurns: 3 });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('max_turns');
    expect(model.requests).toHaveLength(3);
    expect(recordsOf(journal, 'tool_finished')).toHaveLength(3);
    expect(value.messages.at(-1)?.role).toBe('tool');
  });

  it('asks for the cost of each reply once, and keeps that of one that has it', async () => {
    const { options, model } = runOptions([calls('echo'), { text: 'Done.' }]);
    const asked: string[] = [];
    const costOf = ({ id }: { readonly id: string }) => asked.push(id);
    const priced = {
      ...model,
      async *stream(request: Parameters<typeof model.stream>[0]) {
        const reply = yield* model.stream(request);
        return request.messages.length > 1 ? { ...reply, cost: 0.5 } : reply;
      },
    };

    const { events, value } = await collect(runAgent({ ...options, model: priced, costOf }));

    const replies = value.messages.filter((message) => message.role === 'assistant');
    expect(asked).toEqual([replies[0]?.id]);
    expect(replies.map(({ cost }) => cost)).toEqual([1, 0.5]);
    expect(events.flatMap((event) => (event.type === 'usage' ? [event.cost] : []))).toEqual([1, 0.5]);
  });

  it('gives calls ids of their own when the service repeats them', async () => {
    const twice = { toolCalls: [{ id: 'x', name: 'echo', input: { text: 'a' } }] };
    const { options, journal } = runOptions([twice, twice, { text: 'Done.' }]);

    await collect(runAgent(options));

    const ids = recordsOf(journal, 'tool_finished').map(({ callId }) => callId);
    expect(ids[0]).toBe('x');
    expect(ids[1]).toMatch(/^call_[0-9a-f]{32}$/);
    expect(recordsOf(journal, 'tool_started').map(({ callId }) => callId)).toEqual(ids);
  });

  it('never runs an unfinished call of a reply that was cut off (Q08)', async () => {
    const cut = { ...calls('echo'), stopReason: 'length' as const };
    const { options, journal } = runOptions([
      { ...cut, toolCalls: [...cut.toolCalls, { id: 'cut', name: 'echo', input: '{"text": "ha' }] },
      { text: 'Done.' },
    ]);

    const { value } = await collect(runAgent(options));

    expect(recordsOf(journal, 'tool_started').map(({ callId }) => callId)).toEqual(['echo0']);
    expect(linesOf(value.messages)[2]).toBe(
      'tool: 0 echo was not run: the reply was cut off before its input was complete',
    );
    const cutOff = recordsOf(journal, 'tool_finished').find(({ callId }) => callId === 'cut');
    expect(cutOff?.result).toMatchObject({ isError: true, interrupted: 'not_run' });
  });

  it('throws a model error after it has ended the turn', async () => {
    const { options } = runOptions([{ text: 'Half', error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) }]);
    const events: string[] = [];

    const reading = (async () => {
      for await (const event of runAgent(options)) events.push(event.type);
    })();

    await expect(reading).rejects.toThrow('overloaded');
    expect(events).toEqual(['turn_start', 'user_message', 'content', 'usage', 'turn_end']);
  });

  describe('with returnDirectly', () => {
    it('runs all calls of the reply and ends with the first such result (A41)', async () => {
      const tools = [echo(), toolNamed('first', async () => 'one'), toolNamed('second', async () => 'two')];
      const { options, journal, model } = runOptions([calls('echo', 'first', 'second')], {
        tools,
        direct: ['first', 'second'],
      });

      const { value } = await collect(runAgent(options));

      expect(value).toMatchObject({ subtype: 'success', content: 'one' });
      expect(recordsOf(journal, 'tool_finished')).toHaveLength(3);
      expect(model.requests).toHaveLength(1);
    });

    it('goes on when that result is an error (A41)', async () => {
      const tools = [toolNamed('first', () => Promise.reject(new Error('no'))), toolNamed('second', async () => 'two')];
      const { options, model } = runOptions([calls('first', 'second'), { text: 'Done.' }], {
        tools,
        direct: ['first', 'second'],
      });

      const { value } = await collect(runAgent(options));

      expect(value).not.toHaveProperty('content');
      expect(model.requests).toHaveLength(2);
    });
  });

  describe('with handlers', () => {
    it('starts another turn with what afterAgent returns (A37)', async () => {
      const more = [userMessage('Check it.')];
      const handler: AgentHandler = { name: 'check', afterAgent: () => more.splice(0) };
      const { options, journal } = runOptions([{ text: 'Done.' }, { text: 'Checked.' }], { handlers: [handler] });

      const { value } = await collect(runAgent(options));

      expect(linesOf(value.messages)).toEqual([
        'user: Begin.',
        'assistant: Done.',
        'user: Check it.',
        'assistant: Checked.',
      ]);
      expect(recordsOf(journal, 'message')).toHaveLength(4);
    });

    it('records and runs the reply that afterModelRewriteHistory leaves (A48)', async () => {
      const handler: AgentHandler = {
        name: 'only-first',
        afterModelRewriteHistory: (messages) => {
          const reply = messages.at(-1)!;
          if (reply.role !== 'assistant') return messages;
          return [...messages.slice(0, -1), { ...reply, content: reply.content.slice(0, 1) }];
        },
      };
      const { options, journal } = runOptions([calls('echo', 'echo'), { text: 'Done.' }], { handlers: [handler] });

      const { events } = await collect(runAgent(options));

      expect(recordsOf(journal, 'tool_started').map(({ callId }) => callId)).toEqual(['echo0']);
      expect(events.filter(({ type }) => type === 'tool_use')).toHaveLength(1);
      expect(recordsOf(journal, 'message')[1]?.message.content).toHaveLength(1);
    });

    it('fails when afterModelRewriteHistory loses the reply', async () => {
      const handler: AgentHandler = { name: 'loses', afterModelRewriteHistory: (messages) => messages.slice(0, -1) };
      const { options } = runOptions([{ text: 'Done.' }], { handlers: [handler] });

      await expect(collect(runAgent(options))).rejects.toMatchObject({ code: 'HANDLER_ERROR' });
    });

    it.each(['beforeModelRewriteHistory', 'afterModelRewriteHistory'] as const)(
      'fails when %s returns no list (A23)',
      async (method) => {
        for (const nothing of [undefined, null, {}, 'messages']) {
          const { options, model } = runOptions([{ text: 'Done.' }], {
            handlers: [{ name: 'h', [method]: () => nothing as never }],
          });

          await expect(collect(runAgent(options))).rejects.toThrow(`${method} of handler h must return the messages`);

          expect(model.requests).toHaveLength(method === 'beforeModelRewriteHistory' ? 0 : 1);
        }
      },
    );

    it('keeps what beforeModelRewriteHistory returns for the rest of the run, and the records as they were (A47)', async () => {
      let shortened = false;
      const handler: AgentHandler = {
        name: 'shorten',
        beforeModelRewriteHistory: (messages) => {
          if (shortened || messages.length < 3) return messages;
          shortened = true;
          return messages.slice(-2);
        },
      };
      const { options, journal, model } = runOptions([calls('echo'), calls('echo'), { text: 'Done.' }], {
        handlers: [handler],
      });

      await collect(runAgent(options));

      expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 2, 4]);
      expect(recordsOf(journal, 'message')).toHaveLength(4);
    });

    it('refuses a user message without losing its place: noted, then thrown', async () => {
      const handler: AgentHandler = { name: 'guard', beforeUserMessage: () => Promise.reject(new Error('refused')) };
      const input = [userMessage('bad')];
      const { options, journal } = runOptions([], { handlers: [handler], input });

      await expect(collect(runAgent(options))).rejects.toThrow('refused');

      expect(recordsOf(journal, 'note')).toEqual([
        { type: 'note', name: 'message_refused', data: { messageId: input[0]?.id } },
      ]);
    });

    it('gives each run a fresh configuration (A36)', async () => {
      const handler: AgentHandler = {
        name: 'adds',
        beforeAgent: (config) => {
          config.instruction += ' And kind.';
          config.tools.push({ tool: toolNamed('extra', async () => ''), returnDirectly: false });
        },
      };
      const { options, model } = runOptions(() => ({ text: 'Done.' }), { handlers: [handler] });

      await collect(runAgent(options));
      await collect(runAgent(options));

      expect(model.requests.map(({ instruction, tools }) => [instruction, tools.length])).toEqual([
        ['Be short. And kind.', 2],
        ['Be short. And kind.', 2],
      ]);
    });

    it('does not run a tool that a handler took away (A07)', async () => {
      const handler: AgentHandler = { name: 'none', beforeAgent: (config) => ({ ...config, tools: [] }) };
      const { options, journal, model } = runOptions([calls('echo'), { text: 'Done.' }], { handlers: [handler] });

      await collect(runAgent(options));

      expect(model.requests[0]?.tools).toEqual([]);
      expect(recordsOf(journal, 'tool_started')).toEqual([]);
      expect(recordsOf(journal, 'tool_finished')[0]?.result.output).toBe('Tool not found: echo');
    });

    it('shows emitted events to the reader, and every event to observers', async () => {
      const seen: string[] = [];
      const handler: AgentHandler = {
        name: 'notifies',
        beforeModelRewriteHistory: (messages, run) => {
          run.emit({ type: 'notification', kind: 'test', message: 'hello' });
          return messages;
        },
        onEvent: (event) => void seen.push(event.type),
      };
      const { options } = runOptions([{ text: 'Done.' }], { handlers: [handler] });

      const { events } = await collect(runAgent(options));

      expect(typesOf(events)).toEqual([
        'turn_start',
        'user_message',
        'notification',
        'content',
        'message',
        'usage',
        'turn_end',
      ]);
      expect(seen).toEqual(typesOf(events));
    });
  });
});
