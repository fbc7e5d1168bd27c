// Run by tests as a second process: sends each line of its input to the session `s1` and prints what came of it. Argument: the file.
import { createInterface } from 'node:readline';
import { isAgentError } from '@x/core';
import { sqliteStore } from '../../src/index.ts';
import { item } from '../support/store-values.ts';

const [path = ''] = process.argv.slice(2);
const store = sqliteStore({ path });
for await (const line of createInterface({ input: process.stdin })) {
  const told = store.enqueue('s1', item(line)).then(
    () => 'recorded',
    (error: unknown) => (isAgentError(error) ? error.code : String(error)),
  );
  console.log(await told);
}
await store[Symbol.asyncDispose]();
