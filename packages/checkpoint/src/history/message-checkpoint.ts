import { isUtf8 } from 'node:buffer';
import { MOVED_IN } from '../rewind/plan-rewind.ts';
import type { RecordedPoint } from '../store/ledger.ts';
import type { Entry, TreePath } from '../tree/entry.ts';
import type { FileChange, FileSnapshot, MessageCheckpoint } from './types.ts';

interface Reading {
  readonly read: (hash: string) => Promise<Uint8Array>;
  readonly placeOf: (path: TreePath) => string;
}

/** A point and its changes, in the form of the specification, with contents. */
export async function messageCheckpoint(
  { message, role, at, changes }: RecordedPoint,
  { read, placeOf }: Reading,
): Promise<MessageCheckpoint> {
  const fileChanges: FileChange[] = [];
  const fileSnapshots = new Map<string, FileSnapshot>();
  for (const { path, before, after, calls, at: changedAt } of changes) {
    const filePath = placeOf(path);
    const timestamp = new Date(changedAt);
    const beforeSnapshot = await snapshotOf(filePath, before, { read, timestamp: new Date(at) });
    const afterSnapshot = await snapshotOf(filePath, after, { read, timestamp });
    fileChanges.push({
      filePath,
      operation: before === null ? 'create' : after === null ? 'delete' : 'modify',
      beforeSnapshot: before && beforeSnapshot,
      afterSnapshot,
      timestamp,
      callIds: (calls ?? []).filter((one) => one !== MOVED_IN),
    });
    if (!fileSnapshots.has(filePath)) fileSnapshots.set(filePath, beforeSnapshot);
  }
  return { messageUuid: message, messageRole: role, timestamp: new Date(at), fileChanges, fileSnapshots };
}

async function snapshotOf(
  filePath: string,
  entry: Entry | null,
  { read, timestamp }: Pick<Reading, 'read'> & { readonly timestamp: Date },
): Promise<FileSnapshot> {
  const nothing = { content: null, hash: null, size: null, mode: null, encoding: null };
  const common = { filePath, exists: entry !== null, timestamp, kind: entry?.kind ?? null };
  if (entry === null) return { ...nothing, ...common };
  if (entry.kind === 'directory') return { ...nothing, ...common, mode: entry.mode };
  if (entry.kind === 'symlink')
    return { ...nothing, ...common, content: Buffer.from(entry.target, 'latin1').toString() };
  const { hash, size, mode } = entry;
  if (hash === null) return { ...nothing, ...common, size, mode };
  const content = await read(hash);
  const isText = isUtf8(content) && !content.includes(0);
  const text = isText ? Buffer.from(content).toString() : null;
  const hex = Buffer.from(hash, 'base64url').toString('hex');
  return { ...common, content: text, hash: hex, size, mode, encoding: isText ? 'utf-8' : 'binary' };
}
