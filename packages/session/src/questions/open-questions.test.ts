import { answerNote, emptyScope, questionNote } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { emptyState, type SessionState, scopeKey } from '../log/fold.ts';
import { firstExpiry, openQuestions } from './open-questions.ts';

const asked = (more: object = {}) => ({
  kind: 'permission',
  toolName: 'Bash',
  input: {},
  key: 'k',
  askedAt: 1,
  ...more,
});

/** A state whose call `c`, in this scope, has these notes. */
function stateWith(notes: Readonly<Record<string, unknown>>, scope: readonly string[] = []): SessionState {
  const state = emptyState();
  const own = { ...emptyScope(), calls: new Map() };
  for (const [name, data] of Object.entries(notes)) own.notes.set(name, data);
  state.scopes.set(scopeKey(scope), own);
  return state;
}

describe('openQuestions', () => {
  it('takes no note for a question that was taken back, or is none', () => {
    const damaged = [
      null,
      undefined,
      'text',
      7,
      {},
      asked({ key: 7 }),
      asked({ askedAt: 'now' }),
      asked({ toolName: null }),
    ];
    for (const data of damaged) expect(openQuestions(stateWith({ [questionNote('c')]: data }))).toEqual([]);
    expect(openQuestions(stateWith({ 'permission:c': asked() }))).toEqual([]);
    expect(openQuestions(stateWith({ [questionNote('c')]: asked() }))).toMatchObject([{ callId: 'c', agentPath: [] }]);
  });

  it('knows none of a subagent whose call is not under way any more', () => {
    const state = stateWith({ [questionNote('c')]: asked() }, ['task']);
    expect(openQuestions(state)).toEqual([]);
  });

  it('keeps a question open whose answer was for another input', () => {
    const notes = { [questionNote('c')]: asked(), [answerNote('c')]: { key: 'other', answer: { behavior: 'allow' } } };
    expect(openQuestions(stateWith(notes))).toHaveLength(1);
  });
});

describe('firstExpiry', () => {
  it('is that of the first question that expires, if one does', () => {
    const question = (expiresAt?: number) => ({ ...asked(), callId: 'c', agentPath: [], expiresAt }) as never;
    expect([firstExpiry([]), firstExpiry([question()])]).toEqual([undefined, undefined]);
    expect(firstExpiry([question(9), question(), question(5)])).toBe(5);
  });
});
