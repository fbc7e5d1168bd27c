import { compacted } from '@x/core/internal';
import { type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answered, said } from '../../test/histories.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { compactNow } from './compact-now.ts';
import type { CompactionOptions } from './compaction-options.ts';

const conversation = [1, 2, 3].flatMap((second) => [
  said(`Task ${second}.`, second),
  ...answered({ text: 'Done.', second }),
]);
const optionsFor = (
  script: Script = [{ text: 'The gist.' }],
  more: Partial<CompactionOptions> = {},
): CompactionOptions => {
  const model = scriptedModel(script);
  return { model: () => model, ...more };
};

describe('compactNow', () => {
  it('compacts a history that is short, all but its end', async () => {
    const { run, records, emitted } = journaledRun();

    const outcome = await compactNow(conversation, run, optionsFor());

    const record = records.find((one) => one.type === 'compaction')!;
    expect(outcome).toEqual({ compacted: true, record, messages: compacted(conversation, record) });
    expect(emitted.map(({ type }) => type)).toEqual(['usage', 'compaction']);
  });

  it('tells the hook that somebody has asked, and obeys it', async () => {
    const asked: unknown[] = [];
    const { run, records } = journaledRun();
    const hook: CompactionOptions['hook'] = (attempt) => (asked.push(attempt), { blocked: true });

    const outcome = await compactNow(conversation, run, optionsFor([], { hook }));

    expect(outcome).toEqual({ compacted: false, reason: 'blocked' });
    expect(asked).toEqual([{ trigger: 'manual', messagesBefore: 6, tokensBefore: expect.any(Number) }]);
    expect(records).toEqual([]);
  });

  it('says when there is nothing to replace', async () => {
    const outcome = await compactNow([said('Go.')], journaledRun().run, optionsFor());

    expect(outcome).toEqual({ compacted: false, reason: 'nothing_to_replace' });
  });

  it('rejects when there is no summary', async () => {
    const failing = compactNow(conversation, journaledRun().run, optionsFor([{ error: new Error('no') }]));

    await expect(failing).rejects.toMatchObject({
      code: 'COMPACTION_FAILED',
      message: 'The history was not compacted: no',
    });
  });

  it('rejects when the run is aborted', async () => {
    const { run } = journaledRun({ signal: AbortSignal.abort() });

    await expect(compactNow(conversation, run, optionsFor([{ hangs: true }]))).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});
