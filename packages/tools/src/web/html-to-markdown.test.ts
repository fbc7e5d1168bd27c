import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from './html-to-markdown.ts';

const base = new URL('https://a.example/dir/page');
const markdownOf = (html: string) => htmlToMarkdown(html, base);
const TAGS = 'a p div ul ol li table tr td th pre code h1 blockquote br img title svg script textarea b'.split(' ');

describe('htmlToMarkdown', () => {
  it.each([
    ['<title>T &amp; U</title><h1>Head</h1><p>one<p>two', 'T & U\n\n# Head\n\none\n\ntwo'],
    ['<p> a \n <b>b</b>c <i>d </i>e', 'a bc d e'],
    ['a<template>b<template>c</template><p>d</template>e', 'ae'],
    ['<pre></pre>a', '```\n```\n\na'],
    ['<div>a</div><div>b<br>c</div>', 'a\nb\nc'],
    ['<ul><li>a<ul><li>b</ul><li>c</ul>d', '- a\n  - b\n- c\n\nd'],
    ['<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
    ['<p>use <code>a  b</code> now</p>', 'use `a b` now'],
    ['a<pre><code>if (a &lt; b) {\n  c\n}\n</code></pre>d', 'a\n\n```\nif (a < b) {\n  c\n}\n```\n\nd'],
    ['<table><tr><th>A<th>B<tr><td><p>1</p><td>2<br>3</table>d', '| A | B |\n| --- | --- |\n| 1 | 2 3 |\n\nd'],
    ['<blockquote><p>a</p></blockquote>b', '> a\n\nb'],
    ['a<hr>b', 'a\n\n---\n\nb'],
    [
      '<a href="next?a=1&amp;b=2">x</a> <a href="../up"> y </a>',
      '[x](https://a.example/dir/next?a=1&b=2) [y](https://a.example/up)',
    ],
    ['<a href="javascript:alert(1)">x</a><a href="#top">y</a><a>z</a><a href="b"></a>', 'xyz'],
    ['<a href=b>x<a href=c>y', '[x](https://a.example/dir/b)[y'],
    ['<img src=a.png alt="A picture"><img src=b.png>', '![A picture](https://a.example/dir/a.png)'],
    ['a<script>if (a < b) "</p>"</script><style>p{}</style><svg><title>x</title></svg><template>y</template>b', 'ab'],
    ['<!-- a --><!doctype html>b &notanentity; < c <3', 'b ¬anentity; < c <3'],
    ['</p></ul></a></table></pre></blockquote>a<tr><td>b', 'a\n| b'],
  ])('writes %j as %j', async (html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  const tag = fc.constantFrom(...TAGS).chain((name) => fc.constantFrom(`<${name}>`, `</${name}>`, `<${name} href=x>`));
  test.prop([fc.array(fc.oneof(tag, fc.constantFrom('text', ' ', '\n', '<', '&amp;', '"')), { maxLength: 60 })], {
    numRuns: 500,
  })('takes tags in any order', async (pieces) => {
    expect(await markdownOf(pieces.join(''))).toBeTypeOf('string');
  });

  it.each([
    '<div>',
    '<b>',
    '<',
    '&',
    '<!--',
    '<a href="',
    '<ul><li>a',
    '<table><tr><td>a',
    '<blockquote>a',
    '<pre>\n',
    '<a x ',
  ])('writes for a megabyte of %j not much more', async (piece) => {
    const markdown = await markdownOf(piece.repeat(1_000_000 / piece.length));

    expect(markdown.length).toBeLessThan(6_000_000);
  });

  it('lets others have their turn while it reads', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);

    await markdownOf('<p>a</p>'.repeat(500_000));
    clearInterval(timer);

    expect(turns).toBeGreaterThan(5);
  });
});
