import { type AgentHandler, type AnswerVerdict, type Inbox, type RunAnswer, userMessage } from '@x/core';
import { collect, type Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, inboxOf, linesOf, type RunParts, runOptions } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

/** Writes down every answer it is asked about; says what `judge` says. */
function judging(judge: (answer: RunAnswer) => AnswerVerdict | void = () => undefined) {
  const asked: string[] = [];
  const handler: AgentHandler = {
    name: 'judging',
    checkAnswer(answer) {
      asked.push(answer.content);
      return judge(answer);
    },
  };
  return { handler, asked };
}

async function ended(script: Script, parts: RunParts) {
  const { options, model } = runOptions(script, parts);
  const { events, value } = await collect(runAgent(options));
  return { events, value, model };
}

describe('the answer of a run', () => {
  it('is judged once, with the whole conversation, and told as the judge leaves it', async () => {
    const { handler, asked } = judging(({ content, messages }) => ({
      content: content.toUpperCase(),
      structured: linesOf(messages),
    }));

    const { value } = await ended([calls('echo'), { text: 'done' }], { handlers: [handler] });

    const structured = ['user: Begin.', 'assistant: <echo>', 'tool: 0', 'assistant: done'];
    expect(value).toMatchObject({ subtype: 'success', content: 'DONE', structured });
    expect(asked).toEqual(['done']);
  });

  it('is told as it is where nobody judges, or the judge says nothing', async () => {
    const { value: unjudged } = await ended([{ text: 'done' }], {});
    const { value: passed } = await ended([{ text: 'done' }], { handlers: [judging().handler] });

    expect(Object.keys(unjudged)).toEqual(['subtype', 'messages']);
    expect(Object.keys(passed)).toEqual(['subtype', 'messages']);
  });

  it('starts another turn with what the judge says, each a turn of its own', async () => {
    const { handler, asked } = judging(({ content }) =>
      content === 'c' ? { structured: content } : { again: [userMessage(`not ${content}`)] },
    );

    const { value, model, events } = await ended([{ text: 'a' }, { text: 'b' }, { text: 'c' }], {
      handlers: [handler],
    });

    expect(asked).toEqual(['a', 'b', 'c']);
    expect(value).toMatchObject({ structured: 'c' });
    expect(linesOf(model.requests[2]!.messages)).toEqual([
      'user: Begin.',
      'assistant: a',
      'user: not a',
      'assistant: b',
      'user: not b',
    ]);
    expect(events.flatMap((event) => (event.type === 'user_message' ? event.content : []))).toEqual([
      'Begin.',
      'not a',
      'not b',
    ]);
  });

  it('is none when the turns are used up', async () => {
    const { handler, asked } = judging(() => ({ again: [userMessage('Again.')], structured: 1 }));

    const { value } = await ended(() => ({ text: 'x' }), { handlers: [handler], maxTurns: 3 });

    expect(value.subtype).toBe('max_turns');
    expect(value).not.toHaveProperty('structured');
    expect(asked).toHaveLength(3);
  });

  it('is not judged while afterAgent wants another turn, of whichever handler', async () => {
    const { handler, asked } = judging();
    const stops = ['One more.'];
    const stopping: AgentHandler = { name: 'stopping', afterAgent: () => stops.splice(0).map(userMessage) };

    await ended([{ text: 'a' }, { text: 'b' }], { handlers: [handler, stopping] });

    expect(asked).toEqual(['b']);
  });

  it('is not judged when a message has arrived that starts another turn anyway', async () => {
    const { handler, asked } = judging();
    const { inbox, send } = inboxOf([]);
    const arriving: AgentHandler = {
      name: 'arriving',
      afterAgent: (messages) => void (messages.length === 2 && send('And this?')),
    };

    const { model } = await ended([{ text: 'a' }, { text: 'b' }], { handlers: [handler, arriving], inbox });

    expect(asked).toEqual(['b']);
    expect(linesOf(model.requests[1]!.messages).at(-1)).toBe('user: And this?');
  });

  it('is judged anew when a message arrives while it is judged', async () => {
    const { inbox, send } = inboxOf([]);
    const { handler, asked } = judging(({ content }) => {
      if (content === 'a') send('And this?');
      return { structured: content };
    });

    const { value } = await ended([{ text: 'a' }, { text: 'b' }], { handlers: [handler], inbox });

    expect(asked).toEqual(['a', 'b']);
    expect(value).toMatchObject({ structured: 'b' });
  });

  it('keeps the inbox open until it has been accepted', async () => {
    const takes: string[] = [];
    const inbox: Inbox = {
      take: async (options) => (takes.push(options?.last ? 'last' : 'take'), []),
      urgent: new AbortController().signal,
    };
    const { handler } = judging(({ content }) => {
      takes.push(content);
      return content === 'a' ? { again: [userMessage('Again.')] } : undefined;
    });

    await ended([{ text: 'a' }, { text: 'b' }], { handlers: [handler], inbox });

    expect(takes).toEqual(['take', 'take', 'a', 'take', 'take', 'b', 'last']);
  });

  it('is not judged when the model was interrupted', async () => {
    const { inbox, urge } = inboxOf([]);
    const { handler, asked } = judging();
    const script: Script = (_, turn) => (turn === 1 ? { text: 'half', hangs: true } : { text: 'whole' });
    const { options } = runOptions(script, { handlers: [handler], inbox });

    for await (const event of runAgent(options)) {
      if (event.type === 'content' && event.delta === 'half') setImmediate(() => urge('Stop.'));
    }

    expect(asked).toEqual(['whole']);
  });

  it('may be the output of a call that has returned directly, which is judged like any other', async () => {
    const { handler, asked } = judging(({ content }) =>
      content === '0' ? { again: [userMessage('Say it in words.')] } : { structured: content },
    );
    const parts = { handlers: [handler], direct: ['echo'] };

    const { value, model } = await ended([calls('echo'), { text: 'zero' }], parts);

    expect(asked).toEqual(['0', 'zero']);
    expect(linesOf(model.requests[1]!.messages).slice(-2)).toEqual(['tool: 0', 'user: Say it in words.']);
    expect(value).toMatchObject({ subtype: 'success', structured: 'zero' });
  });

  it('is aborted when the run is stopped meanwhile, whatever the judge says', async () => {
    for (const verdict of [{ structured: 1 }, { again: [userMessage('Again.')] }]) {
      const abort = new AbortController();
      const { handler } = judging(() => (abort.abort(), verdict));

      const { value, model } = await ended([{ text: 'a' }], { handlers: [handler], signal: abort.signal });

      expect(value.subtype).toBe('aborted');
      expect(value).not.toHaveProperty('structured');
      expect(model.requests).toHaveLength(1);
    }
  });

  it('lets its judge tell the reader something', async () => {
    const speaking: AgentHandler = {
      name: 'speaking',
      checkAnswer: (_, run) => run.emit({ type: 'notification', kind: 'judged', message: 'fine' }),
    };

    const { events } = await ended([{ text: 'a' }], { handlers: [speaking] });

    expect(events.at(-1)).toMatchObject({ kind: 'judged' });
  });
});
