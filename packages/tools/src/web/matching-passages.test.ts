import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { matchingPassages } from './matching-passages.ts';

const GAP = '[...]';

describe('matchingPassages', () => {
  it('puts rare words over frequent ones, and keeps the order of the text', () => {
    const text = ['the one', 'the two', 'the three', 'the four', 'the two five'].join('\n\n');

    expect(matchingPassages(text, 'the two', 40)).toBe(`${GAP}\n\nthe two\n\n${GAP}\n\nthe two five`);
  });

  it('finds words of languages without spaces', () => {
    const text = ['第一章', '北京的天气很好', '第三章'].join('\n\n');

    expect(matchingPassages(text, '天气怎么样', 20)).toContain('北京的天气很好');
  });

  test.prop(
    [fc.array(fc.lorem({ mode: 'sentences' }), { maxLength: 30 }), fc.lorem(), fc.integer({ min: 50, max: 3_000 })],
    { numRuns: 200 },
  )('is never longer than allowed, and has nothing that is not in the text', (paragraphs, question, most) => {
    const text = paragraphs.join('\n\n');

    const shown = matchingPassages(text, question, most);

    const passages = shown.split('\n\n').filter((passage) => passage !== GAP && passage !== '');
    expect(passages.join('').length).toBeLessThanOrEqual(most);
    expect(shown.length).toBeLessThanOrEqual(most + GAP.length + 2);
    let from = 0;
    for (const passage of passages) {
      const at = text.indexOf(passage, from);
      expect(at).toBeGreaterThanOrEqual(from);
      from = at + passage.length;
    }
  });
});
