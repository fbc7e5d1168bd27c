import { AgentError, SessionError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { isModelFailure, subagentResult } from './subagent-run.ts';

const ended = (subtype: 'success' | 'max_turns' | 'aborted', content?: string) =>
  subagentResult({ subtype, content, messages: [] } as never, 'helper'); // safe: no other field is read

describe('subagentResult', () => {
  it('says what became of the task, also where nothing was said', () => {
    expect(ended('success', 'done')).toEqual({ output: 'done', isError: false });
    expect(ended('success')).toEqual({ output: 'The agent helper ended without a word.', isError: false });
    expect(ended('max_turns')).toMatchObject({
      isError: true,
      output: expect.stringContaining('It has said nothing.'),
    });
    expect(ended('aborted')).toMatchObject({ isError: true, interrupted: 'unknown' });
  });
});

describe('isModelFailure', () => {
  const run = {} as never; // safe: a key only

  it('is true for an error of the model, also as the cause of another one, and for no other', () => {
    const model = Object.assign(new AgentError('busy', { code: 'RATE_LIMIT' }), { name: 'ModelError' });
    const looped = new Error('a');
    looped.cause = looped;

    expect(isModelFailure(new Error('outer', { cause: model }), run)).toBe(true);
    expect(isModelFailure(new AgentError('x', { code: 'MODEL_ERROR' }), run)).toBe(true);
    expect(isModelFailure(new Error('outer', { cause: 'a text' }), run)).toBe(false);
    expect(isModelFailure(looped, run)).toBe(false);
    expect(isModelFailure(new SessionError('x', { code: 'SESSION_BUSY', cause: model }), run)).toBe(false);
    expect(isModelFailure(new AgentError('x', { code: 'STOPPED_BY_HOOK', cause: model }), run)).toBe(false);
  });
});
