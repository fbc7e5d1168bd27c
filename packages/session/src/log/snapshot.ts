import { atOnce } from '../host/loop-share.ts';
import type { SessionEntry } from './entry.ts';
import type { SessionState } from './fold.ts';
import { FORMAT_STEPS } from './log-format.ts';
import { packing, unpacking } from './pack-state.ts';
import type { Snapshot } from './session-store.ts';

/** Incremented with every change of the fold or of the packing: snapshots of another format are not read. */
const OWN_FORMAT = 5;
/** A version that does not know a log format ignores its snapshots as well, and so reads the entry that names the format. */
export const SNAPSHOT_FORMAT: number = OWN_FORMAT + FORMAT_STEPS.length;
/** Bytes of the checksum in front of the packed state. */
const CHECKSUM_BYTES = 4;
/** The least number of entries since the last snapshot that justifies a new one. */
const FEWEST_ENTRIES = 200;

/** One entry that identifies a log: another one, later under the same id, has other times. */
export type Mark = Pick<SessionEntry, 'seq' | 'at' | 'epoch'>;

/** A snapshot, and the last entry that it covers, read from the log. */
export interface MarkedSnapshot {
  readonly snapshot: Snapshot;
  readonly mark: Mark;
}

/** Packs the state for the store; `mark` is the last entry folded into it. */
export function snapshotOf(sessionId: string, state: SessionState, mark: Mark): Snapshot {
  return atOnce(makingSnapshot(sessionId, state, mark));
}

/** `snapshotOf`, in steps between which the state must not change. */
export function* makingSnapshot(sessionId: string, state: SessionState, mark: Mark): Generator<void, Snapshot> {
  const bytes = yield* packing(state, CHECKSUM_BYTES);
  new DataView(bytes.buffer).setUint32(0, checksum(bytes.subarray(CHECKSUM_BYTES), sessionId, mark));
  return { seq: state.head, format: SNAPSHOT_FORMAT, state: bytes };
}

/** The state in a snapshot; undefined for a damaged one, and for one of another session, or of an earlier log under the same id. */
export function stateIn(sessionId: string, found: MarkedSnapshot): SessionState | undefined {
  return atOnce(readingSnapshot(sessionId, found));
}

/** `stateIn`, in steps. */
export function* readingSnapshot(
  sessionId: string,
  { snapshot, mark }: MarkedSnapshot,
): Generator<void, SessionState | undefined> {
  const { format, state: bytes } = snapshot;
  if (format !== SNAPSHOT_FORMAT || bytes.length < CHECKSUM_BYTES) return undefined;
  const packed = bytes.subarray(CHECKSUM_BYTES);
  const expected = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return checksum(packed, sessionId, mark) === expected ? yield* unpacking(packed) : undefined;
}

/** True when a log of `head` entries, `covered` of them by a snapshot, is due for another. */
export function isSnapshotDue(head: number, covered: number): boolean {
  return head - covered >= Math.max(FEWEST_ENTRIES, head / 10);
}

/** Covers the bytes and what they describe: bytes that belong elsewhere do not fit either. */
function checksum(packed: Uint8Array, sessionId: string, { seq, at, epoch }: Mark): number {
  const { crc32 } = process.getBuiltinModule('node:zlib'); // most sessions never need it
  return crc32(packed, crc32(`${sessionId} ${seq} ${at} ${epoch} `));
}
