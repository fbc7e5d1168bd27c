import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorMeanings, textOf } from './error-codes.ts';
import { readSources } from './read-sources.ts';

const meanings = errorMeanings(readSources(fileURLToPath(new URL('../../../../', import.meta.url))));
/** A model of one's own need not know the class, so the loop throws the code of the models without it; a service refuses for reasons that we have too. */
const SHARED = ['MODEL_ERROR', 'AUTHENTICATION_ERROR', 'RATE_LIMIT_EXCEEDED'];
const inSources = (text: string) => errorMeanings([{ path: 'packages/tools/src/a.ts', text }]).map(textOf);

describe('the codes of errors', () => {
  it('say one thing each, whichever package throws it', () => {
    const codes = meanings.map(({ code }) => code);
    const doubled = codes.filter((code, index) => codes.indexOf(code) !== index && !SHARED.includes(code));

    expect(meanings.length).toBeGreaterThan(50);
    expect(doubled).toEqual([]);
  });

  it('are those of etc/error-codes.json; if meant: node scripts/update-exports.mjs', () => {
    const pinned: unknown = JSON.parse(readFileSync(new URL('../../etc/error-codes.json', import.meta.url), 'utf8'));

    expect(meanings.map(textOf)).toEqual(pinned);
  });
});

describe('errorMeanings', () => {
  it.each([
    ["throw new AgentError('m', 'GONE', 410);", ['GONE AgentError 410']],
    ["const e = new MCPError('m', 'GONE');", ['GONE MCPError 500']],
    ["throw new AgentError('m', { code: 'GONE', cause });", ['GONE AgentError 500']],
    ["throw new AgentError('m', { code: 'GONE', statusCode });", ['GONE AgentError varies']],
    ["class LostError extends AgentError { constructor(m) { super(m, 'LOST', 404); } }", ['LOST LostError 404']],
    [
      "class LostError extends AgentError { constructor(m, o = { code: 'LOST' }) { super(m, o); } }",
      ['LOST LostError 500'],
    ],
    [
      'const S = { LOST: 404, GONE: 410 } as const; class LostError extends AgentError { constructor(m, o) { super(m, o); } }',
      ['GONE LostError 410', 'LOST LostError 404'],
    ],
    ["throw new Error('m', 'GONE');", []],
  ])('reads %s', (text, expected) => {
    expect(inSources(text)).toEqual(expected);
  });

  it('tells two meanings of a code apart', () => {
    expect(inSources("new AgentError('m', 'GONE', 410); new AgentError('m', { code: 'GONE' });")).toHaveLength(2);
  });
});
