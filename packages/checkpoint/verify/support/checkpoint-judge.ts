import { DatabaseSync } from 'node:sqlite';
import { type Checkpointer, createCheckpointer } from '../../src/index.ts';
import { picture } from '../../test/picture.ts';
import { isTemporary, type Laid, type Picture, unlike } from './three-states.ts';
import type { WorkerEnd } from './traced-worker.ts';

/** State that another process finds when it opens the checkpoints after a process has ended early. */
export interface Judged {
  readonly faults: readonly string[];
  /** End of a rewind. */
  readonly rewind?: 'completed' | 'not begun';
}

/** After a call: what was acknowledged is taken back without a question, all else with `force`; nothing is lost on the way to the beginning. */
export async function judgeCall(laid: Laid, { said }: WorkerEnd): Promise<Judged> {
  const { root, file, first, second } = laid;
  const kinds = new Set(said.map(({ kind }) => kind));
  const isSure = !kinds.has('problem');
  const faults: string[] = [];
  const checkpointer = await createCheckpointer({ cwd: root, file });
  try {
    if (kinds.has('around') && kinds.has('door') && kinds.has('second point')) {
      const { errors } = await checkpointer.rewind('m2');
      const isBack = picture(root)['a'] === '644 a after two calls\n';
      if (isSure && !isBack) faults.push(`what a door wrote was not taken back: ${told(errors)}`);
    }
    if (kinds.has('point')) {
      const { conflicts, success } = await checkpointer.rewind('m');
      // A call that has not returned may have been at work on anything; a door on its own file.
      const isOver = kinds.has('around') || kinds.has('no around');
      const open = isOver ? (kinds.has('door') ? [] : ['a']) : undefined;
      const left = unlike(picture(root), second).filter((path) => !isNamed(path, conflicts, root));
      faults.push(...left.map((path) => `${path} is not as it was, and nobody said so`));
      const lost = conflicts.map((place) => place.slice(root.length + 1)).filter((path) => !open?.includes(path));
      if (isSure && open && lost.length > 0) faults.push(`acknowledged, and not taken back: ${lost.join()}`);
      if (success && unlike(picture(root), second).length > 0) faults.push('success, and files differ');
      faults.push(...(await forced(checkpointer, { root, message: 'm', expected: second })));
    }
    faults.push(...(await forced(checkpointer, { root, message: 'm0', expected: first })));
  } finally {
    await checkpointer.close();
  }
  return { faults: [...faults, ...leftBy(laid)] };
}

/**
 * After a rewind that was cut off: it is completed by the opening, or has not begun. Both ways every message is as it was, and the rewind
 * can be taken back.
 */
export async function judgeRewind(laid: Laid): Promise<Judged> {
  const { root, file, first, second, present } = laid;
  const faults = mixedIn(laid);
  const checkpointer = await createCheckpointer({ cwd: root, file });
  let rewind: Judged['rewind'];
  try {
    const [fromSecond, fromPresent] = [unlike(picture(root), second), unlike(picture(root), present)];
    if (fromSecond.length === 0) rewind = 'completed';
    else if (fromPresent.length === 0) rewind = 'not begun';
    else faults.push(`neither completed nor not begun: ${fromSecond.join()} are not as they were`);
    for (const [message, expected] of [['m', second] as const, ['m0', first] as const]) {
      const { errors } = await checkpointer.rewind(message);
      if (errors.length > 0) faults.push(`${message} is not rewound without a question: ${told(errors)}`);
      faults.push(...unlike(picture(root), expected).map((path) => `${path} is not as at ${message}`));
    }
  } finally {
    await checkpointer.close();
  }
  const id = rewindIn(file);
  if (rewind === 'completed' && faults.length === 0 && id !== undefined) faults.push(...(await redoFaults(laid, id)));
  return { faults: [...faults, ...leftBy(laid)], ...(rewind ? { rewind } : {}) };
}

async function redoFaults({ root, file, present }: Laid, id: string): Promise<string[]> {
  const checkpointer = await createCheckpointer({ cwd: root, file });
  const { errors } = await checkpointer.rewind(id);
  await checkpointer.close();
  const left = unlike(picture(root), present);
  if (errors.length === 0 && left.length === 0) return [];
  return [`taken back, it differs in ${left.join()}: ${told(errors)}`];
}

/** What is neither the one nor the other. A link, and what becomes of another kind, may be away; a directory gets its mode last. */
export function mixedIn({ root, second, present }: Laid): string[] {
  const now = picture(root);
  const isOnTheWay = (path: string) => {
    const [from, to] = [kindOf(present[path]), kindOf(second[path])];
    return now[path] === undefined
      ? from !== to || to === 'link'
      : kindOf(now[path]) === 'directory' && to === 'directory';
  };
  return unlike(now, second)
    .filter((path) => now[path] !== present[path] && !isOnTheWay(path))
    .map((path) => `${path} is mixed: ${now[path]?.slice(0, 60)}`);
}

function kindOf(shown: string | undefined): string | undefined {
  return shown?.startsWith('-> ') ? 'link' : shown?.startsWith('directory ') ? 'directory' : shown && 'file';
}

export async function forced(
  checkpointer: Checkpointer,
  { root, message, expected }: { readonly root: string; readonly message: string; readonly expected: Picture },
): Promise<string[]> {
  const { errors } = await checkpointer.rewind(message, { force: true });
  const left = unlike(picture(root), expected);
  return errors.length === 0 && left.length === 0
    ? []
    : [`forced to ${message}, ${left.join()} differ: ${told(errors)}`];
}

/** A directory stays with what is in it. */
function isNamed(path: string, conflicts: readonly string[], root: string): boolean {
  return conflicts.some((place) => place === `${root}/${path}` || place.startsWith(`${root}/${path}/`));
}

/** Unfinished files, and what SQLite says of its own. */
export function leftBy({ root, file }: Laid): string[] {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare('pragma integrity_check').all();
    const damage = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
    const left = Object.keys(picture(root)).filter(isTemporary);
    return [...damage, ...left.map((path) => `${path} was left`)];
  } finally {
    database.close();
  }
}

/** The first rewind that was recorded. */
function rewindIn(file: string): string | undefined {
  const database = new DatabaseSync(file);
  try {
    const row = database
      .prepare('SELECT message FROM points JOIN rewinds ON message = rewinds.id ORDER BY points.id')
      .get();
    return row && String(row['message']);
  } finally {
    database.close();
  }
}

export function told(errors: readonly { readonly filePath: string; readonly error: string }[]): string {
  return errors.map(({ filePath, error }) => `${filePath.split('/').at(-1)}: ${error.slice(0, 80)}`).join('; ');
}
