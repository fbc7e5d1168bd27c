import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { randomFrom } from '../../session/verify/support/tally.ts';
import { Contract, documentOf } from './support/contract.ts';
import { malformedRequest } from './support/malformed.ts';
import { served } from './support/served.ts';

const REQUESTS_OF_A_RUN = 30;
const server = await served({ production: true });
const contract = new Contract(await documentOf(server));

describe('malformed requests', () => {
  test.prop([fc.integer()], { numRuns: 70 })('ZH05 are answered as the document says', async (seed) => {
    const random = randomFrom(seed);
    const faults: unknown[] = [];
    for (let request = 0; request < REQUESTS_OF_A_RUN; request += 1) {
      const given = malformedRequest(random);
      const answer = await server.inject(given);
      faults.push(...contract.faults(given.method, given.url, answer));
      if (answer.statusCode >= 500 && !/"code":"(TOOL_EXECUTION_ERROR|UPSTREAM|ODD)"/.test(answer.body))
        faults.push(given, answer.body);
    }

    expect(faults).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
