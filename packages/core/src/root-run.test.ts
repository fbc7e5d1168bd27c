import { describe, expect, it } from 'vitest';
import { rootRun } from './root-run.ts';
import type { RunContext } from './run-context.ts';

describe('rootRun', () => {
  it('is the outermost run, from any depth', () => {
    const run = (depth: number, around?: RunContext) =>
      ({ depth, ...(around ? { parent: { run: around, callId: 'c' } } : {}) }) as RunContext; // nothing else is read
    const main = run(0);
    const inner = run(2, run(1, main));

    expect([main, inner].map(rootRun)).toEqual([main, main]);
  });
});
