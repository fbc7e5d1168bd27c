import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { parseCommandFile } from './parse-command-file.ts';

const front = (...lines: string[]) => ['---', ...lines, '---', 'Do it.'].join('\n');

describe('parseCommandFile', () => {
  it.each<[string, object]>([
    ['Do it.', { body: 'Do it.' }],
    ['\n# Do\r\n\r\nit.\n\n', { body: '# Do\n\nit.' }],
    [
      front('description: Does it', 'argument-hint: [what] <when>'),
      { description: 'Does it', argumentHint: '[what] <when>', body: 'Do it.' },
    ],
    [
      front('', '# said of it', '  ', `description: 'It''s "done": yes'`),
      { description: `It's "done": yes`, body: 'Do it.' },
    ],
    [front(String.raw`description: "a \"b\" \\ c: d"`), { description: String.raw`a "b" \ c: d`, body: 'Do it.' }],
    [front(), { body: 'Do it.' }],
    ['Do it.\n\n---\n\nThen that.', { body: 'Do it.\n\n---\n\nThen that.' }],
  ])('reads %j', (text, expected) => {
    expect(parseCommandFile(text, 'x.md')).toEqual(expected);
  });

  it.each<[string, number, string]>([
    ['', 1, 'no text'],
    [front('description: a').replace('Do it.', ' '), 4, 'no text'],
    ['---\ndescription: a\nDo it.', 1, 'no second one closes'],
    [front('', 'Do this:'), 3, '"Do this" is not known'],
    [front('descripton: a'), 2, 'did you mean description?'],
    [front('model: gpt'), 2, 'known: description, argument-hint'],
    [front('just words'), 2, 'key: value'],
    [front('description: a', 'description: b'), 3, 'twice'],
    [front('description:'), 2, 'missing'],
    [front("description: ''"), 2, 'missing'],
    [front('description: "a'), 2, 'quotes'],
    [front("argument-hint: '"), 2, 'quotes'],
    [front('description: |', '  a'), 2, 'one line'],
    [front('description: >-'), 2, 'one line'],
    [front('__proto__: a'), 2, '"__proto__" is not known'],
  ])('refuses %j, in line %i', (text, line, what) => {
    const parsing = () => parseCommandFile(text, '/commands/x.md');

    expect(parsing).toThrow(ValidationError);
    expect(parsing).toThrow(`/commands/x.md, line ${line}: `);
    expect(parsing).toThrow(what);
  });
});
