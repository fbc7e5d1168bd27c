import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { StreamedArguments } from './streamed-arguments.ts';
import { isObjectText } from './tool-arguments.ts';

function after(pieces: readonly string[]): StreamedArguments {
  const streamed = new StreamedArguments();
  for (const piece of pieces) streamed.add(piece);
  return streamed;
}

describe('StreamedArguments', () => {
  const bits = fc.constantFrom('{', '}', '"', '\\', ':', ',', ' ', '\n', 'a', '1', '[', ']', '{}', '{"a":1}');

  test.prop([fc.array(bits, { maxLength: 40, size: 'max' })], { numRuns: 1_000 })(
    'knows after every piece whether they are an object that has been ended',
    (pieces) => {
      const streamed = new StreamedArguments();
      for (const [index, piece] of pieces.entries()) {
        streamed.add(piece);
        const text = pieces.slice(0, index + 1).join('');

        expect(streamed.text).toBe(text);
        expect(streamed.isWhole).toBe(text.trimStart().startsWith('{') && isObjectText(text));
      }
    },
  );

  it('is not deceived by braces and quotes inside strings', () => {
    expect(after(['{"a":"}', '"']).isWhole).toBe(false);
    expect(after(['{"a":"\\', '"}', '"']).isWhole).toBe(false);
    expect(after(['{"a":"\\', '"}', '"', '} ']).isWhole).toBe(true);
  });
});
