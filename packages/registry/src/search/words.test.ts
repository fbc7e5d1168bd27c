import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { queryWordsOf, wordsOf } from './words.ts';

describe('wordsOf', () => {
  it.each([
    ['read-file', ['read', 'file']],
    ['run_command', ['run', 'command']],
    ['readFile', ['read', 'file', 'readfile']],
    ['readFileSync', ['read', 'file', 'sync']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['sha256 v2 s3', ['sha', '256', 'sha256', 'v2', 's3']],
    ['Über-Größe 2', ['über', 'größe', '2']],
    ['ﬁle ＡＢ', ['file', 'ab']],
    ['!? --', []],
    ['検索 ab', ['検', '索', '検索', 'ab']],
    ['木', ['木']],
  ])('cuts %s into %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('queryWordsOf', () => {
  it.each([
    ['read file, READ', ['read', 'file']],
    ['readFile', ['readfile']],
    ['全文検索', ['全文', '文検', '検索']],
    ['PDFを検索', ['pdf', 'を検', '検索']],
    ['木', ['木']],
    ['天气，预报', ['天气', '预报']],
    ['サーバー', ['サー', 'ーバ', 'バー']],
    ['번역 합니다', ['번역', '합니', '니다']],
  ])('looks in %s for %j', (query, words) => {
    expect([...queryWordsOf(query)]).toEqual(words);
  });

  test.prop([fc.string()])('looks for the same words whatever the case', (text) => {
    expect(queryWordsOf(text.toUpperCase())).toEqual(queryWordsOf(text.toLowerCase()));
  });
});
