import type { RunContext, ToolNext } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, journaled, policyOf, read } from '../../test/permission-values.ts';
import { answering, nextTurn } from '../../test/values.ts';
import { toolNamesHandler } from '../tool-names-handler.ts';
import { permissionHandler } from './permission-handler.ts';

describe('the record of a decision', () => {
  /** The innermost layer: the start of the call, and what goes with it, is durable before the tool runs. */
  const writingFirst = (journal: RunContext['journal'], order: string[]): ToolNext =>
    async function* ({ records = [] }) {
      await journal.write(...records, { type: 'note', name: 'intent', data: null });
      order.push('runs');
      return { output: 'ran', isError: false };
    };
  const note = {
    type: 'note',
    name: 'permission:c1',
    data: { decision: 'allow', step: 'default', reason: expect.any(String) as string },
  };

  it('goes along with the start of the call, in front of it, so it is durable before the tool runs', async () => {
    const { context, records } = journaled();
    const order: string[] = [];
    const steps: number[] = [];
    const journal = {
      ...context.journal,
      async write(...written: typeof records) {
        steps.push(written.length);
        await context.journal.write(...written);
        order.push('written');
      },
    };
    const handler = permissionHandler({ policy: policyOf() });
    const next = writingFirst(journal, order);

    await collect(handler.wrapToolCall!(about(read, 'a'), next, { ...context, journal }));

    expect(order).toEqual(['written', 'runs']);
    expect(records.slice(0, 2)).toEqual([note, { type: 'note', name: 'intent', data: null }]);
    expect(steps).toEqual([2]);
  });

  it('is written all the same when the call is answered without the tool', async () => {
    const { context, records } = journaled();
    const handler = permissionHandler({ policy: policyOf() });

    await collect(handler.wrapToolCall!(about(read, 'a'), answering('from a cache'), context));

    expect(records).toEqual([note]);
  });

  it('is not written over that of a guard inside, which has refused what was allowed here', async () => {
    const { context, records } = journaled();
    const handler = permissionHandler({ policy: policyOf() });
    const inside = toolNamesHandler({ disallowed: ['Read'] });
    const call = about(read, 'a');

    await collect(handler.wrapToolCall!(call, (given) => inside.wrapToolCall!(given, answering(), context), context));

    const refusal = { decision: 'deny', step: 'tool_names', reason: 'Read is not available' };
    expect(records).toEqual([{ type: 'note', name: 'permission:c1', data: refusal }]);
    expect(context.journal.past.note('permission:c1')).toEqual(refusal);
  });

  it('keeps the tool from running when it cannot be written', async () => {
    const { context } = journaled();
    const order: string[] = [];
    const journal = { ...context.journal, write: async () => Promise.reject(new Error('disk full')) };
    const handler = permissionHandler({ policy: policyOf() });
    const next = writingFirst(journal, order);

    const refused = collect(handler.wrapToolCall!(about(read, 'a'), next, { ...context, journal }));

    await expect(refused).rejects.toThrow('disk full');
    expect(order).toEqual([]);
  });

  it('leaves nothing behind when the reader leaves at the event', async () => {
    const { context } = journaled();
    const journal = { ...context.journal, write: async () => Promise.reject(new Error('disk full')) };
    const handler = permissionHandler({ policy: policyOf() });
    const stream = handler.wrapToolCall!(about(read, 'a'), answering(), { ...context, journal });
    await stream.next();

    await stream.return(undefined as never);
    await nextTurn(); // an unhandled rejection would end the test here

    expect((await stream.next()).done).toBe(true);
  });
});
