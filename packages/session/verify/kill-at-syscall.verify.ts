// needs: strace
// A short run (two messages, one command, a SQLite file) whose n-th fsync or pwrite64 kills the process, for n = 1, 2, ... until it
// ends by itself; then a fresh process resumes. And the same with an error in the place of the kill: EIO from fsync, ENOSPC from
// pwrite64, EIO from reads of the database (pread64); the process goes on by itself. Everything acknowledged must be there, the file
// whole, errors typed, the session usable. A point that is not reached counts as nothing.
// FIRST=150 (points of each kind that are all tried), SAMPLE=20 (of those beyond), JOBS=2
import { shortPlan } from './support/demo-plan.ts';
import { outputsIn } from './support/judge.ts';
import { type Injection, syscallTrial } from './support/syscall-trial.ts';
import { numberFrom, Tally } from './support/tally.ts';
import { clear, layTrial, remainsOf, startChild } from './support/trial-folder.ts';

const FIRST = numberFrom('FIRST', 150);
const SAMPLE = numberFrom('SAMPLE', 20);
const JOBS = numberFrom('JOBS', 2);

const tally = new Tally();
const reference = await undisturbed();
await sweep({ call: 'fsync', what: 'signal=KILL' });
await sweep({ call: 'pwrite64', what: 'signal=KILL' });
await sweep({ call: 'fsync', what: 'error=EIO' });
await sweep({ call: 'pwrite64', what: 'error=ENOSPC' });
await sweep({ call: 'pread64', what: 'error=EIO' });
tally.end();

/** What the calls of the run answer; also fills the cache from which the other processes start. */
async function undisturbed(): Promise<ReadonlyMap<string, string>> {
  const trial = await layTrial(shortPlan, { planName: 'short', guard: 'none' });
  const { code, errors } = await startChild(trial).ended;
  if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
  const { contents } = await remainsOf(trial);
  await clear(trial);
  return outputsIn(contents.entries);
}

/** The first points one by one, then every so many, until one is not reached any more. */
async function sweep(injection: Omit<Injection, 'at'>): Promise<void> {
  const name = `${injection.call} ${injection.what}`;
  const failures = new Map<string, number>();
  const startedAt = performance.now();
  let [next, reached, over] = [1, 0, false];
  const work = async () => {
    while (!over && reached < FIRST + SAMPLE) {
      const at = next;
      next += next < FIRST ? 1 : 7;
      const report = await syscallTrial({ ...injection, at }, reference);
      if (report.reached) reached += 1;
      else over = true;
      for (const code of new Set(report.failures)) failures.set(code, (failures.get(code) ?? 0) + 1);
      // One that was not reached has tested nothing, but it must have gone well.
      if (report.reached || report.faults.length > 0) tally.check(`${name}, number ${at}`, report.faults);
    }
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  tally.check(`${name} was reached`, reached > 0 ? [] : ['no point was reached']);
  const codes = [...failures].map(([code, times]) => `${code} at ${times}`).join(', ');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${name}: ${reached} points up to number ${next - 1}, errors told: ${codes || 'none'} (${seconds} s)`);
}
