import { describe, expect, it, vi } from 'vitest';
import {
  abortSignal,
  anything,
  callback,
  checkOptions,
  checkValue,
  count,
  countOrInfinity,
  either,
  filledText,
  finiteMilliseconds,
  flag,
  given,
  having,
  list,
  listOf,
  milliseconds,
  nested,
  type OptionRule,
  type OptionRules,
  oneOf,
  recordOf,
  required,
  rule,
  secret,
  shape,
  text,
  texts,
  typed,
  uniqueListOf,
  words,
} from './option-rules.ts';

interface Place {
  readonly host: string;
  readonly port?: number;
}
interface Options {
  readonly label?: string;
  readonly at?: Place;
  readonly others?: readonly Place[];
  readonly byName?: Readonly<Record<string, Place>>;
}

const PLACE: OptionRules<Place> = { host: required(text), port: count(0, 65_535) };
const OPTIONS: OptionRules<Options> = {
  label: text,
  at: nested(PLACE),
  others: listOf(nested(PLACE)),
  byName: recordOf(nested(PLACE)),
};
const check = (options: unknown) => () => checkOptions('Server options', options, OPTIONS);

describe('checkOptions', () => {
  it.each([
    {},
    { label: undefined, at: undefined },
    { at: { host: 'a' }, others: [{ host: 'b', port: 0 }], byName: { c: { host: 'c' } } },
    Object.create(null),
    { [Symbol('mark')]: 1 },
  ])('takes %o', (options) => {
    expect(check(options)).not.toThrow();
  });

  it.each<readonly [object, string, string]>([
    [{ lable: 'x' }, 'lable', 'Server options: unknown lable; did you mean label? Known: label, at, others, byName'],
    [{ toString: undefined }, 'toString', 'Server options: unknown toString; known: label, at, others, byName'],
    [{ label: 7, zzz: 1 }, 'zzz', 'Server options: unknown zzz; known: label, at, others, byName'],
    [{ at: { host: 'a', prt: 1 } }, 'at.prt', 'at: unknown prt; did you mean port? Known: host, port'],
    [{ others: [{ host: 'a' }, { zzz: 1 }] }, 'others[1].zzz', 'others[1]: unknown zzz; known: host, port'],
    [{ byName: { c: { zzz: 1 } } }, 'byName.c.zzz', 'byName.c: unknown zzz; known: host, port'],
  ])('names the unknown key of %o, with the path of it', (options, field, message) => {
    expect(check(options)).toThrow(
      expect.objectContaining({ name: 'ValidationError', code: 'VALIDATION_ERROR', field, message }),
    );
  });

  it.each<readonly [object, string, string]>([
    [{ label: 7 }, 'label', 'label must be a text, not 7'],
    [{ label: null }, 'label', 'label must be a text, not null'],
    [{ at: 'here' }, 'at', 'at must be an object, not "here"'],
    [{ at: [] }, 'at', 'at must be an object, not a list'],
    [{ at: {} }, 'at.host', 'at.host must be a text, not undefined'],
    [{ at: { host: {} } }, 'at.host', 'at.host must be a text, not an object'],
    [{ at: { host: 'a', port: 1.5 } }, 'at.port', 'at.port must be a whole number from 0 to 65535, not 1.5'],
    [{ others: {} }, 'others', 'others must be a list, not an object'],
    [{ others: [() => 1] }, 'others[0]', 'others[0] must be an object, not a function'],
    [{ others: [undefined] }, 'others[0]', 'others[0] must be an object, not undefined'],
    [{ byName: { c: { host: 1n } } }, 'byName.c.host', 'byName.c.host must be a text, not 1'],
  ])('says of %o what the value must be', (options, field, message) => {
    expect(check(options)).toThrow(expect.objectContaining({ name: 'ValidationError', field, message }));
  });

  it.each([undefined, null, 'x', 7, () => 1, [], new Map(), new Set()])(
    'refuses %o in place of the options',
    (value) => {
      expect(check(value)).toThrow(/^Server options must be an object, not /);
    },
  );

  it('looks into an option that must be there once', () => {
    const inside = vi.fn<() => void>();
    const rules = { at: required(rule('a place', () => true, inside)) };

    checkOptions('Options', { at: 1 }, rules);

    expect(inside).toHaveBeenCalledOnce();
  });

  it('reads what a class has inherited', () => {
    class Inherited {
      get label() {
        return 7;
      }
    }

    expect(check(new Inherited())).toThrow(expect.objectContaining({ field: 'label' }));
  });

  it('cuts what it shows', () => {
    expect(check({ at: 'x'.repeat(10_000) })).toThrow(/^.{0,200}$/);
    expect(check({ ['x'.repeat(10_000)]: 1 })).toThrow(/^.{0,200}$/);
  });

  it('looks into the one of two forms that is there', () => {
    const rules = { at: either(text, nested(PLACE)) };

    expect(() => checkOptions('Options', { at: 'home' }, rules)).not.toThrow();
    expect(() => checkOptions('Options', { at: { host: 'a' } }, rules)).not.toThrow();
    expect(() => checkOptions('Options', { at: { hots: 'a' } }, rules)).toThrow('at: unknown hots; did you mean host?');
    expect(() => checkOptions('Options', { at: 7 }, rules)).toThrow('at must be a text, or an object, not 7');
  });

  it('refuses a name that is there twice in a list', () => {
    const rules = { all: uniqueListOf(nested(PLACE), 'host') };

    expect(() => checkOptions('Options', { all: [{ host: 'a' }, { host: 'b' }] }, rules)).not.toThrow();
    expect(() => checkOptions('Options', { all: [{ host: 'a' }, { host: 'b' }, { host: 'a' }] }, rules)).toThrow(
      expect.objectContaining({ message: 'all[2].host is there twice: "a"', field: 'all[2].host' }),
    );
    expect(() => checkOptions('Options', { all: [{ hots: 'a' }] }, rules)).toThrow('did you mean host?');
  });

  it('does not show a secret', () => {
    const rules = { key: secret(text), keys: recordOf(secret(text)) };

    expect(() => checkOptions('Options', { key: 12_345 }, rules)).toThrow(/^key must be a text$/);
    expect(() => checkOptions('Options', { keys: { a: 12_345 } }, rules)).toThrow(/^keys.a must be a text$/);
  });
});

describe('given', () => {
  it('copies what is there and has a rule', () => {
    const options = { ...Object.create(null), label: 'x', at: undefined, zzz: 1 } as Options;

    expect(given<Options>(options, OPTIONS)).toStrictEqual({ label: 'x' });
    expect(given<Options>(Object.create({ label: 'inherited' }) as Options, OPTIONS)).toStrictEqual({
      label: 'inherited',
    });
  });
});

describe('the rules', () => {
  const { POSITIVE_INFINITY: infinity, NaN: nan } = Number;

  it.each<readonly [string, OptionRule, readonly unknown[], readonly unknown[]]>([
    ['anything', anything, [null, 1], []],
    ['flag', flag, [true, false], [null, 0, 'true']],
    ['callback', callback, [() => 1], [null, {}]],
    ['abortSignal', abortSignal, [new AbortController().signal], [null, {}, 'now']],
    ['text', text, ['', 'x'], [null, 1, {}]],
    ['filledText', filledText, ['x', ' '], ['', null]],
    ['words', words, ['x'], ['', ' ', null]],
    ['list', list, [[]], [{}, 'x', new Set()]],
    ['texts', texts, [[]], [{}, 'x']],
    ['milliseconds', milliseconds, [0, 1.5, infinity], [-1, nan, '1', null]],
    ['finiteMilliseconds', finiteMilliseconds(), [0, 1.5], [-1, nan, '1', infinity]],
    ['finiteMilliseconds to 10', finiteMilliseconds(10), [0, 10], [11]],
    ['count', count(), [1, 7], [0, 1.5, nan, '1', infinity, 2 ** 60]],
    ['count from 0 to 3', count(0, 3), [0, 3], [4, -1]],
    ['countOrInfinity', countOrInfinity(0), [0, infinity], [-1, 0.5, '1', -infinity]],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', ['a'], null]],
    ['having', having('a Store', 'get', 'set'), [new Map()], [new Set(), null, {}]],
  ])('%s', (_, { fits }, good, bad) => {
    expect(good.map(fits)).toEqual(good.map(() => true));
    expect(bad.map(fits)).toEqual(bad.map(() => false));
  });
});

describe('records from outside', () => {
  const line = typed({ point: shape({ x: required(count(0)), label: text }) });
  const refusalOf = (value: unknown, rule = line) => {
    try {
      checkValue('line', value, rule);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('may hold more than their rules name', () => {
    expect(refusalOf({ type: 'point', x: 1, colour: 'red' })).toBeUndefined();
  });

  it.each([
    [{ type: 'point' }, 'line.x', 'line.x must be a whole number from 0, not undefined'],
    [{ type: 'point', x: 1, label: null }, 'line.label', 'line.label must be a text, not null'],
    [{ type: 'circle' }, 'line.type', 'line.type must be one of point, not "circle"'],
    [{ type: 'toString' }, 'line.type', 'line.type must be one of point, not "toString"'],
    [[], 'line', 'line must be an object, not a list'],
  ])('are refused with the path of what is wrong: %o', (value, field, message) => {
    expect(refusalOf(value)).toMatchObject({ name: 'ValidationError', field, message });
  });

  it('of a type that is not known pass where the rule is open, but not without a type', () => {
    expect(refusalOf({ type: 'toString', x: -1 }, typed({}, true))).toBeUndefined();
    expect(refusalOf({}, typed({}, true))).toMatchObject({ field: 'line.type' });
  });
});
