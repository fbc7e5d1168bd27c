import { AbortError, type FileKind, type Workspace } from '@x/core';
import { type IgnoreRules, ignoreRules, noRules } from '@x/core/path-pattern';
import { decodeText } from '../text/decode-text.ts';
import { joinPath, pathFrom } from './workspace-path.ts';

export interface WalkOptions {
  readonly workspace: Workspace;
  /** Absolute, without `.` and `..`. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Called for every directory, with its path from the root; false skips it. Default: all are entered. */
  readonly enters?: (directory: string) => boolean;
}

interface Entry {
  readonly path: string;
  readonly kind: FileKind;
  /** The rules of the directories above. */
  readonly rules: IgnoreRules;
}

/**
 * The files and links below a directory with their paths from it, in the order of those paths. Skips `.git`, files that the `.gitignore`
 * files from the working directory down ignore, and directories that cannot be read. Links are not followed. A root that is itself ignored
 * is walked anyway, without the rules above it. @throws AbortError
 */
export async function* walkFiles(options: WalkOptions): AsyncGenerator<{ path: string; kind: FileKind }, void, void> {
  const { workspace, root, signal, enters = () => true } = options;
  const waiting: Entry[] = [{ path: root, kind: 'directory', rules: await rulesAbove(workspace, root) }];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (signal.aborted) throw new AbortError();
    const path = pathFrom(root, entry.path);
    if (entry.kind !== 'directory') yield { path, kind: entry.kind };
    else if (entry.path === root || enters(path)) waiting.push(...(await entriesIn(workspace, entry)).reverse());
  }
}

async function entriesIn(workspace: Workspace, { path: directory, rules: above }: Entry): Promise<Entry[]> {
  const found: { name: string; kind: FileKind }[] = [];
  try {
    for await (const entry of workspace.list(directory)) if (entry.name !== '.git') found.push(entry);
  } catch {
    return []; // gone meanwhile, or not ours to read: its files are as good as absent
  }
  const rules = found.some(({ name }) => name === '.gitignore') ? await rulesIn(workspace, directory, above) : above;
  return found
    .map(({ name, kind }) => ({ path: joinPath(directory, name), kind, rules }))
    .filter(({ path, kind }) => !rules.ignores(path, kind === 'directory'))
    .sort((one, other) => (orderKey(one) < orderKey(other) ? -1 : 1));
}

/** With the slash that follows a directory's name the entries come in the order of whole paths. */
function orderKey({ path, kind }: Entry): string {
  return kind === 'directory' ? `${path}/` : path;
}

async function rulesAbove(workspace: Workspace, root: string): Promise<IgnoreRules> {
  const below = pathFrom(workspace.cwd, root);
  if (below === '.' || below.startsWith('/')) return noRules;
  let rules = noRules;
  let directory = workspace.cwd;
  for (const name of below.split('/')) {
    rules = await rulesIn(workspace, directory, rules);
    directory = joinPath(directory, name);
    if (rules.ignores(directory, true)) return noRules;
  }
  return rules;
}

async function rulesIn(workspace: Workspace, directory: string, outer: IgnoreRules): Promise<IgnoreRules> {
  const file = joinPath(directory, '.gitignore');
  const found = await workspace.stat(file).catch(() => undefined); // a closed door: as good as absent
  if (found?.kind !== 'file') return outer;
  const text = decodeText(await workspace.readFile(file).catch(() => new Uint8Array())); // unreadable: as good as absent
  return text === undefined ? outer : ignoreRules(text, directory, outer);
}
