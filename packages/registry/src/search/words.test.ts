import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { queryWordsOf, tokensOf, wordsOf } from './words.ts';

describe('tokensOf', () => {
  it.each([
    ['read-file', ['read', 'file']],
    ['run_command2', ['run', 'command2']],
    ['Über-Größe 2', ['Über', 'Größe', '2']],
    ['ﬁle ＡＢ', ['file', 'AB']],
    ['!? --', []],
    ['検索 ab', ['検索', 'ab']],
  ])('cuts %s into %j', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
  });
});

describe('wordsOf', () => {
  it.each([
    ['Read', ['read']],
    ['readFile', ['read', 'file', 'readfile']],
    ['readFileSync', ['read', 'file', 'sync']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['sha256', ['sha', '256', 'sha256']],
    ['v2', ['v2']],
    ['s3', ['s3']],
    ['Größe', ['größe']],
    ['検索ab', ['検', '索', '検索', 'ab']],
    ['木', ['木']],
  ])('has of %s the words %j', (token, words) => {
    expect(wordsOf(token)).toEqual(words);
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
