import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['maxTurn', 'maxTurns'],
    ['permisionMode', 'permissionMode'],
    ['MODEL', 'model'],
    ['sys', 'systemPrompt'],
    ['', 'model'],
  ])('takes %j for %s', (name, meant) => {
    expect(nearestName(name, ['systemPrompt', 'permissionMode', 'maxTurns', 'model'])).toBe(meant);
  });

  it('prefers a name that begins so over a shorter one with fewer edits', () => {
    expect(nearestName('openai', ['gemini', 'openai-compatible'])).toBe('openai-compatible');
  });
});
