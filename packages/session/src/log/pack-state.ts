import { frozen, type Message } from '@x/core';
import type { KnownCall, SessionState } from './fold.ts';

interface PackedScope {
  readonly key: string;
  readonly messages: Message[];
  readonly calls?: readonly (readonly [string, KnownCall])[];
  readonly turns: number;
  readonly notes: readonly (readonly [string, unknown])[];
}

/** The state as JSON bytes, behind as many empty ones as are asked for. */
export function packState(state: SessionState, emptyBytes = 0): Uint8Array<ArrayBuffer> {
  const scopes = [...state.scopes].map(([key, { messages, calls, turns, notes }]): PackedScope => {
    return { key, messages, turns, notes: [...notes], ...(calls ? { calls: [...calls] } : {}) };
  });
  const json = JSON.stringify({ ...state, scopes, usedCallIds: [...state.usedCallIds] });
  const bytes = new Uint8Array(emptyBytes + Buffer.byteLength(json));
  new TextEncoder().encodeInto(json, bytes.subarray(emptyBytes));
  return bytes;
}

/** What `packState` packed. */
export function unpackState(bytes: Uint8Array): SessionState {
  const packed = JSON.parse(new TextDecoder().decode(bytes)) as Omit<SessionState, 'scopes' | 'usedCallIds'> & {
    scopes: PackedScope[];
    usedCallIds: string[];
  };
  const scopes = packed.scopes.map(({ key, calls, notes, ...rest }) => {
    for (const message of rest.messages) frozen(message);
    return [key, { ...rest, notes: new Map(notes), ...(calls ? { calls: new Map(calls) } : {}) }] as const;
  });
  return { ...packed, scopes: new Map(scopes), usedCallIds: new Set(packed.usedCallIds) };
}
