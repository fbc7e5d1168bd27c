import { type AgentHandler, type AnswerVerdict, type RunAnswer, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

/** A handler that keeps what it is asked about and answers this. */
function judge(verdict: AnswerVerdict | void, asked: RunAnswer[] = []): AgentHandler & { asked: RunAnswer[] } {
  return { name: 'judge', asked, checkAnswer: (answer) => (asked.push(answer), verdict) };
}

const answer: RunAnswer = { content: 'a', messages: [userMessage('Begin.')] };

describe('checkAnswer of a pipeline', () => {
  it('gives each handler the answer as the one before it has left it', async () => {
    const [first, second, third] = [judge({ content: 'b', structured: 1 }), judge(undefined), judge({ structured: 2 })];

    const judged = await new Pipeline([first, { name: 'silent' }, second, third]).checkAnswer(answer, run());

    expect(first.asked).toEqual([answer]);
    expect(second.asked).toEqual([{ ...answer, content: 'b', structured: 1 }]);
    expect(judged).toEqual({ ...answer, content: 'b', structured: 2 });
  });

  it('asks nobody after the first that wants another turn', async () => {
    const more = [userMessage('Once more.')];
    const later = judge({ structured: 1 });

    expect(await new Pipeline([judge({ again: more }), later]).checkAnswer(answer, run())).toBe(more);
    expect(later.asked).toEqual([]);
  });

  it('takes an empty list for no other turn, and a value that is undefined for a value', async () => {
    const judged = await new Pipeline([judge({ again: [], structured: undefined })]).checkAnswer(answer, run());

    expect(judged).toHaveProperty('structured', undefined);
    expect(judged).toHaveProperty('content', 'a');
  });

  it('lets no handler change the messages in passing', async () => {
    const sly = judge({ messages: [] } as AnswerVerdict);

    expect(await new Pipeline([sly]).checkAnswer(answer, run())).toEqual(answer);
  });

  it('is there when a handler has it', () => {
    expect(new Pipeline([{ name: 'silent' }]).checksAnswers).toBe(false);
    expect(new Pipeline([{ name: 'silent' }, judge(undefined)]).checksAnswers).toBe(true);
  });
});
