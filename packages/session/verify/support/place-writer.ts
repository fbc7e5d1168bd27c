// A session on a place that fails. Talks until the store does not take a word any more and prints the error as JSON, or until it has
// said enough; waits for a line on its input, by when the place is well again; then goes on in the same process and ends.
// Arguments: the database, the working directory, the file for what it was told, messages to say, how many files the process may still
// open (empty: no matter), and `acknowledge` for a store that acknowledges early (a control).

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { isAgentError } from '@x/core';
import { createSession, type ISession, sqliteStore } from '../../src/index.ts';
import { acknowledgeTo, learntFrom } from './acknowledgements.ts';
import { busyOptions, type Told } from './busy-work.ts';
import { acknowledgingEarly, withLease } from './store-wrappers.ts';

/** What the host of the session was told. */
export interface PlaceFailure {
  readonly code: string;
  readonly message: string;
}

const [path = '', cwd = '', list = '', messages = '0', filesLeft = '', guard] = process.argv.slice(2);
const file = withLease(sqliteStore({ path }), 1);
const store = guard === 'acknowledge' ? acknowledgingEarly(file) : file;
const write = acknowledgeTo(list, { sync: false });
let session: ISession | undefined;

// What is loaded on first use is loaded before files run out.
await import('@x/tools');
const held = filesLeft === '' ? [] : takeAllFiles(Number(filesLeft));
const failure = await talk(Number(messages));
console.log(JSON.stringify(failure ?? { code: 'none', message: '' }));
await once(process.stdin, 'data');
for (const file of held) closeSync(file);
const later = await talk(3);
if (later) throw new Error(`Still failing: ${later.code} ${later.message}`);
await session?.close();
await store[Symbol.asyncDispose]();
process.exit();

/** The first failure; undefined when all was said and answered. */
async function talk(times: number): Promise<PlaceFailure | undefined> {
  try {
    session ??= await createSession({ ...busyOptions(cwd), store });
    tell({ kind: 'said' });
    for (let time = 0; time < times; time++) {
      const { messageId } = await session.send('run');
      tell({ kind: 'sent', messageId });
      for await (const event of session.stream()) {
        const learnt = learntFrom(event);
        if (learnt) tell(learnt);
        if (event.type === 'error') return { code: event.code ?? 'none', message: event.message };
      }
    }
    return undefined;
  } catch (error) {
    if (isAgentError(error)) return { code: error.code, message: error.message };
    return { code: `untyped ${String(error)}`, message: '' };
  }
}

function tell(one: Parameters<typeof write>[0]): void {
  const told: Told = { ...one, sessionId: session!.sessionId }; // safe: only called once there is one
  write(told);
}

/** Opens files until no more can be, then gives some back. */
function takeAllFiles(left: number): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    for (const file of files.splice(0, left)) closeSync(file);
    return files;
  }
}
