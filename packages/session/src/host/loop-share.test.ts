import { describe, expect, it, vi } from 'vitest';
import { atOnce, inPages, inTurns } from './loop-share.ts';

/** Milliseconds of work. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** How often others have had their turn, asked when `act` is over. */
async function turnsOfOthers(act: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const other = () => {
    turns += 1;
    if (!over) setImmediate(other);
  };
  setImmediate(other);
  await act();
  over = true;
  return turns;
}

function* steps(count: number, ms: number): Generator<void, string> {
  for (let step = 0; step < count; step++) {
    work(ms);
    yield;
  }
  return 'done';
}

describe('inPages', () => {
  it('hands on all items in order, and lets others have turns also when it is the reader that takes long', async () => {
    const read: number[] = [];

    const turns = await turnsOfOthers(async () => {
      for await (const page of inPages([1, 2, 3, 4])) {
        for (const item of page) {
          work(6);
          read.push(item);
        }
      }
    });

    expect(read).toEqual([1, 2, 3, 4]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('hands on more at a time, up to 16, while no share is over, and one after a share that is', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const sizes: number[] = [];

    for await (const page of inPages(Array.from({ length: 50 }, () => 0))) {
      sizes.push(page.length);
      clock.mockReturnValue(sizes.length === 6 ? 5 : 0);
    }
    clock.mockRestore();

    expect(sizes).toEqual([1, 2, 4, 8, 16, 16, 1, 2]);
  });

  it('hands on a page before it is full when its items take long to make', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    function* items() {
      for (let item = 0; item < 6; item++) {
        now += 3;
        yield item;
      }
    }
    const sizes: number[] = [];

    for await (const page of inPages(items())) sizes.push(page.length);
    clock.mockRestore();

    expect(sizes).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('hands on what was there before an error', async () => {
    function* items() {
      yield* [1, 2, 3, 4, 5];
      throw new TypeError('It broke');
    }
    const read: number[] = [];

    const reading = (async () => {
      for await (const page of inPages(items())) read.push(...page);
    })();

    await expect(reading).rejects.toThrow('It broke');
    expect(read).toEqual([1, 2, 3, 4, 5]);
  });

  it('ends what it reads from when its reader leaves', async () => {
    let ended = false;
    function* items() {
      try {
        yield 1;
        yield 2;
      } finally {
        ended = true;
      }
    }

    for await (const _ of inPages(items())) break;

    expect(ended).toBe(true);
  });
});

describe('inTurns', () => {
  it('lets others have turns between the steps', async () => {
    const turns = await turnsOfOthers(async () => expect(await inTurns(steps(4, 6))).toBe('done'));

    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

describe('atOnce', () => {
  it('does the same steps without a pause', async () => {
    const turns = await turnsOfOthers(async () => expect(atOnce(steps(4, 6))).toBe('done'));

    expect(turns).toBe(0);
  });
});
