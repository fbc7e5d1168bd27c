// A session's Write, Edit and Read against a process that exchanges a directory and a link as fast as it can: in acceptEdits nothing may be
// written outside of the working directory, under a deny rule for reading nothing denied may be shown, and no unfinished file may be left. An
// approval for a directory that becomes a link meanwhile must write nothing. Controls must escape: doors that check, and then go by name.
// OPERATIONS=20000
// needs: perl
import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { hostWorkspace } from '@x/sandbox';
import { createSession, memoryStore, type SessionOptions } from '../src/index.ts';
import { amountFrom, Tally } from './support/tally.ts';

const OPERATIONS = amountFrom('OPERATIONS', 20_000);
/** Enough for a control to escape many times. */
const CONTROLS = 2_000;
const CALLS_A_TURN = 100;
const SECRET = 'SECRET-K';
/** renameat2(2); 2 is RENAME_EXCHANGE. */
const NUMBERS: Readonly<Record<string, number>> = { x64: 316, arm64: 276 };
/** Rests now and then, so that operations come into their later steps too. */
const SWAPS =
  'my ($n, @p) = @ARGV; for (my $k = 1;; $k++) { for my $i (0, 2) { syscall($n, -100, $p[$i], -100, $p[$i + 1], 2) } ' +
  'select(undef, undef, undef, 0.0001) if $k % 16 == 0 }';

const tally = new Tally();
const guarded = await race(OPERATIONS, (cwd) => ({ cwd }));
tally.check(`${OPERATIONS} operations`, faultsOf(guarded));
tally.check('operations that were answered', guarded.calls === OPERATIONS ? [] : [`only ${guarded.calls}`]);
tally.check('operations that came through', guarded.done < OPERATIONS / 100 ? [`only ${guarded.done}`] : []);
console.log(`${OPERATIONS} operations against swapped links in ${guarded.seconds} s: ${summaryOf(guarded)}`);

const naive = await race(CONTROLS, (cwd) => ({ workspace: byName(cwd) }));
tally.check('control, doors by name', escaped(naive) ? [] : ['nothing escaped: the harness sees nothing']);
console.log(`control, ${CONTROLS} operations through doors by name: ${summaryOf(naive)}`);

tally.check('an approved directory that is swapped', await approve((cwd) => ({ cwd })));
const blind = await approve((cwd) => ({ workspace: forgetful(cwd) }));
tally.check('control, approval', blind.length > 0 ? [] : ['nothing escaped: the harness sees nothing']);
console.log(`control, an approved directory that is swapped, doors by name: ${blind.join('; ')}`);
tally.end();

interface Outcome {
  readonly seconds: number;
  readonly calls: number;
  readonly done: number;
  readonly outside: number;
  readonly edited: boolean;
  readonly shown: number;
  readonly left: number;
}

/** `cwd/dir` is exchanged with a link that leads outside, `cwd/open` with one to a directory whose files must not be read. */
async function race(operations: number, place: (cwd: string) => Partial<SessionOptions>): Promise<Outcome> {
  const { folder, cwd } = stage();
  const swapper = swap([join(cwd, 'dir'), join(cwd, 'out'), join(cwd, 'open'), join(cwd, 'in')]);
  const startedAt = performance.now();
  try {
    const turns = Array.from({ length: operations / CALLS_A_TURN }, (_, turn) => callsOf(turn));
    const results = await play(turns, {
      ...place(cwd),
      permissionMode: 'acceptEdits',
      disallowedTools: ['Read(secret/**)'],
    });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    await end(swapper);
    const outside = readdirSync(join(folder, 'outside'));
    const everywhere = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return {
      seconds,
      calls: results.length,
      done: results.filter(({ isError }) => !isError).length,
      outside: outside.length - 1,
      edited: readFileSync(join(folder, 'outside/edit.txt'), 'utf8') !== 'a\n',
      shown: results.filter(({ output }) => output.includes(SECRET)).length,
      left: everywhere.filter((path) => path.includes('.agent-sdk-tmp-')).length,
    };
  } finally {
    await end(swapper);
    rmSync(folder, { recursive: true });
  }
}

function stage(): { folder: string; cwd: string } {
  const folder = mkdtempSync(join(tmpdir(), 'link-races-'));
  const cwd = join(folder, 'work');
  for (const path of ['work/dir', 'work/open', 'work/secret', 'outside'])
    mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['work/dir', 'outside']) writeFileSync(join(folder, path, 'edit.txt'), 'a\n');
  writeFileSync(join(cwd, 'open/k'), 'public\n');
  writeFileSync(join(cwd, 'secret/k'), `${SECRET}\n`);
  symlinkSync('../outside', join(cwd, 'out'));
  symlinkSync('secret', join(cwd, 'in'));
  return { folder, cwd };
}

function callsOf(turn: number): NonNullable<ScriptedReply['toolCalls']> {
  return Array.from({ length: CALLS_A_TURN }, (_, call) => {
    if (call % 4 === 0) return { name: 'Read', input: { file_path: 'open/k' } };
    if (call % 4 === 1)
      return { name: 'Edit', input: { file_path: 'dir/edit.txt', old_string: 'a', new_string: `a${turn % 10}` } };
    return { name: 'Write', input: { file_path: `dir/f${turn}-${call}`, content: 'x' } };
  });
}

interface Result {
  readonly output: string;
  readonly isError?: boolean;
}

async function play(
  turns: readonly NonNullable<ScriptedReply['toolCalls']>[],
  options: Partial<SessionOptions>,
): Promise<Result[]> {
  const results: Result[] = [];
  const session = await createSession({
    provider: {
      type: 'custom',
      createModel: () =>
        scriptedModel((_, turn) => {
          const toolCalls = turns[turn - 1];
          return toolCalls ? { toolCalls } : { text: 'Done.' };
        }),
    },
    model: 'scripted',
    store: memoryStore(),
    maxTurns: turns.length + 1,
    handlers: [{ name: 'watch', onEvent: (event) => void (event.type === 'tool_result' && results.push(event)) }],
    ...options,
  });
  await session.send('Begin.');
  for await (const event of session.stream()) void event;
  await session.close();
  return results;
}

/** A host asks a person, and the directory becomes a link before the answer comes. */
async function approve(place: (cwd: string) => Partial<SessionOptions>): Promise<string[]> {
  const { folder, cwd } = stage();
  try {
    const results = await play([[{ name: 'Write', input: { file_path: 'dir/approved', content: 'x' } }]], {
      ...place(cwd),
      canUseTool: async () => {
        renameSync(join(cwd, 'dir'), join(cwd, 'kept'));
        symlinkSync('../outside', join(cwd, 'dir'));
        return { behavior: 'allow' };
      },
    });
    const faults = readdirSync(join(folder, 'outside')).includes('approved') ? ['written outside'] : [];
    const { isError, output } = results[0]!;
    return isError && output.includes('was allowed when it led to') ? faults : [...faults, `answered: ${output}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Doors that go by name: what was checked before is not what is opened. */
function byName(cwd: string): Workspace {
  return {
    ...hostWorkspace({ cwd }),
    readFile: (path) => readFile(path),
    writeFile: (path, content) => writeFile(path, content),
  };
}

/** Doors by name, whose links are looked at once. */
function forgetful(cwd: string): Workspace {
  const [doors, known] = [byName(cwd), new Map<string, Promise<string>>()];
  return {
    ...doors,
    resolve: (path) => {
      const place = known.get(path) ?? doors.resolve(path);
      known.set(path, place);
      return place;
    },
    stat: async () => undefined,
  };
}

function swap(paths: readonly string[]): ChildProcess {
  const number = NUMBERS[process.arch];
  if (number === undefined) throw new Error(`The number of renameat2 on ${process.arch} is not known here`);
  return spawn('perl', ['-e', SWAPS, String(number), ...paths], { stdio: 'inherit' });
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  while (child.exitCode === null && child.signalCode === null) await sleep(5);
}

function escaped({ outside, edited, shown }: Outcome): boolean {
  return (outside > 0 || edited) && shown > 0;
}

function faultsOf({ outside, edited, shown, left }: Outcome): string[] {
  return [
    ...(outside > 0 ? [`${outside} files outside`] : []),
    ...(edited ? ['the file outside was edited'] : []),
    ...(shown > 0 ? [`${shown} denied reads`] : []),
    ...(left > 0 ? [`${left} unfinished files left`] : []),
  ];
}

function summaryOf({ done, outside, edited, shown, left }: Outcome): string {
  return (
    `${done} came through, ${outside} files outside${edited ? ' and one edited there' : ''}, ` +
    `${shown} denied reads, ${left} unfinished files left`
  );
}
