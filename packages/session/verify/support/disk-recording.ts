import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Acknowledgement } from './acknowledgements.ts';
import { demoPlan } from './demo-plan.ts';
import { clear, layTrial, startChild, type Trial } from './trial-folder.ts';

/** What a process has asked of its files, and what it has told somebody outside, in order. */
export type DiskStep =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly length: number }
  | { readonly kind: 'sync' | 'unlink'; readonly file: string }
  | { readonly kind: 'told'; readonly told: Acknowledgement };

const TOLD = 'acknowledged.jsonl';
const FILES = ['sessions.db', 'sessions.db-wal', 'sessions.db-journal', TOLD];
const CALLS = 'trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink';

/** Records one session of the demonstration plan, from its first byte to the closing of its store. */
export async function recordDisk(guard: Trial['guard']): Promise<DiskStep[]> {
  const trial = await layTrial(demoPlan, { planName: 'demo', guard });
  try {
    const trace = join(trial.folder, 'trace');
    const only = FILES.flatMap((name) => ['-P', join(trial.folder, name)]);
    const child = startChild(trial, { trace: ['-o', trace, '-y', '-xx', '-s', '2000000', '-e', CALLS, ...only] });
    await child.begun;
    const { code, errors } = await child.ended;
    if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
    const lines = (await readFile(trace, 'utf8')).split('\n');
    return lines.flatMap(stepOf);
  } finally {
    await clear(trial);
  }
}

/** `123 pwrite64(22<path>, "bytes", 4096, 8192) = 4096`, paths and bytes as \x escapes. */
function stepOf(line: string): DiskStep[] {
  const [, call, rest = ''] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? [];
  if (call === undefined || /= -1 /.test(line)) return [];
  const [first = '', second = ''] = [...rest.matchAll(/(?:\\x[0-9a-f]{2})+/g)].map(([text]) => text);
  const file = basename(bytesOf(first).toString());
  // A call that another thread's comes between is written in two halves; the first has all that is looked at here.
  const numbers = /, (\d+)(?:, (\d+))?(?:\)\s+=| <unfinished)/.exec(rest);
  if (call === 'write') return [{ kind: 'told', told: JSON.parse(bytesOf(second).toString()) as Acknowledgement }];
  if (file === TOLD) return [];
  if (!numbers && /^(?:pwrite64|ftruncate)$/.test(call))
    throw new Error(`A line of the trace is not understood: ${line.slice(0, 200)}`);
  if (call === 'pwrite64') return [{ kind: 'write', file, at: Number(numbers?.[2]), bytes: bytesOf(second) }];
  if (call === 'ftruncate') return [{ kind: 'truncate', file, length: Number(numbers?.[1]) }];
  return [{ kind: call === 'unlink' ? 'unlink' : 'sync', file }];
}

function bytesOf(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}
