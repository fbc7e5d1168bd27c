import type { AgentHandler } from '@x/core';
import { describe, expect, it } from 'vitest';
import { handlerWithinRun, isWaitedForBy } from './within-run.ts';

/** Collects what a wrap of a handler knows at each step of its stream. */
function knownAtEachStep() {
  const known: string[] = [];
  const note = (step: string) => known.push(`${step} ${isWaitedForBy('s1')}`);
  const handler: AgentHandler = {
    name: 'wrap',
    async *wrapToolCall() {
      note('next');
      try {
        yield { channel: 'text', text: 'a' } as never;
      } catch {
        note('throw');
        yield { channel: 'text', text: 'b' } as never;
      } finally {
        note('return');
      }
      return undefined as never;
    },
  };
  const open = () =>
    handlerWithinRun(handler, 's1').wrapToolCall!(undefined as never, undefined as never, undefined as never);
  return { known, open };
}

describe('handlerWithinRun', () => {
  it('lets a stream know at each of its steps that a run waits for it, and nobody else', async () => {
    const { known, open } = knownAtEachStep();
    const stream = open();
    await stream.next();
    await stream.throw(new Error('no'));
    await stream.return(undefined as never);

    expect(known).toEqual(['next true', 'throw true', 'return true']);
    expect(isWaitedForBy('s1')).toBe(false);
  });

  it('ends a stream that is disposed of, or left in the middle of a loop', async () => {
    const { known, open } = knownAtEachStep();
    {
      await using stream = open();
      await stream.next();
    }
    for await (const _ of open()) break;

    expect(known).toEqual(['next true', 'return true', 'next true', 'return true']);
  });

  it('hands on what is no stream, for the pipeline to refuse', () => {
    const handler = { name: 'wrong', wrapToolCall: () => 'text' } as unknown as AgentHandler;

    expect(
      handlerWithinRun(handler, 's1').wrapToolCall!(undefined as never, undefined as never, undefined as never),
    ).toBe('text');
  });
});
