import { describe, expect, it } from 'vitest';
import { checkExtraBody, withExtra } from './extra-body.ts';

describe('withExtra', () => {
  it('lets the fields of the host win, and joins objects one level deep', () => {
    const own = { max_tokens: 1, generationConfig: { a: 1, b: { c: 1 } }, stop: ['x'] };

    const joined = withExtra(
      own,
      { max_tokens: 2, generationConfig: { b: { d: 2 } }, stop: ['y'], seed: 3 },
      { hasTools: true },
    );

    expect(joined).toEqual({ max_tokens: 2, generationConfig: { a: 1, b: { d: 2 } }, stop: ['y'], seed: 3 });
    expect(own).toEqual({ max_tokens: 1, generationConfig: { a: 1, b: { c: 1 } }, stop: ['x'] });
  });

  it('changes nothing without fields of the host', () => {
    expect(withExtra({ a: 1 }, undefined, { hasTools: true })).toEqual({ a: 1 });
  });
});

describe('checkExtraBody', () => {
  it('refuses what requests set themselves, and takes all else', () => {
    expect(() => checkExtraBody({ seed: 1, stream: false }, ['stream'])).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'provider.extraBody.stream' }),
    );
    expect(() => checkExtraBody({ seed: 1 }, ['stream'])).not.toThrow();
    expect(() => checkExtraBody(undefined, ['stream'])).not.toThrow();
  });
});
