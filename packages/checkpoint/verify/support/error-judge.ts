import { writeFileSync } from 'node:fs';
import { createCheckpointer } from '../../src/index.ts';
import { picture } from '../../test/picture.ts';
import { forced, judgeCall, leftBy, mixedIn, told } from './checkpoint-judge.ts';
import { type Laid, unlike } from './three-states.ts';
import type { Injection, WorkerEnd } from './traced-worker.ts';

/** A call and its checkpoints while something has failed: its result has arrived, and a fresh process finds everything. */
export async function judgeFailingCall(laid: Laid, end: WorkerEnd, { thread, lasts }: Injection): Promise<string[]> {
  const faults = endFaults(end);
  const kinds = new Set(end.said.map(({ kind }) => kind));
  const value = end.said.find(({ kind }) => kind === 'around')?.value;
  // What the other threads do is the work of the call itself, and of the door.
  if (thread === 'keeper' && value !== 'its result') faults.push(`its result did not arrive: ${[...kinds].join()}`);
  if (thread === 'keeper' && !kinds.has('door')) faults.push('a door did not work any more');
  if (lasts === 'once' || !kinds.has('problem')) return [...faults, ...(await judgeCall(laid, end)).faults];
  // Nothing could be recorded to the end: a fresh process knows nothing of it, but opens, and works.
  const { root, file } = laid;
  const checkpointer = await createCheckpointer({ cwd: root, file });
  const before = picture(root);
  await checkpointer.checkpoint('later');
  await checkpointer.around(async () => writeFileSync(`${root}/run`, 'later'));
  const later = await forced(checkpointer, { root, message: 'later', expected: before });
  await checkpointer.close();
  return [...faults, ...later];
}

/** A rewind while something has failed: whatever is not as it was is told, and what is told to be restored is. */
export async function judgeFailingRewind(laid: Laid, end: WorkerEnd): Promise<string[]> {
  const faults = endFaults(end);
  const { root, file, first, second, present } = laid;
  const result = end.said.find(({ kind }) => kind === 'rewound')?.result;
  if (!result) return [...faults, 'it told no result'];
  const now = picture(root);
  const below = (places: readonly string[]) => new Set(places.map((place) => place.slice(root.length + 1)));
  const listed = below(result.errors.map(({ filePath }) => filePath));
  const done = below([...result.restoredFiles, ...result.deletedFiles]);
  const [left, changed] = [unlike(now, second), unlike(now, present)];
  if (result.success && left.length > 0) faults.push(`success, and ${left.join()} are not as they were`);
  if (!result.success && result.errors.length === 0) faults.push('failed without an error');
  // Nothing at all was done, or each is named.
  const isUntouched = changed.length === 0 && listed.has('');
  if (!isUntouched)
    faults.push(
      ...left.filter((path) => !isBelow(path, listed)).map((path) => `${path} is not as it was, and not told`),
    );
  faults.push(
    ...[...done].filter((path) => left.includes(path)).map((path) => `${path} is told to be done, and is not`),
  );
  faults.push(
    ...changed
      .filter((path) => !done.has(path) && !isBelow(path, listed))
      .map((path) => `${path} was changed without a word`),
    ...mixedIn(laid),
  );
  const checkpointer = await createCheckpointer({ cwd: root, file });
  for (const [message, expected] of [['m', second] as const, ['m0', first] as const]) {
    const { errors } = await checkpointer.rewind(message);
    const unlikely = unlike(picture(root), expected);
    if (errors.length > 0 || unlikely.length > 0)
      faults.push(`afterwards, at ${message} ${unlikely.join()} differ: ${told(errors)}`);
  }
  if (result.rewindId !== undefined)
    faults.push(...(await forced(checkpointer, { root, message: result.rewindId, expected: present })));
  await checkpointer.close();
  return [...faults, ...leftBy(laid)];
}

function endFaults({ code, signal, errors }: WorkerEnd): string[] {
  return code === 0 && errors === '' ? [] : [`it ended with ${code ?? signal}: ${errors}`];
}

/** The path, or a directory around it. */
function isBelow(path: string, listed: ReadonlySet<string>): boolean {
  return [...listed].some((one) => one !== '' && (path === one || path.startsWith(`${one}/`)));
}
