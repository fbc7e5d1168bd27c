import { describe, expectTypeOf, it } from 'vitest';
import type { Question, ResultMessage } from './index.ts';

declare const result: ResultMessage;

describe('the result of a run', () => {
  it('has what its subtype says, and nothing of the others', () => {
    if (result.subtype === 'waiting') expectTypeOf(result.questions).toEqualTypeOf<readonly Question[]>();
    else if (result.subtype === 'error') expectTypeOf(result.error).toEqualTypeOf<string>();
    else expectTypeOf([result.questions, result.error]).toEqualTypeOf<undefined[]>();
  });

  it('is the flat message of the specification too', () => {
    expectTypeOf(result).toExtend<{ subtype: string; content?: string; error?: string; structured?: unknown }>();
  });
});
