import { describe, expect, it } from 'vitest';
import { knownNames, nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['maxTurn', 'maxTurns'],
    ['permisionMode', 'permissionMode'],
    ['MODEL', 'model'],
    ['sys', 'systemPrompt'],
    ['mdoel', 'model'],
  ])('takes %j for %s', (name, meant) => {
    expect(nearestName(name, ['systemPrompt', 'permissionMode', 'maxTurns', 'model'])).toBe(meant);
  });

  it('prefers a name that begins so over a shorter one with fewer edits', () => {
    expect(nearestName('openai', ['gemini', 'openai-compatible'])).toBe('openai-compatible');
  });

  it.each([
    ['enabled', ['category', 'tag', 'tags']],
    ['temperature', ['tracer', 'title', 'metadata']],
    ['xyz', ['abc', 'cwd']],
    ['', ['model']],
    ['model', []],
  ])('does not guess for %j what is far from it', (name, known) => {
    expect(nearestName(name, known)).toBeUndefined();
  });

  it('guesses up to a bound of edits', () => {
    expect(nearestName('onAvant', ['onEvent'], 2)).toBe('onEvent');
    expect(nearestName('onAvant', ['onEvent'], 1)).toBeUndefined();
  });
});

describe('knownNames', () => {
  it('gives the nearest name and all, or all alone', () => {
    expect(knownNames('limt', ['page', 'limit'])).toBe('did you mean limit? Known: page, limit');
    expect(knownNames('temperature', ['page', 'limit'])).toBe('known: page, limit');
  });
});
