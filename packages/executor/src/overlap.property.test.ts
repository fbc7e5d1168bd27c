import { fc, test } from '@fast-check/vitest';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { overlap } from './overlap.ts';

/** One stream: how long it waits before each event (in turns of the event loop), after which event the next may start. */
interface Plan {
  readonly waits: readonly number[];
  readonly opensAt: number;
  readonly fails?: boolean;
}
interface Said {
  readonly source: number;
  readonly step: number;
  readonly opens: boolean;
}

const plans = fc.array(fc.record({ waits: fc.array(fc.nat(3), { maxLength: 4 }), opensAt: fc.nat(4) }), {
  maxLength: 8,
});
const limits = fc.integer({ min: 1, max: 4 });
const opensNext = (said: Said) => said.opens;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The streams of the plans, and what happened to them. */
function streamsOf(planned: readonly Plan[]) {
  const trace = { opened: [] as number[], closed: [] as number[], most: 0, pulledAhead: false, startedEarly: false };
  const running = new Set<number>();
  const untaken = new Map<number, number>();
  const opens = new Set<number>();
  async function* one({ waits, opensAt, fails }: Plan, source: number): AsyncGenerator<Said, string, void> {
    trace.opened.push(source);
    running.add(source);
    trace.most = Math.max(trace.most, running.size);
    if (source > 0 && !opens.has(source - 1)) trace.startedEarly = true;
    try {
      for (const [step, wait] of waits.entries()) {
        await turns(wait);
        untaken.set(source, step);
        yield { source, step, opens: step === opensAt };
        if (untaken.has(source)) trace.pulledAhead = true;
      }
      if (fails) throw new Error(`stream ${source}`);
      opens.add(source);
      return `value ${source}`;
    } finally {
      opens.add(source);
      running.delete(source);
      trace.closed.push(source);
    }
  }
  const take = ({ source, opens: isOpening }: Said) => {
    untaken.delete(source);
    if (isOpening) opens.add(source);
  };
  return { sources: planned.map((plan, source) => () => one(plan, source)), trace, take };
}

describe('overlap', () => {
  test.prop([plans, limits], { numRuns: 300 })(
    'keeps order, limit and back-pressure for any streams',
    async (planned, limit) => {
      const { sources, trace, take } = streamsOf(planned);
      const stream = overlap(sources, { limit, opensNext });

      const said: Said[] = [];
      let step = await stream.next();
      for (; !step.done; step = await stream.next()) {
        said.push(step.value);
        take(step.value);
      }

      expect(step.value).toEqual(planned.map((_, source) => `value ${source}`));
      expect(trace.opened).toEqual(planned.map((_, source) => source));
      expect(trace.most).toBeLessThanOrEqual(limit);
      expect(trace).toMatchObject({ pulledAhead: false, startedEarly: false });
      for (const [source, { waits }] of planned.entries()) {
        expect(said.filter((one) => one.source === source).map((one) => one.step)).toEqual([...waits.keys()]);
      }
    },
  );

  test.prop([plans, limits, fc.nat(12)], { numRuns: 200 })(
    'settles everything it has opened when it is left early',
    async (planned, limit, after) => {
      const { sources, trace } = streamsOf(planned);
      const stream = overlap(sources, { limit, opensNext });

      for (let count = 0; count < after; count++) if ((await stream.next()).done) break;
      await stream.return([]);

      expect(new Set(trace.closed)).toEqual(new Set(trace.opened));
    },
  );

  test.prop([plans.filter((planned) => planned.length > 0), limits, fc.nat()], { numRuns: 200 })(
    'ends all with the failure of one, and settles the others first',
    async (planned, limit, dice) => {
      const guilty = dice % planned.length;
      const { sources, trace } = streamsOf(
        planned.map((plan, source) => (source === guilty ? { ...plan, fails: true } : plan)),
      );

      await expect(collect(overlap(sources, { limit, opensNext }))).rejects.toThrow(`stream ${guilty}`);

      expect(new Set(trace.closed)).toEqual(new Set(trace.opened));
    },
  );

  it('returns nothing for no streams', async () => {
    expect(await collect(overlap<never, never>([], { limit: 1, opensNext: () => true }))).toEqual({
      events: [],
      value: [],
    });
  });

  it('waits for a pending step of a neighbour before it passes on a failure', async () => {
    const order: string[] = [];
    async function* slow(): AsyncGenerator<string, void, void> {
      yield 'open';
      await turns(5);
      order.push('slow has settled');
    }
    // oxlint-disable-next-line require-yield
    async function* failing(): AsyncGenerator<string, void, void> {
      throw new Error('no');
    }

    await expect(collect(overlap([slow, failing], { limit: 2, opensNext: () => true }))).rejects.toThrow('no');

    expect(order).toEqual(['slow has settled']);
  });

  it('the law finds a composition that reads ahead', async () => {
    const { sources, trace } = streamsOf([{ waits: [0, 0], opensAt: 9 }]);

    await collect(sources[0]!()); // nobody calls `take`

    expect(trace.pulledAhead).toBe(true);
  });
});
