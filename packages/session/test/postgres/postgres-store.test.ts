import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from '../../src/postgres/index.ts';
import { storeContract } from '../../src/testing/index.ts';

let client: PGlite;
let stores = 0;
beforeAll(async () => {
  client = await PGlite.create();
}, 60_000);
afterAll(() => client.close());

/** A store of its own on the one database. */
function make() {
  const schema = `s${(stores += 1)}`;
  return { store: postgresStore({ client, schema }), reopen: () => postgresStore({ client, schema }) };
}

/** It changes the clock of this process, and the server is in it. */
const OWN_CLOCK = 'ends leases by its own clock, whatever the time of day of this process';

describe('postgresStore on PGlite', () => {
  for (const { name, run } of storeContract(make, { commandRuns: 2 }).filter((one) => one.name !== OWN_CLOCK)) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }
});
