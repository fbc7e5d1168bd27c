// needs: strace
// A short run (two messages, one command, a SQLite file) whose n-th fsync or pwrite64 kills the process, for n = 1, 2, ... until it
// ends by itself; then a fresh process resumes. Everything acknowledged must be there, the file whole, the session usable, no effect
// doubled and each interrupted one reported. A point that is not reached counts as nothing. Controls without write-ahead, with early
// acknowledgements and with a repair that does not say so must fail.
// FIRST=150 (points of each kind that are all tried), SAMPLE=20 (of those beyond), JOBS=2
import { sweep, undisturbed } from './support/syscall-sweep.ts';
import { syscallTrial } from './support/syscall-trial.ts';
import { Tally } from './support/tally.ts';
import type { Trial } from './support/trial-folder.ts';

const kill = { what: 'signal=KILL', lasts: 'once' } as const;

const tally = new Tally();
const reference = await undisturbed();
const fsyncs = await sweep({ call: 'fsync', ...kill }, { tally, reference });
const writes = await sweep({ call: 'pwrite64', ...kill }, { tally, reference });
console.log(`${fsyncs.reached + writes.reached} kills at counted system calls`);
const around = writes.interrupting.flatMap((at) => [at, at + 1, at - 1]);
const backwards = Array.from({ length: writes.reached }, (_, index) => writes.reached - index);
await control('write-ahead', { fault: 'doubled', points: [...around, ...around, ...backwards, ...backwards] });
await control('repair', { fault: 'unknown calls', points: [...around, ...around, ...backwards] });
await control('acknowledge', { fault: 'lost', points: [...backwards, ...backwards] });
tally.end();

/** With a guard taken out, at these points one after the other, until it is noticed; no two runs are quite the same. */
async function control(
  guard: Trial['guard'],
  { fault, points }: { fault: string; points: readonly number[] },
): Promise<void> {
  const noticed: string[] = [];
  const rest = [...points];
  const work = async () => {
    for (let at = rest.shift(); at !== undefined && noticed.length === 0; at = rest.shift()) {
      const { faults } = await syscallTrial({ call: 'pwrite64', ...kill, at, guard }, reference);
      noticed.push(...faults.filter((one) => one.startsWith(fault)).map((one) => `at pwrite64 number ${at}: ${one}`));
    }
  };
  await Promise.all([work(), work()]);
  console.log(`control, without ${guard}: ${noticed[0]?.slice(0, 120) ?? 'nothing noticed'}`);
  tally.check(`control, without ${guard}`, noticed.length > 0 ? [] : ['the harness saw nothing wrong']);
}
