// One session, one file, several processes. 1: eight of them append, in one epoch and taking the session from each other while being
// paused: a linear history, every stale append refused, nothing acknowledged lost. 2: all eight are stale while a ninth owns the
// session: not one of their appends is let in, all of the owner's are. 3: thousands of interleavings of four writers, each of which
// takes the session over at random moments and goes on with what it knew. Controls, stores that do not compare, must fail.
// ATTEMPTS=500 (of each of 8 processes, in both modes), STALE=500 (of each of 8), INTERLEAVINGS=10000
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionEntry, sqliteStore } from '../src/index.ts';
import { appendRace, type RaceOptions } from './support/append-race.ts';
import { amountFrom, Tally } from './support/tally.ts';
import { Writers } from './support/writers.ts';

const ATTEMPTS = amountFrom('ATTEMPTS', 500);
const STALE = amountFrom('STALE', 500);
const INTERLEAVINGS = amountFrom('INTERLEAVINGS', 10_000);
/** Interleavings of one session. */
const SESSION_LENGTH = 100;
/** Sessions that are played at the same time. */
const AT_ONCE = 8;

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
await race('8 processes, one epoch', { mode: 'one-epoch', attempts: ATTEMPTS });
await race('8 processes, taking over', { mode: 'take-over', attempts: ATTEMPTS });
await allStale();
await interleavings('4 processes, stale by take-over', { times: INTERLEAVINGS, comparing: true, fails: false });
await interleavings('control, stores that do not compare', { times: 200, comparing: false, fails: true });
await rm(folder, { recursive: true });
tally.end();

async function race(name: string, options: Pick<RaceOptions, 'mode' | 'attempts'>): Promise<void> {
  const report = await appendRace({
    place: join(folder, `${options.mode}.db`),
    workers: 8,
    comparing: true,
    ...options,
  });
  const codes = [...report.codes].map(([code, times]) => `${times} ${code}`).join(', ');
  console.log(
    `${name}: ${report.accepted} acknowledged, ${report.refused} refused (${codes}), ` +
      `${report.staleTried} stale on purpose, ${report.epochs} epochs in the log`,
  );
  tally.check(name, report.faults);
}

/** Eight former owners and one present one, all at once. */
async function allStale(): Promise<void> {
  const path = join(folder, 'stale.db');
  const store = sqliteStore({ path });
  await store.create('s', { type: 'session_created', format: 1, cwd: '/' });
  const writers = new Writers(path, { count: 8, comparing: true });
  for (let writer = 0; writer < writers.count; writer++) await writers.ask(writer, 'take', 's');
  const lease = await store.acquire('s', 'the present owner', 60_000);
  const stale = Array.from({ length: 8 }, (_, writer) => writers.ask(writer, 'append', 's', STALE));
  let { head } = lease!; // safe: the others took it for no time
  while (head <= 200) head = await store.append('s', { ...lease!, head }, [{ type: 'title', title: `${head}` }]); // safe: as above
  const answers = await Promise.all(stale);
  const entries = await Array.fromAsync(store.read('s'));
  await writers.close();
  await store[Symbol.asyncDispose]();
  const accepted = answers.flatMap((answer) => answer.accepted).length;
  const codes = new Set(answers.flatMap((answer) => answer.refused));
  console.log(`8 stale processes: ${8 * STALE - accepted} of ${8 * STALE} appends refused (${[...codes].join(', ')})`);
  tally.check('8 stale processes', [
    ...(accepted > 0 ? [`${accepted} stale appends were accepted`] : []),
    ...([...codes].join() === 'SESSION_FENCED' ? [] : [`refused with ${[...codes].join()}`]),
    ...faultsOf(entries, head, (seq) => (seq === 1 ? 0 : lease!.epoch)), // safe: as above
  ]);
}

interface Interleaving {
  readonly times: number;
  readonly comparing: boolean;
  /** For a control: something must be noticed. */
  readonly fails: boolean;
}

async function interleavings(name: string, { times, comparing, fails }: Interleaving): Promise<void> {
  const startedAt = performance.now();
  const path = join(folder, `${comparing ? 'compare' : 'accept'}.db`);
  const store = sqliteStore({ path });
  const writers = new Writers(path, { count: 4, comparing });
  const faults: string[] = [];
  const total = { accepted: 0, refused: 0, takeOvers: 0 };
  const starts = Array.from({ length: Math.ceil(times / SESSION_LENGTH) }, (_, index) => index * SESSION_LENGTH);
  const play = async (): Promise<void> => {
    for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
      const sessionId = `s${start}`;
      await store.create(sessionId, { type: 'session_created', format: 1, cwd: '/' });
      const played = await playSession(writers, sessionId, Math.min(SESSION_LENGTH, times - start));
      const entries = await Array.fromAsync(store.read(sessionId));
      faults.push(...played.faults, ...faultsOf(entries, played.epochs.length, (seq) => played.epochs[seq - 1]));
      for (const key of ['accepted', 'refused', 'takeOvers'] as const) total[key] += played[key];
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  await writers.close();
  await store[Symbol.asyncDispose]();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${name}: ${times} interleavings, ${total.takeOvers} take-overs, ${total.accepted} acknowledged, ` +
      `${total.refused} refused, ${fails ? (faults[0] ?? 'nothing noticed') : `${faults.length} faults`} (${seconds} s)`,
  );
  if (fails) tally.check(name, faults.length > 0 ? [] : ['the harness saw nothing wrong']);
  else tally.check(name, faults);
}

/** Who has the session, what it must hold, and what each writer takes it to be. */
async function playSession(writers: Writers, sessionId: string, times: number) {
  const faults: string[] = [];
  const total = { accepted: 0, refused: 0, takeOvers: 0 };
  const epochs = [0]; // of each entry that was acknowledged
  let owner = -1;
  let epoch = 0;
  for (let round = 0; round < times; round++) {
    if (owner < 0 || Math.random() < 0.4) {
      owner = Math.floor(Math.random() * writers.count);
      const { known } = await writers.ask(owner, 'take', sessionId);
      total.takeOvers += 1;
      if (!known || known.epoch <= epoch || known.head !== epochs.length)
        faults.push(`${sessionId}: taken over at ${JSON.stringify(known)}`);
      epoch = known?.epoch ?? epoch;
    }
    // The owner and some who are not, at once.
    const asked = Array.from({ length: writers.count }, (_, writer) => writer).filter(() => Math.random() < 0.6);
    const answers = await Promise.all(asked.map((writer) => writers.ask(writer, 'append', sessionId)));
    for (const [index, { accepted, refused }] of answers.entries()) {
      total.accepted += accepted.length;
      total.refused += refused.length;
      const stale = asked[index] !== owner;
      if (stale && accepted.length > 0) faults.push(`${sessionId}: a stale append became entry ${accepted.join()}`);
      if (!stale && accepted.length !== 1) faults.push(`${sessionId}: the owner was refused: ${refused.join()}`);
      for (const _ of accepted) epochs.push(epoch);
    }
  }
  return { ...total, faults, epochs };
}

/** The log has entries 1 to `head`, each of the epoch that was acknowledged. */
function faultsOf(
  entries: readonly SessionEntry[],
  head: number,
  epochOf: (seq: number) => number | undefined,
): string[] {
  const faults = entries.length === head ? [] : [`${entries.length} entries, ${head} acknowledged`];
  entries.forEach(({ seq, epoch }, index) => {
    if (seq !== index + 1) faults.push(`entry ${index + 1} has the number ${seq}`);
    if (epoch !== epochOf(seq)) faults.push(`entry ${seq} has epoch ${epoch}, not ${epochOf(seq)}`);
  });
  return faults;
}
