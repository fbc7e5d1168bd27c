import type { SessionState } from './fold.ts';
import { packState, unpackState } from './pack-state.ts';
import type { Snapshot } from './session-store.ts';

/** Raised with every change of what the fold makes of a log, or of how it is packed: snapshots of another format are not read. */
export const SNAPSHOT_FORMAT = 1;
/** Bytes of the checksum in front of the packed state. */
const CHECKSUM_BYTES = 4;
/** Entries since the last snapshot that make a new one worth its price, whatever the length of the log. */
const FEWEST_ENTRIES = 200;

/** The state as the store keeps it. */
export function snapshotOf(sessionId: string, state: SessionState): Snapshot {
  const bytes = packState(state, CHECKSUM_BYTES);
  new DataView(bytes.buffer).setUint32(0, checksum(bytes.subarray(CHECKSUM_BYTES), sessionId, state.head));
  return { seq: state.head, format: SNAPSHOT_FORMAT, state: bytes };
}

/** The state in a snapshot; undefined for a damaged one, and for one of another session. */
export function stateIn(sessionId: string, { seq, format, state: bytes }: Snapshot): SessionState | undefined {
  if (format !== SNAPSHOT_FORMAT || bytes.length < CHECKSUM_BYTES) return undefined;
  const packed = bytes.subarray(CHECKSUM_BYTES);
  const expected = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return checksum(packed, sessionId, seq) === expected ? unpackState(packed) : undefined;
}

/** Whether a log of `head` entries, of which a snapshot covers the first ones, is due for another. */
export function isSnapshotDue(head: number, covered: number): boolean {
  return head - covered >= Math.max(FEWEST_ENTRIES, head / 10);
}

/** Of the bytes, and of what they stand for: bytes that belong elsewhere do not fit either. */
function checksum(packed: Uint8Array, sessionId: string, seq: number): number {
  const { crc32 } = process.getBuiltinModule('node:zlib'); // most sessions never need it
  return crc32(packed, crc32(`${sessionId} ${seq} `));
}
