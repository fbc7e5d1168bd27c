import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';

describe('stem', () => {
  it.each([
    ['file', 'files'],
    ['create', 'creates', 'created', 'creating'],
    ['copy', 'copies', 'copied', 'copying'],
    ['box', 'boxes'],
    ['stop', 'stopped', 'stopping'],
    ['translate', 'translated', 'translation', 'translations'],
    ['deploy', 'deploys', 'deployment', 'deployments'],
  ])('is the same for the forms of %s', (...forms) => {
    expect(new Set(forms.map((form) => stem(form))).size).toBe(1);
  });

  it.each(['string', 'thing', 'need', 'status', 'access', 'analysis', 'use', 'v2', 'über', '検索'])(
    'leaves %s alone',
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );
});
