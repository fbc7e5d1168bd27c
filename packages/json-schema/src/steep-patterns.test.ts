import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from './json-schema.ts';
import { linearPattern } from './linear-pattern.ts';

/** Linear, and far above a microsecond a character. */
const STEEP = '(?:\\p{L}|\\d){1,1000}[^\\p{L}]\\d{5}';
const TOO_LONG = [{ path: '', message: 'The input takes too long to validate' }];
const texts = (count: number, length: number) => Array.from({ length: count }, () => `${'é'.repeat(length)}-12345`);
/** Of this thread, where it can be told: a busy machine may pause it at any time. */
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage?.() ?? { user: performance.now() * 1_000, system: 0 };
  return (user + system) / 1_000;
};
const elapsedMs = (run: () => unknown) => {
  const started = cpuMs();
  run();
  return cpuMs() - started;
};

/** Measures the time of four fifths of the budget on this machine: about 0.2 s when it is free, more where code is instrumented. */
const withinBudgetMs = () => {
  const steep = jsonSchema({ items: { pattern: STEEP } });
  steep.check('');
  return Math.max(...[1, 2, 3].map(() => elapsedMs(() => steep.check(texts(2, 500)))));
};

describe('a steep pattern', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['one text', { pattern: STEEP }, 'é'.repeat(65_536)],
    ['twenty texts of 16 KB', { items: { pattern: STEEP } }, texts(20, 16_384)],
    ['texts within the bound, and one more', { items: { pattern: STEEP } }, texts(3, 1_200)],
    ['many short texts', { items: { pattern: STEEP } }, texts(2_000, 100)],
    ['many texts, each asked twice', { items: { anyOf: [{ pattern: STEEP }, { pattern: STEEP }] } }, texts(500, 40)],
    [
      'many names',
      { patternProperties: { [STEEP]: {} } },
      Object.fromEntries(texts(2_000, 100).map((name, at) => [name + at, 1])),
    ],
  ])('ends in time, with one issue: %s', (_, schema, value) => {
    const steep = jsonSchema(schema);
    steep.check('');

    const elapsed = elapsedMs(() => expect(steep.check(value).issues).toEqual(TOO_LONG));

    expect(elapsed).toBeLessThan(16 * withinBudgetMs() + 100);
    expect(() => steep.parse(value)).toThrow(ValidationError);
  });

  it('judges what it can, time and again', () => {
    const steep = jsonSchema({ items: { pattern: STEEP } });

    for (let time = 0; time < 5; time++) expect(steep.check(texts(2, 500)).issues).toBeUndefined();
    expect(steep.check(['é'.repeat(1_000)]).issues).toHaveLength(1);
  });

  it('is bounded by itself too', () => {
    const pattern = linearPattern(STEEP);

    expect(() => pattern.test('é'.repeat(65_536))).toThrow('takes too long');
    expect(pattern.test(texts(1, 1_000)[0]!)).toBe(true);
  });

  it('leaves ordinary patterns their megabytes', () => {
    const paths = jsonSchema({ items: { pattern: '^(?:[a-z]+/)*[a-z]+$' } });
    const plain = jsonSchema({ items: { pattern: '^[^/]*$' } });

    expect(paths.check(Array.from({ length: 10_000 }, () => 'src/components/button')).issues).toBeUndefined();
    expect(plain.check(Array.from({ length: 200 }, () => 'x'.repeat(60_000))).issues).toBeUndefined();
  });
});

describe('a schema of references', () => {
  const level = (at: number) => ({ allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`l${at}`, level(at)]));

  it.each([{ a: 1 }, 'text'])('answers %j, which it takes, however often they meet', (value) => {
    const schema = jsonSchema({ $ref: '#/$defs/l0', $defs: { ...$defs, l60: { not: { type: 'null' } } } });

    expect(schema.check(value).issues).toBeUndefined();
  });

  it('remembers no answer from one value for another', () => {
    const schema = jsonSchema({ items: { $ref: '#/$defs/a' }, $defs: { a: { type: ['integer', 'object'] } } });
    const list = Array.from({ length: 250_000 }, (_, at) => at % 1_000);

    expect(schema.check(list).issues).toBeUndefined();
    expect(schema.check([...list, 'x']).issues).toMatchObject([{ path: '/250000' }]);
  });
});
