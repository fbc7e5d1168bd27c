import { afterAll, describe, expect, it } from 'vitest';
import { wrongLists } from '../verify/support/hostile-lists.ts';
import { talk } from '../verify/support/hostile-talk.ts';
import { trial } from '../verify/support/hostile-trial.ts';
import { web } from '../verify/support/hostile-web.ts';
import { closeAll } from './support/hubs.ts';

afterAll(closeAll);

/** The quick ones of those that `verify/hostile-servers.verify.ts` runs. */
const QUICK = new Set([
  'ends at the list',
  'speaks a protocol of the future',
  'prints words first',
  'sends 10 MB without an end',
  'answers 100,000 levels deep',
  'answers calls that nobody made, among one',
  'answers with an error',
  'answers with content of all wrong kinds',
  'asks and does not listen',
  'pollutes prototypes',
  'leaves a process in a session of its own',
  'tools that are none',
  'a list that is none',
  'a name that is a number',
  'a schema of 1 MB',
  'a description of 5 MB',
  'the same page for ever',
  'HTTP: refuses with 500',
  'HTTP: answers with a page',
  'HTTP: answers with broken JSON',
  'HTTP: hangs up',
  'HTTP: an event of 12 MB',
  'SSE: sends messages to another origin',
]);
const cases = [...talk, ...wrongLists, ...web].filter(({ name }) => QUICK.has(name));

describe('a hostile server', () => {
  it('is one of those that are there', () => {
    expect(cases).toHaveLength(QUICK.size);
  });

  it.each(cases.map((one) => [one.name, one] as const))('costs nobody else anything: %s (H8)', async (_, one) => {
    expect(await trial(one)).toEqual([]);
  });
});
