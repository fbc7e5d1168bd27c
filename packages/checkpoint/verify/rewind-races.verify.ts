// ZC01: Rewinds while another program swaps a directory for a link to a place outside, for ever: nothing outside may change. With the Write and
// Edit calls of link-races these are 20,000 operations; only rewinds that have something to do are counted. Control: writing by name must
// be caught. REWINDS=5000, LANES=4
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostWorkspace } from '@x/sandbox';
import { amountFrom, numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { createCheckpointer } from '../src/index.ts';

const [REWINDS, LANES] = [amountFrom('REWINDS', 5_000), numberFrom('LANES', 4)];
const NAMES = ['0', '1', '2'];
const CONTROL_MS = 20_000;

const tally = new Tally();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'rewind-races-')));
const outside = join(home, 'outside');
const places = Array.from({ length: LANES }, (_, lane) => join(home, `${lane}`));
for (const directory of [outside, ...places.map((place) => join(place, 'root/d'))])
  mkdirSync(directory, { recursive: true });
fill(outside, 'outside');
const roots = places.map((place) => join(place, 'root'));
const flipper = spawn(process.execPath, [join(import.meta.dirname, 'support/link-flipper.ts'), outside, ...roots], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await once(flipper.stdout, 'data');
  const sums = { rewinds: 0, restored: 0, refused: 0 };
  await Promise.all(places.map((place) => rewindsIn(place, sums)));
  console.log(
    `${sums.rewinds} rewinds beside swapped links: ${sums.restored} files and directories restored, ${sums.refused} refused, ${escapes()} outside changed`,
  );
  tally.check('nothing outside', escapes() === 0 ? [] : [`${escapes()} escaped`]);
  tally.check('both happen', sums.restored > REWINDS / 10 && sums.refused > REWINDS / 10 ? [] : [JSON.stringify(sums)]);
  await control();
} finally {
  flipper.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
tally.end();

/** Each rewind takes the one before it back; when that has left nothing to do, a call changes the files again. */
async function rewindsIn(place: string, sums: { rewinds: number; restored: number; refused: number }): Promise<void> {
  const root = join(place, 'root');
  const checkpointer = await createCheckpointer({ cwd: root, file: join(place, 'kept') });
  const workspace = checkpointer.watch(hostWorkspace({ cwd: root }), 'call');
  const write = (name: string, text: string) =>
    workspace.writeFile(join(root, 'd', name), Buffer.from(text), { noFollow: true }).catch(() => undefined); // it is swapped just now
  let last: string | undefined;
  for (let turn = 0; sums.rewinds < REWINDS; turn++) {
    if (last === undefined) {
      last = `m${turn}`;
      await checkpointer.checkpoint(last);
      for (const name of NAMES) await write(name, `${turn}`);
    }
    const result = await checkpointer.rewind(last, { force: true });
    last = result.rewindId;
    if (last === undefined) continue;
    sums.rewinds += 1;
    sums.restored += result.restoredFiles.length;
    sums.refused += result.errors.length;
  }
  await checkpointer.close();
}

async function control(): Promise<void> {
  for (let until = performance.now() + CONTROL_MS; escapes() === 0 && performance.now() < until; await sleep(0)) {
    try {
      mkdirSync(join(roots[0]!, 'd'), { recursive: true });
      fill(join(roots[0]!, 'd'), 'by name');
    } catch {
      // the directory is away just now
    }
  }
  console.log(`control, writing by name: ${escapes()} outside changed, as they must`);
  tally.check('control', escapes() > 0 ? [] : ['nothing escaped']);
}

function fill(directory: string, text: string): void {
  for (const name of NAMES) writeFileSync(join(directory, name), text);
}

/** Files outside that are changed, missing or new. */
function escapes(): number {
  const now = new Map(readdirSync(outside).map((name) => [name, readFileSync(join(outside, name), 'utf8')]));
  const changed = NAMES.filter((name) => now.get(name) !== 'outside').length;
  return changed + [...now.keys()].filter((name) => !NAMES.includes(name)).length;
}
