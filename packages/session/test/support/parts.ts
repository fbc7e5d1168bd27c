import type { MediaBlock } from '@x/core/internal';
import type { Script } from '@x/core/testing';
import { scriptedModel } from '@x/core/testing';
import type { CustomProvider, SessionStore } from '../../src/index.ts';
import { bodiesOf } from './makers.ts';

/** A picture of this many bytes. */
export function picture(bytes: number): Uint8Array {
  const data = new Uint8Array(bytes).fill(7);
  data.set(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  return data;
}

/** The same store, and the hashes of all blobs that were stored. */
export function countingBlobs(inner: SessionStore): { readonly store: SessionStore; readonly blobs: Set<string> } {
  const blobs = new Set<string>();
  const store: SessionStore = {
    ...inner,
    putBlob: async (sessionId, sha256, bytes) => {
      blobs.add(sha256);
      await inner.putBlob(sessionId, sha256, bytes);
    },
  };
  return { store, blobs };
}

/** A provider whose models play the script and read only what `reads` says. */
export function reading(script: Script, reads: (part: MediaBlock) => boolean): CustomProvider {
  return { type: 'custom', createModel: (name) => ({ ...scriptedModel(script, { name }), reads }) };
}

/** The hashes of the blobs that the log names. */
export async function blobsIn(store: SessionStore, sessionId: string): Promise<string[]> {
  return (await bodiesOf(store, sessionId)).flatMap((body) => (body.type === 'blob' ? [body.sha256] : []));
}
