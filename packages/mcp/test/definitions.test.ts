import { describe, expect, it } from 'vitest';
import { cleanText, withCleanTexts } from '../src/definitions/clean-text.ts';
import { hashOf } from '../src/definitions/hash.ts';
import { listAll } from '../src/definitions/list-all.ts';
import { readDefinitions } from '../src/definitions/read-definitions.ts';
import { toolNameOf } from '../src/definitions/tool-name.ts';
import { ToolPins } from '../src/definitions/tool-pins.ts';
import { limitsOf } from '../src/port/limits.ts';

describe('cleanText', () => {
  it.each([
    ['zero width', 'a\u200bb\u200cc\u200dd\ufeff', 'abcd'],
    ['direction', '\u202aa\u202eb\u2066c\u2069', 'abc'],
    ['tags', 'a\u{e0001}\u{e0041}\u{e007f}b', 'ab'],
    ['variations', 'a\ufe0fb\u{e0101}', 'ab'],
    ['controls', 'a\u0000b\u001b[0m\u009b', 'ab[0m'],
    ['fillers', 'a\u3164b\u2800c', 'abc'],
    ['half characters', 'a\ud800b', 'ab'],
    ['what is seen', 'Zeile 1\n\tä 漢字 🙂 עברית', 'Zeile 1\n\tä 漢字 🙂 עברית'],
  ])('%s', (_, text, clean) => {
    expect(cleanText(text, 100)).toBe(clean);
  });

  it('cuts, never in the middle of a character', () => {
    expect(cleanText('abcdef', 4)).toBe('abc…');
    expect(cleanText('ab🙂🙂', 4)).toBe('ab…');
  });
});

describe('withCleanTexts', () => {
  it('cleans what describes, and leaves values alone', () => {
    const hidden = 'a\u200b';
    const schema = {
      description: hidden,
      enum: [hidden],
      properties: { description: { title: hidden, const: { title: hidden } } },
    };

    expect(withCleanTexts(schema, 10)).toEqual({
      description: 'a',
      enum: [hidden],
      properties: { description: { title: 'a', const: { title: hidden } } },
    });
  });
});

describe('toolNameOf', () => {
  it('keeps a name of 64 letters, and shortens one of 65 by its hash (M21)', () => {
    const [fits, long] = [toolNameOf('s', 'a'.repeat(56)), toolNameOf('s', 'a'.repeat(57))];

    expect(fits).toBe(`mcp__s__${'a'.repeat(56)}`);
    expect(long).toMatch(/^mcp__s__a{47}_[0-9a-f]{8}$/);
    expect(toolNameOf('s', `${'a'.repeat(56)}b`)).not.toBe(long);
    expect(toolNameOf('s', 'a'.repeat(57))).toBe(long);
  });
});

describe('hashOf', () => {
  it('does not depend on the order of keys, but on that of lists', () => {
    expect(hashOf({ a: { c: 1, d: 2 }, b: [1, 2] })).toBe(hashOf({ b: [1, 2], a: { d: 2, c: 1 } }));
    expect(hashOf([1, 2])).not.toBe(hashOf([2, 1]));
  });
});

describe('readDefinitions', () => {
  it('reads a list that cannot change once, and any other each time', () => {
    const list = [{ name: 'a', inputSchema: {} }];
    const namesIn = () => readDefinitions('s', list, limitsOf({})).tools.map(({ name }) => name);
    const before = namesIn();
    list.push({ name: 'b', inputSchema: {} });
    const frozen = Object.freeze([...list]);

    expect([before, namesIn()]).toEqual([['a'], ['a', 'b']]);
    expect(readDefinitions('s', frozen, limitsOf({}))).toBe(readDefinitions('s', frozen, limitsOf({})));
    expect(readDefinitions('t', frozen, limitsOf({})).tools.map(({ toolName }) => toolName)).toEqual([
      'mcp__t__a',
      'mcp__t__b',
    ]);
  });

  it('is the same list whatever the order of the server (M27)', () => {
    const tools = ['b', 'a', 'C'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const names = (list: readonly unknown[]) =>
      readDefinitions('s', list, limitsOf({})).tools.map(({ toolName }) => toolName);

    expect(names(tools)).toEqual(['mcp__s__C', 'mcp__s__a', 'mcp__s__b']);
    expect(names(tools.toReversed())).toEqual(names(tools));
  });

  it('gives a tool without a description its name as one', () => {
    const { tools } = readDefinitions('s', [{ name: 'a', inputSchema: {} }], limitsOf({}));

    expect(tools).toMatchObject([{ description: 'a', schema: { json: { type: 'object' } } }]);
  });
});

describe('listAll', () => {
  it.each([{}, { nextCursor: null }, { nextCursor: '' }])('reads all pages, the last one with %j', async (end) => {
    const pages: Record<string, object> = { '': { items: [1], nextCursor: 'x' }, x: { items: [2], ...end } };

    expect(await listAll(async ({ cursor = '' }) => pages[cursor] as never, 'items', 10)).toEqual({
      items: [1, 2],
      isCut: false,
    });
  });

  it.each([
    ['pages that repeat', async () => ({ items: [], nextCursor: 'again' })],
    ['too many items', async () => ({ items: Array(11).fill(0) })],
    ['pages without end', async () => ({ items: [], nextCursor: crypto.randomUUID() })],
  ])('ends: %s', async (_, ask) => {
    expect(await listAll(ask, 'items', 10)).toMatchObject({ isCut: true });
  });

  it('refuses what is no list', async () => {
    await expect(listAll(async () => ({ items: 'all' }), 'items', 10)).rejects.toThrow('no list');
  });
});

describe('ToolPins', () => {
  it('take no more than 10,000 names of one server', () => {
    const pins = new ToolPins([], () => undefined);
    const admits = (serverName: string, name: string) => pins.admitted(serverName, [{ name, hash: 'h' }]).length === 1;
    for (let count = 0; count < 10_000; count += 1) admits('a', `t${count}`);

    expect(admits('a', 'one more')).toBe(false);
    expect(admits('a', 't7')).toBe(true);
    expect(admits('b', 'one more')).toBe(true);
    expect(pins.list()).toHaveLength(10_001);
  });
});
