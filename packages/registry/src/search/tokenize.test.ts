import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { tokenize } from './tokenize.ts';

describe('tokenize', () => {
  it.each([
    ['read-file', ['read', 'file']],
    ['run_command', ['run', 'command']],
    ['readFileSync', ['readfilesync']],
    ['Über-Größe 2', ['über', 'größe', '2']],
    ['ﬁle ＡＢ', ['file', 'ab']],
    ['!? --', []],
    ['検索', ['検索']],
    ['全文検索', ['全文', '文検', '検索']],
    ['PDFを検索', ['pdf', 'を検', '検索']],
    ['木', ['木']],
    ['天气，预报', ['天气', '预报']],
    ['サーバー', ['サー', 'ーバ', 'バー']],
    ['번역 합니다', ['번역', '합니', '니다']],
  ])('cuts %s into %j', (text, terms) => {
    expect(tokenize(text)).toEqual(terms);
  });

  it('adds single characters and the parts of camel words for the index', () => {
    expect(tokenize('検索 ab', { indexing: true })).toEqual(['検', '索', '検索', 'ab']);
    expect(tokenize('readFile', { indexing: true })).toEqual(['readfile', 'read', 'file']);
    expect(tokenize('HTTPServer', { indexing: true })).toEqual(['httpserver', 'http', 'server']);
  });

  test.prop([fc.string({ unit: 'grapheme' })])('finds in a text every term it looks for', (text) => {
    const indexed = new Set(tokenize(text, { indexing: true }));

    expect(tokenize(text).filter((term) => !indexed.has(term))).toEqual([]);
  });

  test.prop([fc.string()])('looks for the same terms whatever the case', (text) => {
    expect(tokenize(text.toUpperCase())).toEqual(tokenize(text.toLowerCase()));
  });
});
