import { execFileSync, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools } from '@x/tools';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ISession, sqliteStore } from '../../src/index.ts';
import { bodiesOf, echoTool, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'program-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a program of this folder as users run theirs; resolves when it has ended by itself. */
async function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const file = join(import.meta.dirname, '../programs', name);
  const child = spawn(process.execPath, ['--conditions=@x/source', file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
  });
  const [stdout, stderr] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join('')),
  );
  return { stdout, stderr, code: child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve))) };
}

describe('a program with one session', () => {
  it.each(['close', 'open'])('ends by itself and warns of nothing (%s)', async (how) => {
    const ended = await run('one-session.ts', [join(folder, `${how}.db`), how]);

    expect(ended).toEqual({ stdout: 'hello from bash\nsuccess\n', stderr: '', code: 0 });
  });

  it('keeps its sessions in AGENT_SDK_HOME, for this user alone (S44, ZD17)', async () => {
    const home = join(folder, 'home');

    const ended = await run('one-session.ts', ['default', 'close'], { AGENT_SDK_HOME: home });

    expect(ended.stderr).toBe('');
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, 'sessions.db'))).mode & 0o777).toBe(0o600);
  });
});

/** A session whose command line tells its process id in a file and then sleeps for ten seconds, children included. */
async function sleeping(name: string) {
  const file = join(folder, `${name}.pid`);
  const groupOf = async () => Number(await readFile(file, 'utf8'));
  const seen = { alive: 0 };
  const started = async () => {
    await vi.waitFor(() => access(file), { interval: 5, timeout: 5000 });
    const alive = livingIn(await groupOf());
    seen.alive = Math.max(seen.alive, alive);
    return 'started';
  };
  const shell = { ...builtinTools().find((tool) => tool.name === 'Bash')!, name: 'shell', parallelSafe: true };
  const command = `sleep 10 & (sleep 10 & sleep 10) & echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 10`;
  const toolCalls = [{ name: 'shell', input: { command } }, { name: 'started' }];
  const store = sqliteStore({ path: join(folder, `${name}.db`) });
  const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], {
    tools: [shell, toolNamed('started', started, { kind: 'readonly' }), echoTool()],
    cwd: folder,
    store,
  });
  await session.send('Begin.');
  return { session, store, started, groupOf, seen };
}

/** How many of a process group live; one that has ended and was not yet collected does not. */
function livingIn(group: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pgid=,stat=']).toString().trim().split('\n');
  return lines.filter((line) => line.trim().startsWith(`${group} `) && !line.includes('Z')).length;
}

/** Waits until nothing of the group lives. */
async function dead(group: number): Promise<void> {
  await vi.waitFor(() => expect(livingIn(group)).toBe(0), { interval: 20, timeout: 15_000 });
}

/** Milliseconds that leaving takes; the process group must be gone right after it. */
async function leaves(name: string, leave: (session: ISession, started: () => Promise<unknown>) => Promise<number>) {
  const { session, store, started, groupOf, seen } = await sleeping(name);
  const leftAt = await leave(session, started);
  const took = performance.now() - leftAt;
  await dead(await groupOf());
  const log = await bodiesOf(store, session.sessionId);
  const next = resultOf(await say(session, 'Again.')).subtype;
  await session.close();
  await store[Symbol.asyncDispose]();
  return { took, alive: seen.alive, ended: log.at(-1), next };
}

describe('a command that sleeps for ten seconds', () => {
  it.each<[string, (session: ISession, started: () => Promise<unknown>) => Promise<number>]>([
    [
      'break',
      async (session) => {
        let at = 0;
        for await (const event of session.stream()) {
          if (event.type !== 'tool_result') continue;
          at = performance.now();
          break;
        }
        return at;
      },
    ],
    [
      'return() while the next event is awaited',
      async (session, started) => {
        const stream = session.stream();
        const reading = (async () => {
          for (;;) if ((await stream.next()).done) return;
        })();
        await started();
        const at = performance.now();
        await stream.return();
        await reading;
        return at;
      },
    ],
    [
      'abort()',
      async (session, started) => {
        const reading = Array.fromAsync(session.stream());
        await started();
        const at = performance.now();
        session.abort();
        expect(only(await reading, 'result')).toMatchObject([{ subtype: 'aborted' }]);
        return at;
      },
    ],
  ])('is dead soon after %s, with all its children (S13, S20)', async (how, leave) => {
    const { took, alive, ended, next } = await leaves(how.replaceAll(/\W/g, '-'), leave);

    expect(alive).toBeGreaterThan(1); // it was there, so its end means something
    expect(took).toBeLessThan(5000); // it did not wait for the ten seconds
    expect(ended).toMatchObject({ type: 'run_ended', subtype: 'aborted' });
    expect(next).toBe('success');
  });

  it('is dead after `await using` (S17)', async () => {
    const { session, store, started, groupOf } = await sleeping('using');
    const reading = Array.fromAsync(session.stream());
    await started();

    await session[Symbol.asyncDispose]();

    const group = await groupOf();
    // What was killed may be listed for a moment; the command itself would go on for ten seconds.
    await vi.waitFor(() => expect(livingIn(group)).toBe(0), { interval: 20, timeout: 5_000 });
    await reading;
    await store[Symbol.asyncDispose]();
  });
});
