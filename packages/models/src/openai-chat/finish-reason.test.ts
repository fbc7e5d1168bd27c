import { describe, expect, it } from 'vitest';
import { endingOf, stopReasonOf } from './finish-reason.ts';

describe('endingOf', () => {
  it.each([
    ['end', ['', 'stop', 'eos', 'stop_sequence', 'end_turn', 'tool_use', 'tool_calls', 'function_call', 'no word']],
    ['length', ['length', 'max_tokens', 'model_length', 'MAX_TOKENS']],
    ['refusal', ['content_filter', 'SAFETY', 'sensitive', 'refusal', 'RECITATION']],
    ['failure', ['error', 'network_error', 'insufficient_system_resource', 'abort', 'x: MALFORMED_FUNCTION_CALL']],
  ])('knows the words for %s', (ending, words) => {
    expect(new Set(words.map(endingOf))).toEqual(new Set([ending]));
  });
});

describe('stopReasonOf', () => {
  it('says that tools are asked for when there are calls, whatever the word, unless the reply was ended before its time', () => {
    expect(stopReasonOf('stop', { refused: false, calls: 1 })).toBe('tool_use');
    expect(stopReasonOf('tool_calls', { refused: false, calls: 0 })).toBe('end');
    expect(stopReasonOf('length', { refused: true, calls: 1 })).toBe('length');
    expect(stopReasonOf('content_filter', { refused: false, calls: 1 })).toBe('refusal');
    expect(stopReasonOf('stop', { refused: true, calls: 0 })).toBe('refusal');
  });
});
