import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readJson } from './read-json.ts';

describe('readJson', () => {
  it.each([
    ['as it is', '{"a":1}'],
    ['with white space around it', ' \n{"a":1}\r\n\t'],
    ['behind a byte order mark', '\uFEFF{"a":1}'],
    ['in a fence', '```json\n{"a":1}\n```'],
    ['in a fence without a language', '```\n{"a":1}\n```'],
    ['in a fence, in capitals, with white space everywhere', '\n```JSON  \r\n {"a":1} \r\n``` \n'],
    ['in a fence of one line', '```json {"a":1}```'],
    ['in a fence without a space', '```json{"a":1}```'],
  ])('reads JSON %s', (_, text) => {
    expect(readJson(text)).toEqual({ json: '{"a":1}', value: { a: 1 } });
  });

  it.each(['', '\n', ' \r\n\n'])('reads one answer that is written twice, with %j between', (between) => {
    expect(readJson(`{"a":[1]}${between}{"a":[1]}`)).toEqual({ json: '{"a":[1]}', value: { a: [1] } });
    expect(readJson(`\`\`\`json\n[1]${between}[1]\n\`\`\``)).toEqual({ json: '[1]', value: [1] });
  });

  it('keeps what only looks as if it were written twice', () => {
    for (const text of ['11', '[[1],[1]]', '"}}"']) expect(readJson(text)).toMatchObject({ json: text });
    for (const text of ['1 1', '"a""a"', '{"a":1}{"a":1}{"a":1}']) expect(readJson(text)).toHaveProperty('fault');
  });

  it('keeps fences that are part of a value', () => {
    const text = JSON.stringify({ code: '```json\n{}\n```' });

    expect(readJson(text)).toEqual({ json: text, value: { code: '```json\n{}\n```' } });
    expect(readJson(`\`\`\`json\n${text}\n\`\`\``)).toMatchObject({ json: text });
  });

  it.each([
    ['words', 'Hello.'],
    ['words before it', 'Here it is: {"a":1}'],
    ['words behind it', '{"a":1} I hope this helps.'],
    ['a fence among words', 'For example\n```json\n{"a":1}\n```'],
    ['two fences', '```json\n{"a":1}\n```\n```json\n{"a":2}\n```'],
    ['half of it', '{"a":'],
    ['two values', '{"a":1}{"a":2}'],
    ['a fence that is not closed', '```json\n{"a":1}'],
    ['another language', '```json5\n{"a":1}\n```'],
    ['JavaScript', "{a: 'b'}"],
  ])('does not take %s for an answer', (_, text) => {
    expect(readJson(text)).toEqual({ fault: expect.stringMatching(/^The answer is not JSON: ./) });
  });

  it.each(['', ' \n', '``````', '```json\n```'])('says that %j is empty', (text) => {
    expect(readJson(text)).toEqual({ fault: 'The answer is empty.' });
  });

  test.prop([fc.json(), fc.constantFrom('', ' ', '\n', '\r\n'), fc.constantFrom('', 'json', 'JSON')])(
    'reads any value, bare or in a fence',
    (json, space, language) => {
      const value: unknown = JSON.parse(json);

      expect(readJson(`${space}${json}${space}`)).toEqual({ json: json.trim(), value });
      expect(readJson(`${space}\`\`\`${language}\n${json}\n\`\`\`${space}`)).toEqual({ json: json.trim(), value });
    },
  );
});
