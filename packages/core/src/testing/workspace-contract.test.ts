import { describe, expect, it } from 'vitest';
import type { FileStat, Workspace } from '../workspace.ts';
import { type CommandScript, memoryWorkspace } from './memory-workspace.ts';
import { workspaceContract } from './workspace-contract.ts';
import { contractCommands } from './workspace-process-cases.ts';

const script: CommandScript = (command, { stdin, env }) => {
  const stderr = { channel: 'stderr', bytes: new TextEncoder().encode('err') } as const;
  if (command === contractCommands.speaks) return { output: ['out', stderr], code: 3 };
  if (command === contractCommands.echoes) return { output: [stdin ?? ''] };
  if (command === contractCommands.floods) return { output: [new Uint8Array(1_000_000)] };
  if (command === contractCommands.waits) return { hangs: true };
  if (command === contractCommands.speaksAndWaits) return { output: 'out', hangs: true };
  return command === contractCommands.tellsEnvironment ? { output: env?.['CONTRACT'] ?? '' } : undefined;
};

/** The names of the promises that a workspace breaks. */
async function brokenBy(change: (workspace: Workspace) => Partial<Workspace>): Promise<string[]> {
  const make = () => {
    const workspace = memoryWorkspace({ commands: script });
    return { workspace: { ...workspace, ...change(workspace) } };
  };
  const names: string[] = [];
  for (const item of workspaceContract(make, { patienceMs: 50 })) await item.run().catch(() => names.push(item.name));
  return names;
}

describe('workspaceContract', () => {
  describe('on memoryWorkspace', () => {
    for (const item of workspaceContract(() => ({ workspace: memoryWorkspace({ commands: script }) }))) {
      it(item.name, () => expect(item.run()).resolves.toBeUndefined());
    }
  });

  it('leaves out the commands when there are none', () => {
    const all = workspaceContract(() => ({ workspace: memoryWorkspace() }));
    const filesOnly = workspaceContract(() => ({ workspace: memoryWorkspace() }), { commands: false });

    expect(filesOnly.length).toBeGreaterThan(15);
    expect(all.length).toBeGreaterThan(filesOnly.length + 5);
  });

  it('disposes of the workspace, also after a broken promise', async () => {
    let disposed = 0;
    const make = () => ({
      workspace: { ...memoryWorkspace(), stat: async () => undefined },
      dispose: () => void (disposed += 1),
    });
    const cases = workspaceContract(make, { commands: false });

    await Promise.allSettled(cases.map((item) => item.run()));

    expect(disposed).toBe(cases.length);
  });

  it.each([
    ['the message of an error without a code', new Error('gone'), 'readFile: expected "ENOENT", got "gone"'],
    [
      'the code of another',
      Object.assign(new Error('gone'), { code: 'EIO' }),
      'readFile: expected "ENOENT", got "EIO"',
    ],
    ['what is no error', 'gone', 'readFile: expected "ENOENT", got "gone"'],
  ])('tells what came instead of the promised error: %s', async (_, error, message) => {
    const make = () => ({ workspace: { ...memoryWorkspace(), readFile: () => Promise.reject(error) } });
    const item = workspaceContract(make).find(({ name }) => name.includes('ENOENT'));

    await expect(item?.run()).rejects.toMatchObject({ code: 'CONTRACT_BROKEN', message });
  });

  it.each<[string, (workspace: Workspace) => Partial<Workspace>, RegExp]>([
    ['loses the mode', (w) => ({ writeFile: (path, content) => w.writeFile(path, content, { mode: 0o644 }) }), /mode/],
    [
      'appends',
      (w) => ({ writeFile: async (path, content) => w.writeFile(path, await joined(w, path, content)) }),
      /replaces/,
    ],
    ['follows links in stat', (w) => ({ stat: async (path) => w.stat(await w.resolve(path)) }), /link itself/],
    [
      'replaces a link',
      (w) => ({ writeFile: (path, content, options) => replaceLink(w, path, content, options) }),
      /behind a link/,
    ],
    ['does not resolve links', (w) => ({ resolve: async (path) => `${w.cwd}/${path}` }), /resolves the links/],
    [
      'reads nothing for a missing file',
      (w) => ({ readFile: (path) => w.readFile(path).catch(() => new Uint8Array()) }),
      /ENOENT/,
    ],
    ['garbles bytes', (w) => ({ readFile: async (path) => (await w.readFile(path)).fill(1) }), /very bytes/],
    [
      'lets time run backwards',
      (w) => ({ stat: async (path) => timeless(await w.stat(path), path.startsWith('new') ? -1 : 0) }),
      /run backwards/,
    ],
    ['removes whole trees', (w) => ({ remove: (path) => w.remove(path).catch(() => undefined) }), /empty directory/],
    [
      'ignores kill',
      (w) => ({ spawn: (line, o) => ({ ...w.spawn(line, o), exit: Promise.resolve({ code: 0, signal: null }) }) }),
      /killed/,
    ],
    [
      'ignores the signal',
      (w) => ({ spawn: (line, o) => w.spawn(line, { ...o, signal: new AbortController().signal }) }),
      /aborted already/,
    ],
    ['drops stdin', (w) => ({ spawn: (line, { stdin: _, ...o }) => w.spawn(line, o) }), /standard input/],
  ])('notices a workspace that %s', async (_, change, promise) => {
    const names = await brokenBy(change);

    expect(names).toContainEqual(expect.stringMatching(promise));
  });
});

/** With that for the time of the last change. */
function timeless(stat: FileStat | undefined, modifiedMs: number): FileStat | undefined {
  return stat && { ...stat, modifiedMs };
}

async function joined(workspace: Workspace, path: string, content: Uint8Array): Promise<Uint8Array> {
  const before = await workspace.readFile(path).catch(() => new Uint8Array());
  return Uint8Array.from([...before, ...content]);
}

async function replaceLink(
  workspace: Workspace,
  path: string,
  content: Uint8Array,
  options?: { readonly mode?: number },
): Promise<void> {
  if ((await workspace.stat(path))?.kind === 'symlink') await workspace.remove(path);
  await workspace.writeFile(path, content, options);
}
