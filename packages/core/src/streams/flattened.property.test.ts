import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { flattened } from './flattened.ts';
import { inner, type Nested } from './inner.ts';

/** What a stream does, one thing after the other. */
interface Plan {
  readonly name: string;
  readonly deeds: readonly Deed[];
  /** What it does on its way out, however that comes. */
  readonly last: 'nothing' | 'says' | 'delegates' | 'delegates to silence';
  readonly failsAtEnd: boolean;
}
type Deed = 'say' | 'wait' | 'fail' | { readonly inner: Plan; readonly catches: boolean; readonly isReady: boolean };
type Call = 'next' | 'return' | 'throw';

const { plan } = fc.letrec<{ plan: Plan; deed: Deed }>((tie) => ({
  plan: fc.record({
    name: fc.string({ minLength: 1, maxLength: 2 }),
    deeds: fc.array(tie('deed'), { maxLength: 4 }),
    last: fc.constantFrom('nothing', 'nothing', 'nothing', 'says', 'delegates', 'delegates to silence'),
    failsAtEnd: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  deed: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom<Deed>('say', 'say', 'say', 'wait') },
    { weight: 1, arbitrary: fc.constant<Deed>('fail') },
    { weight: 4, arbitrary: fc.record({ inner: tie('plan'), catches: fc.boolean(), isReady: fc.boolean() }) },
  ),
}));
const calls = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Call>('next') },
    { weight: 1, arbitrary: fc.constantFrom<Call>('return', 'throw') },
  ),
  { minLength: 1, maxLength: 20, size: 'max' },
);

function endOf(name: string, fails: boolean): void {
  if (fails) throw new Error(`${name} at its end`);
}

async function* lastWords(name: string, last: Plan['last']): AsyncGenerator<string, string, void> {
  if (last === 'delegates') yield `${name} at last`;
  return 'silence';
}

/** The law: the same plan, with the `yield*` of the language. */
async function* withYieldStar(
  { name, deeds, last, failsAtEnd }: Plan,
  trace: string[],
): AsyncGenerator<string, string, void> {
  try {
    for (const [index, deed] of deeds.entries()) {
      trace.push(`${name}${index}`);
      if (deed === 'say') yield `${name}${index}`;
      else if (deed === 'wait') await Promise.resolve();
      else if (deed === 'fail') throw new Error(`${name}${index}`);
      else {
        try {
          trace.push(`got ${yield* withYieldStar(deed.inner, trace)}`);
        } catch (error) {
          trace.push(`thrown ${String(error)}`);
          if (!deed.catches) throw error;
        }
      }
    }
    return name;
  } finally {
    trace.push(`left ${name}`);
    if (last === 'says') yield `${name} at last`;
    if (last.startsWith('delegates')) trace.push(`then ${yield* lastWords(name, last)}`);
    endOf(name, failsAtEnd);
  }
}

async function* withInner({ name, deeds, last, failsAtEnd }: Plan, trace: string[]): Nested<string, string> {
  try {
    for (const [index, deed] of deeds.entries()) {
      trace.push(`${name}${index}`);
      if (deed === 'say') yield `${name}${index}`;
      else if (deed === 'wait') await Promise.resolve();
      else if (deed === 'fail') throw new Error(`${name}${index}`);
      else {
        try {
          const stream = withInner(deed.inner, trace);
          const whole = inner(deed.isReady ? flattened(stream) : stream);
          yield whole;
          trace.push(`got ${whole.result}`);
        } catch (error) {
          trace.push(`thrown ${String(error)}`);
          if (!deed.catches) throw error;
        }
      }
    }
    return name;
  } finally {
    trace.push(`left ${name}`);
    if (last === 'says') yield `${name} at last`;
    if (last.startsWith('delegates')) {
      const words = inner(lastWords(name, last));
      yield words;
      trace.push(`then ${words.result}`);
    }
    endOf(name, failsAtEnd);
  }
}

function made(stream: AsyncGenerator<string, string, void>, call: Call): Promise<IteratorResult<string, string>> {
  if (call === 'next') return stream.next();
  return call === 'return' ? stream.return('asked to') : stream.throw(new Error('asked to'));
}

/** What the calls come to, made one after the other or all at once. */
async function outcomes(
  stream: AsyncGenerator<string, string, void>,
  asked: readonly Call[],
  atOnce: boolean,
): Promise<PromiseSettledResult<unknown>[]> {
  if (atOnce) return await Promise.allSettled(asked.map((call) => made(stream, call)));
  const settled = [];
  for (const call of asked) settled.push(...(await Promise.allSettled([made(stream, call)])));
  return settled;
}

describe('flattened', () => {
  test.prop([plan, calls, fc.boolean()], { numRuns: 2000 })(
    'is the same stream as with `yield*`, whatever is said, thrown, returned, caught or asked',
    async (planned, asked, atOnce) => {
      const expectedTrace: string[] = [];
      const expected = await outcomes(withYieldStar(planned, expectedTrace), asked, atOnce);

      const trace: string[] = [];
      const found = await outcomes(flattened(withInner(planned, trace)), asked, atOnce);

      expect(found).toEqual(expected);
      expect(trace).toEqual(expectedTrace);
    },
  );

  it('is at its end, and harmless, once another one goes on with it', async () => {
    const left: string[] = [];
    async function* letters(): AsyncGenerator<string, string, void> {
      try {
        yield 'a';
        yield 'b';
        return 'done';
      } finally {
        left.push('inner');
      }
    }
    const ready = flattened(letters());
    async function* outer(): Nested<string, string> {
      const whole = inner(ready);
      yield whole;
      return whole.result;
    }
    const stream = flattened(outer());
    await stream.next();

    const asked = [await ready.next(), await ready.return('x')];
    const rest = [await stream.next(), await stream.next()];

    expect(asked).toEqual([
      { done: true, value: undefined },
      { done: true, value: 'x' },
    ]);
    expect(rest).toEqual([
      { done: false, value: 'b' },
      { done: true, value: 'done' },
    ]);
    expect(left).toEqual(['inner']);
  });

  it('goes on with a stream of its kind that somebody else has asked meanwhile, after that', async () => {
    const gate = Promise.withResolvers<void>();
    async function* letters(): AsyncGenerator<string, void, void> {
      await gate.promise;
      yield 'theirs';
      yield 'ours';
    }
    const ready = flattened(letters());
    const theirs = ready.next();
    async function* outer(): Nested<string, void> {
      yield inner(ready);
    }
    const ours = flattened(outer()).next();
    gate.resolve();

    const told = await Promise.all([theirs, ours]);

    expect(told.map(({ value }) => value)).toEqual(['theirs', 'ours']);
  });

  it('answers calls in the order in which they were made, also one made as soon as the first is answered', async () => {
    async function* letters(): AsyncGenerator<string, void, void> {
      yield 'a';
      yield 'b';
      yield 'c';
    }
    const stream = flattened(letters());
    const first = stream.next();
    const third = first.then(() => stream.next());
    const second = stream.next();

    const told = await Promise.all([first, second, third]);

    expect(told.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
  });

  it('closes what is open when it is disposed of', async () => {
    const left: string[] = [];
    async function* letters(): AsyncGenerator<string, void, void> {
      try {
        yield 'a';
      } finally {
        left.push('inner');
      }
    }
    async function* outer(): Nested<string, void> {
      try {
        yield inner(letters());
      } finally {
        left.push('outer');
      }
    }
    const stream = flattened(outer());
    await stream.next();

    await stream[Symbol.asyncDispose]();

    expect(left).toEqual(['inner', 'outer']);
  });
});
