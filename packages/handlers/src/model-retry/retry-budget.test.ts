import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { journaledRun } from '../../test/journaled-run.ts';
import { retryBudget } from './retry-budget.ts';

describe('retryBudget', () => {
  it('is 120 seconds for each run', () => {
    const budget = retryBudget();
    const [one, other] = [journaledRun().run, journaledRun().run];

    budget.spend(one, 1000);

    expect(budget.remainingMs(one)).toBe(119_000);
    expect(budget.remainingMs(other)).toBe(120_000);
  });

  it('is one for a run and its subagents, at any depth', () => {
    const budget = retryBudget(100);
    const root = journaledRun().run;
    const child = journaledRun({ parent: root }).run;
    const grandchild = journaledRun({ parent: child }).run;

    budget.spend(grandchild, 30);
    budget.spend(child, 20);

    expect([root, child, grandchild].map((run) => budget.remainingMs(run))).toEqual([50, 50, 50]);
  });

  test.prop([fc.nat(1000), fc.array(fc.nat(500))])('never goes below zero and never grows', (total, spending) => {
    const budget = retryBudget(total);
    const { run } = journaledRun();

    const left = spending.map((ms) => {
      budget.spend(run, ms);
      return budget.remainingMs(run);
    });

    expect(left.every((ms, index) => ms >= 0 && ms <= (left[index - 1] ?? total))).toBe(true);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s milliseconds', (ms) => {
    expect(() => retryBudget(ms)).toThrow('retryBudgetMs');
  });
});
