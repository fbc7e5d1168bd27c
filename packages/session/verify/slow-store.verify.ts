// A store that is slow. Another process holds the write lock of the SQLite file for 4, 7 and 20 seconds, or the disk (a tmpfs) is full for
// 10 seconds, from each kind of moment on: a message is sent, a run starts, a reply is recorded, the lease is renewed in the middle of a
// tool, a tool has its result, a run ends, a lease is given back. No run may end, nothing may be lost or doubled (payments are counted
// outside of the store), and afterwards the session must be free. All at the same time, each in a file of its own.
// Controls: a store that drops `retryable` ends the run; an answer that was lost is found by comparing, and doubled without that.
import { AgentError, isAgentError } from '@x/core';
import type { SessionStore } from '../src/index.ts';
import { MOMENTS, type Moment, type MomentOptions, slowMoment } from './support/slow-moment.ts';
import { type SlowPlace, SlowPlaces } from './support/slow-places.ts';
import { withoutPatience } from './support/store-wrappers.ts';
import { Tally } from './support/tally.ts';

const LOCKS_MS = [4_000, 7_000, 20_000];
const FULL_MS = 10_000;
/** A lock that the store itself does not wait for in the end, however busy the machine is. */
const TOLD_FROM_MS = 20_000;

const tally = new Tally();
const places = new SlowPlaces();
try {
  await Promise.all([...locks(), ...fullDisks(), ...controls()]);
} finally {
  places.close();
}
tally.end();

function locks(): Promise<void>[] {
  return LOCKS_MS.flatMap((ms) =>
    MOMENTS.map(async (moment) => {
      const { faults, wasTold } = await tried(moment, { place: places.locked(ms), slowMs: ms });
      const untold = wasTold || ms < TOLD_FROM_MS ? [] : ['store_slow was not told'];
      tally.check(`locked for ${ms} ms, ${moment}`, [...faults, ...untold]);
    }),
  );
}

function fullDisks(): Promise<void>[] {
  const found = MOMENTS.map((moment) => ({ moment, place: places.full(FULL_MS) }));
  const reason = found.map(({ place }) => place).find((place) => typeof place === 'string');
  if (reason !== undefined) console.log(`SKIPPED, full disks: no tmpfs can be mounted here: ${reason}`);
  let met = 0;
  const all = found.flatMap(({ moment, place }) => {
    if (typeof place === 'string') return [];
    const trial = async () => {
      const { faults, wasTold } = await tried(moment, { place, slowMs: FULL_MS });
      met += Number(wasTold);
      tally.check(`disk full for ${FULL_MS} ms, ${moment}`, faults);
    };
    return [trial()];
  });
  if (all.length === 0) return [];
  const counted = Promise.all(all).then(() => {
    console.log(`${met} of ${all.length} sessions had to wait for room`);
    tally.check('full disks are met', met >= 3 ? [] : [`only ${met} sessions had to wait`]);
  });
  return [...all, counted];
}

function controls(): Promise<void>[] {
  const lock = (): SlowPlace => places.locked(7_000);
  const never: SlowPlace['begin'] = async () => undefined;
  return [
    noticed(
      'control, nothing is tried again',
      { place: lock(), change: withoutPatience },
      /STORE_FAILED|locked|has no|error/,
    ),
    noticed(
      'control, without compare-and-swap',
      { place: { ...lock(), begin: never }, change: doubling },
      /results|paid|faulty|twice|two/,
    ),
    (async () => {
      const { faults } = await tried('result', { place: { ...lock(), begin: never }, slowMs: 0, change: forgetful });
      tally.check('an answer that was lost', faults);
    })(),
  ];
}

async function noticed(
  name: string,
  options: Pick<MomentOptions, 'place' | 'change'>,
  expected: RegExp,
): Promise<void> {
  const { faults } = await tried('result', { ...options, slowMs: 7_000 });
  const found = faults.find((fault) => expected.test(fault));
  console.log(`${name}: ${found ?? 'nothing noticed'}`);
  tally.check(name, found === undefined ? ['the harness saw nothing wrong', ...faults] : []);
}

function tried(moment: Moment, options: Omit<MomentOptions, 'effects'>) {
  return slowMoment(moment, { ...options, effects: places.effects() });
}

/** Records the first result of a tool, and says that it has not. */
function forgetful(store: SessionStore): SessionStore {
  let isLost = false;
  const append: SessionStore['append'] = async (...asked) => {
    const head = await store.append(...asked);
    if (isLost || !asked[2].some((body) => body.type === 'record' && body.record.type === 'tool_finished')) return head;
    isLost = true;
    throw new AgentError('The answer was lost', { code: 'STORE_FAILED', retryable: true });
  };
  return { ...store, append };
}

/** The same, and what is refused at its head is appended at the one that is found. */
function doubling(store: SessionStore): SessionStore {
  const inner = forgetful(store);
  const append: SessionStore['append'] = async (sessionId, expected, ...rest) => {
    try {
      return await inner.append(sessionId, expected, ...rest);
    } catch (error) {
      const found = isAgentError(error) && (error.details as { found?: typeof expected } | undefined)?.found;
      if (!found) throw error;
      return await inner.append(sessionId, found, ...rest);
    }
  };
  return { ...inner, append };
}
