import { describe, expect, it } from 'vitest';
import { bareName } from './bare-name.ts';

describe('bareName', () => {
  it.each([
    ['gpt-5', 'gpt-5'],
    ['openai/GPT-5', 'gpt-5'],
    ['a/b/gpt-5', 'gpt-5'],
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['ft:gpt-4o-mini:acme::x', 'gpt-4o-mini:acme::x'],
    ['openai.gpt-oss-120b', 'gpt-oss-120b'],
    ['', ''],
  ])('of %j is %j', (name, bare) => {
    expect(bareName(name)).toBe(bare);
  });
});
