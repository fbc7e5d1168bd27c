import { type AgentHandler, type RunContext, userMessage } from '@x/core';
import {
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInstruction,
  withInstructionFunc,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
  withTools,
  withToolsFunc,
} from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { ran } from '../test/ran.ts';
import { calls, linesOf, toolNamed } from '../test/run-options.ts';

const done = { text: 'Done.' };

describe('afterAgent', () => {
  it('is asked in list order with the whole history; what all of them return is the input of another turn', async () => {
    const asked: string[] = [];
    const adds = (name: string): AgentHandler => {
      let left = 1;
      return {
        name,
        afterAgent: (messages) => (
          asked.push(`${name} ${messages.length}`), left-- > 0 ? [userMessage(name)] : undefined
        ),
      };
    };

    const { value } = await ran([done, done], {
      handlers: [adds('a'), { name: 'silent', afterAgent: () => undefined }, adds('b')],
    });

    expect(asked).toEqual(['a 2', 'b 2', 'a 5', 'b 5']);
    expect(linesOf(value.messages)).toEqual([
      'user: Begin.',
      'assistant: Done.',
      'user: a',
      'user: b',
      'assistant: Done.',
    ]);
  });

  it('cannot go past the limit of turns', async () => {
    const { value, model } = await ran(() => done, {
      handlers: [{ name: 'h', afterAgent: () => [userMessage('More.')] }],
      maxTurns: 3,
    });

    expect([value.subtype, model.requests.length]).toEqual(['max_turns', 3]);
  });
});

describe('the run that handlers are given', () => {
  it('is one object for all of them, for model calls and for tools; what is kept by it is of that run alone', async () => {
    const kept = new WeakMap<RunContext, string[]>();
    const at = (run: RunContext, moment: string) => void kept.set(run, [...(kept.get(run) ?? []), moment]);
    const seen: (string[] | undefined)[] = [];
    const handler: AgentHandler = {
      name: 'h',
      beforeAgent: (_, run) => at(run, 'beforeAgent'),
      beforeUserMessage: (_, run) => at(run, 'beforeUserMessage'),
      beforeModelRewriteHistory: (messages, run) => (at(run, 'beforeModel'), messages),
      wrapModelCall: (request, next, run) => (at(run, 'model'), next(request)),
      afterModelRewriteHistory: (messages, run) => (at(run, 'afterModel'), messages),
      wrapToolCall: (call, next, run) => (at(run, 'call'), next(call)),
      afterAgent: (_, run) => void seen.push(kept.get(run)),
    };
    const tool = toolNamed('t', async (_, { run }) => (at(run, 'tool'), ''));
    const once = () => ran([calls('t'), done], { handlers: [handler], tools: [tool] });

    await Promise.all([once(), once()]);

    const round = ['beforeModel', 'model', 'afterModel'];
    const moments = ['beforeAgent', 'beforeUserMessage', ...round, 'call', 'tool', ...round];
    expect(seen).toEqual([moments, moments]);
  });
});

describe('handlers shared by two runs at the same time', () => {
  it('give the results they give to one run: all nine factories', async () => {
    const extra = toolNamed('extra', async () => (await new Promise((resolve) => setImmediate(resolve)), 'extra'));
    const handlers = [
      withInstruction('Kind.'),
      withInstructionFunc(async (text) => `<${text}>`),
      withTools(extra),
      withToolsFunc((tools) => tools.toReversed()),
      withBeforeAgent((config) => void config.input.push(userMessage('More.'))),
      withBeforeModelRewriteHistory(async (messages) => messages.slice(-4)),
      withAfterModelRewriteHistory((messages) => [...messages]),
      withInvokableToolWrapper(async (call, next) => ({ ...(await next(call)), output: `${call.name} was called` })),
      withStreamableToolWrapper(async function* (call, next) {
        yield { type: 'notification', kind: 'test', message: call.id };
        return yield* next(call);
      }),
    ];
    const once = async () => {
      const { model, events, value } = await ran([calls('extra', 'echo'), calls('echo'), done], { handlers });
      return {
        requests: model.requests.map(({ instruction, messages, tools }) => [
          instruction,
          linesOf(messages),
          tools.map(({ name }) => name),
        ]),
        events: events.map(({ type }) => type).toSorted(),
        messages: linesOf(value.messages),
      };
    };

    const alone = await once();
    const together = await Promise.all([once(), once(), once()]);

    expect(alone.requests[0]).toEqual(['<Be short.\nKind.>', ['user: Begin.', 'user: More.'], ['extra', 'echo']]);
    expect(together).toEqual([alone, alone, alone]);
  });
});
