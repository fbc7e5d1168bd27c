// needs: strace
// A short run (two messages, one command, a SQLite file) in which the n-th system call fails, for n = 1, 2, ... until it ends without:
// EIO from fsync, writes and reads of the database, ENOSPC from writes, EMFILE from opening its files, EIO from removing one. The error
// comes once, and the same process goes on by itself; or it comes for good, and a fresh process does the rest. Errors must be typed,
// everything acknowledged must be there, the file whole, the session usable. A point that is not reached counts as nothing.
// A control with early acknowledgements must fail.
// FIRST=150 (points of each kind that are all tried), SAMPLE=20 (of those beyond), JOBS=2
import { sweep, undisturbed } from './support/syscall-sweep.ts';
import { type Injection, syscallTrial } from './support/syscall-trial.ts';
import { Tally } from './support/tally.ts';

const tally = new Tally();
const reference = await undisturbed();
const options = { tally, reference };
const once: readonly Omit<Injection, 'at'>[] = [
  { call: 'fsync', what: 'error=EIO', lasts: 'once' },
  { call: 'pwrite64', what: 'error=ENOSPC', lasts: 'once' },
  { call: 'pwrite64', what: 'error=EIO', lasts: 'once' },
  { call: 'pread64', what: 'error=EIO', lasts: 'once' },
  { call: 'openat', what: 'error=EMFILE', lasts: 'once' },
  { call: 'unlink', what: 'error=EIO', lasts: 'once' },
];
let points = 0;
for (const injection of once) points += (await sweep(injection, options)).reached;
points += (await sweep({ call: 'fsync', what: 'error=EIO', lasts: 'for good' }, { ...options, step: 2 })).reached;
points += (await sweep({ call: 'pwrite64', what: 'error=ENOSPC', lasts: 'for good' }, { ...options, step: 6 })).reached;
console.log(`${points} errors at counted system calls`);
await control();
tally.end();

async function control(): Promise<void> {
  for (let at = 10; at < 150; at += 5) {
    const injection: Injection = {
      call: 'pwrite64',
      what: 'error=ENOSPC',
      lasts: 'for good',
      at,
      guard: 'acknowledge',
    };
    const { faults } = await syscallTrial(injection, reference);
    const noticed = faults.find((one) => one.startsWith('lost'));
    if (noticed === undefined) continue;
    console.log(`control, acknowledged early: failed as it must, at pwrite64 number ${at}: ${noticed.slice(0, 100)}`);
    return tally.check('control, acknowledged early', []);
  }
  tally.check('control, acknowledged early', ['the harness saw nothing wrong']);
}
