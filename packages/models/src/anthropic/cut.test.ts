import { describe, expect, it } from 'vitest';
import { facts, read, wire } from '../../test/replies/anthropic.ts';

describe('AnthropicReplyReader, wherever the bytes end', () => {
  it.each(['thinking', 'interleaved-thinking', 'server-tool', 'length-in-call', 'nameless'])(
    'reads all of %s, or fails to be tried again',
    (name) => {
      const bytes = wire(name);
      const whole = facts(read([bytes]).message);
      const ends = Array.from({ length: bytes.length }, (_, end) => end);
      const failure = expect.objectContaining({ name: 'ModelError', retryable: true });
      const outcomes = ends.map((end) => {
        try {
          return facts(read([bytes.subarray(0, end)]).message);
        } catch (error) {
          return error;
        }
      });

      const failures = outcomes.filter((outcome) => outcome instanceof Error);
      const others = outcomes.filter((outcome) => !(outcome instanceof Error));
      expect(failures).toEqual(failures.map(() => failure));
      expect(others).toEqual(others.map(() => whole));
      expect(failures.length).toBeGreaterThan(others.length);
    },
  );
});
