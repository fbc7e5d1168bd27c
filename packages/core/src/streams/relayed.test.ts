import { AbortError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { relayed } from './relayed.ts';

describe('relayed', () => {
  it('tells each event when it is asked for, then the value; a stream goes on once its event was read', async () => {
    const made: string[] = [];
    async function* letters(): AsyncGenerator<string, number, void> {
      for (const letter of ['a', 'b']) {
        made.push(letter);
        yield letter;
      }
      return made.length;
    }
    const stream = relayed<string, number>((relay) => relay(letters()));

    expect(await stream.next()).toEqual({ done: false, value: 'a' });
    expect(made).toEqual(['a']);
    expect(await stream.next()).toEqual({ done: false, value: 'b' });
    expect(await stream.next()).toEqual({ done: true, value: 2 });
  });

  it('relays nothing more once the reader has left, and ends what it relays', async () => {
    const errors: unknown[] = [];
    const left: string[] = [];
    async function* letters(name: string): AsyncGenerator<string, void, void> {
      try {
        yield name;
        yield name;
      } finally {
        left.push(name);
      }
    }
    const stream = relayed<string, void>(
      async (relay) => {
        for (const name of ['a', 'b']) await relay(letters(name)).catch((error: unknown) => errors.push(error));
      },
      { waitsForRun: true },
    );
    await stream.next();

    await stream.return();

    expect(left).toEqual(['a']);
    expect(errors).toEqual([expect.any(AbortError), expect.any(AbortError)]);
  });
});
