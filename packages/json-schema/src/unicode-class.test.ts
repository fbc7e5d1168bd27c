import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-pattern.ts';

/** A character of each general category that RE2 knows. */
const SAMPLES = 'Aaλǅʰª\u0301\u0903\u20dd5Ⅷ½_-()«»!+$^©  \u2028\u2029\0\u200b\ue000\u0378'.split('');

describe('a class of Unicode', () => {
  it.each(
    [
      'Letter Cased_Letter Uppercase_Letter Lowercase_Letter Titlecase_Letter Modifier_Letter Other_Letter Mark',
      'Combining_Mark Nonspacing_Mark Spacing_Mark Enclosing_Mark Number Decimal_Number digit Letter_Number Other_Number',
      'Punctuation punct Connector_Punctuation Dash_Punctuation Open_Punctuation Close_Punctuation Initial_Punctuation',
      'Final_Punctuation Other_Punctuation Symbol Math_Symbol Currency_Symbol Modifier_Symbol Other_Symbol Separator',
      'Space_Separator Line_Separator Paragraph_Separator Other Control cntrl Format Private_Use Unassigned Script=Latin sc=Greek',
    ].flatMap((names) => names.split(' ')),
  )('is what ECMA-262 means by %s', (name) => {
    for (const source of [`\\p{${name}}`, `\\P{${name}}`, `[\\p{${name}}-]`]) {
      const [pattern, reference] = [linearPattern(source), new RegExp(source, 'u')];
      const found = SAMPLES.map((text) => pattern.test(text));

      expect(found).toEqual(SAMPLES.map((text) => reference.test(text)));
      expect(found).toContain(false);
    }
  });

  it('that is not known is refused by its name', () => {
    expect(() => linearPattern('^\\p{Script=Klingon}+')).toThrow(/names a class that is not known here; .*Klingon/);
  });
});
