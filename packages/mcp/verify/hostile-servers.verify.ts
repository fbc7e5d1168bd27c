// MCP servers that hang, die, lie and flood, each next to one that behaves: the hub stays usable, its memory flat, and nothing is left.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Tally } from '../../session/verify/support/tally.ts';
import { closeAll } from '../test/support/hubs.ts';
import { wrongLists } from './support/hostile-lists.ts';
import { talk } from './support/hostile-talk.ts';
import { type HostileCase, trial } from './support/hostile-trial.ts';
import { web } from './support/hostile-web.ts';

const MOST_MB = 40;
const AT_ONCE = 2;
const only = process.argv[2];
const cases = [...talk, ...wrongLists, ...web].filter(({ name }) => only === undefined || name.includes(only));
const tally = new Tally();
const unhandled: string[] = [];
process.on('unhandledRejection', (error) => unhandled.push(String(error)));

await trial({ name: 'first', server: {}, holds: () => true }); // what is loaded once
const before = usedMb();
const waiting = [...cases];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const start = performance.now();
      tally.check(next.name, await trial(next));
      if (only !== undefined) console.log(next.name, Math.round(performance.now() - start), 'ms');
    }
  }),
);
await closeAll(); // the servers of this process, with what they have not sent yet
let grownMb = usedMb() - before;
// What is being closed lets go of its memory a little later.
for (let looks = 0; grownMb >= MOST_MB && looks < 90; looks += 1) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  grownMb = usedMb() - before;
}
console.log(`${cases.length} servers; the memory has grown by ${grownMb} MB`);
tally.check('memory', grownMb < MOST_MB ? [] : [`grown by ${grownMb} MB`]);
tally.check('no unhandled rejection', unhandled);

// The same without its guard must not hold.
const withoutGuard: Readonly<Record<string, Partial<HostileCase>>> = {
  'sends 10 MB without an end': { options: { limits: { maxMessageBytes: 1024 * 1024 * 1024 } } },
  '5,000 tools': { options: { limits: { maxTools: 10_000 } } },
  'a description of 5 MB': { options: { limits: { maxDescriptionLength: 10_000_000 } } },
  'a definition that changes': { options: { pins: [] } },
  'a tool that says it is readonly': { config: { trusted: true } },
};
for (const one of cases) {
  const without = withoutGuard[one.name];
  if (!without) continue;
  const faults = await trial({ ...one, ...without });
  tally.check(`negative control: ${one.name}`, faults.length > 0 ? [] : ['it holds without its guard']);
}
await closeAll();
tally.end();

/** What is kept, once the garbage is gone. */
function usedMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)(); // safe: the flag makes it one
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1024 / 1024);
}
