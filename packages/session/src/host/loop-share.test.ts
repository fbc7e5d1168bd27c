import { describe, expect, it } from 'vitest';
import { atOnce, inShares, inTurns } from './loop-share.ts';

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

describe('inShares', () => {
  it('hands on all items in order, and lets others have turns also when it is the reader that takes long', async () => {
    const read: number[] = [];

    const turns = await turnsOfOthers(async () => {
      for await (const item of inShares([1, 2, 3, 4])) {
        work(6);
        read.push(item);
      }
    });

    expect(read).toEqual([1, 2, 3, 4]);
    expect(turns).toBeGreaterThanOrEqual(3);
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

    for await (const _ of inShares(items())) break;

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
