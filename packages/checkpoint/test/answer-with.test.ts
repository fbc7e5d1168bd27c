import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Keeper } from '../src/store/keeper.ts';
import { answerWith } from '../src/worker/answer-with.ts';
import { place, shell } from './support.ts';

it('answers a thread’s questions with values, and with errors that a program can tell apart', () => {
  const { root, file } = place();
  mkdirSync(dirname(file), { recursive: true });
  const keeper = new Keeper({ root, file, maxFiles: 2, maxFileBytes: 10, maxTotalBytes: 10 });
  onTestFinished(() => keeper.close());
  const ask = (id: number, method: 'scan' | 'counts' | 'read', ...values: unknown[]) =>
    answerWith(() => keeper, { id, method, values });

  expect(ask(1, 'scan', null)).toEqual({ id: 1, value: [] });
  expect(ask(2, 'counts')).toEqual({ id: 2, value: { points: 0, paths: 0, pending: 0 } });
  expect(ask(3, 'read', 'lost')).toMatchObject({ id: 3, error: { code: 'CHECKPOINT_FILE' } });
  shell(root, 'touch a b c');
  expect(ask(4, 'scan', null)).toMatchObject({ id: 4, error: { code: 'CHECKPOINT_TOO_LARGE' } });
  rmSync(root, { recursive: true });
  expect(ask(5, 'scan', null)).toMatchObject({ id: 5, error: { code: 'CHECKPOINT_ROOT' } });
  const failing = () => {
    throw new TypeError('of another kind');
  };
  expect(answerWith(failing, { id: 6, method: 'counts', values: [] })).toEqual({
    id: 6,
    error: { code: 'CHECKPOINT_FILE', message: 'of another kind' },
  });
});
