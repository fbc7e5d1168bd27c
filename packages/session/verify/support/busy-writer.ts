// A process with several sessions at a time over one SQLite file, one after the other, until it is killed. What it was told goes to a
// file elsewhere, from which it learns what another one before it has left undone. Arguments: the database, the working directory, that
// file, and a guard that is taken out (`flush`, `acknowledge` or `none`).
import { isAgentError } from '@x/core';
import { createSession, type ISession, resumeSession, sqliteStore } from '../../src/index.ts';
import { acknowledgedIn, acknowledgeTo, learntFrom } from './acknowledgements.ts';
import { busyOptions, RUNS, type Told } from './busy-work.ts';
import { acknowledgingEarly, withLease } from './store-wrappers.ts';
import { withoutFlush } from './without-flush.ts';

const SESSIONS = 3;

const [path = '', cwd = '', list = '', guard] = process.argv.slice(2);
if (guard === 'flush') withoutFlush();
// On the copy of a disk the process that holds a lease still lives.
const file = withLease(sqliteStore({ path }), 1);
const store = guard === 'acknowledge' ? acknowledgingEarly(file) : file;
const options = { ...busyOptions(cwd, { commands: true }), store };
const undone = undoneIn((await acknowledgedIn(list)) as Told[]); // safe: written by a process of this kind
const write = acknowledgeTo(list, { sync: false });
await Promise.all(Array.from({ length: SESSIONS }, converse));

async function converse(): Promise<never> {
  for (;;) {
    const [sessionId, runs] = undone.pop() ?? [];
    const session =
      sessionId === undefined ? await createSession(options) : await resumeSession({ ...options, sessionId });
    tell(session, { kind: 'said' });
    if (sessionId !== undefined) await listen(session);
    for (let run = runs ?? 0; run < RUNS; run++) {
      const { messageId } = await session.send(`run ${run}`);
      tell(session, { kind: 'sent', messageId });
      await listen(session);
    }
    await session.close();
  }
}

async function listen(session: ISession): Promise<void> {
  try {
    for await (const event of session.stream()) {
      const learnt = learntFrom(event);
      if (learnt) tell(session, learnt);
    }
  } catch (error) {
    // A session that is taken up may have nothing left to do.
    if (!isAgentError(error) || error.code !== 'NOTHING_TO_STREAM') throw error;
  }
}

function tell({ sessionId }: ISession, one: Parameters<typeof write>[0]): void {
  const line: Told = { ...one, sessionId };
  write(line);
}

/** Sessions that have not come to their end, and how many runs they have had. */
function undoneIn(told: readonly Told[]): [string, number][] {
  const runs = new Map<string, number>();
  for (const { sessionId, kind } of told) runs.set(sessionId, (runs.get(sessionId) ?? 0) + Number(kind === 'result'));
  return [...runs].filter(([, number]) => number < RUNS);
}
