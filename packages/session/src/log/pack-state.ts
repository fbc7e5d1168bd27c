import type { Message } from '@x/core';
import { frozen, type KnownCall } from '@x/core/internal';
import { atOnce } from '../host/loop-share.ts';
import type { SessionState } from './fold.ts';

interface PackedScope {
  readonly key: string;
  readonly calls?: readonly (readonly [string, KnownCall])[];
  readonly turns: number;
  readonly notes: readonly (readonly [string, unknown])[];
}
/** The first line: everything except the messages. */
type PackedState = Omit<SessionState, 'scopes' | 'usedCallIds'> & { scopes: PackedScope[]; usedCallIds: string[] };
/** Every other line: some messages of one scope, by its index in the list. */
type PackedMessages = readonly [scope: number, messages: readonly Message[]];

/** Messages per step. */
const STEP = 20;
const LINE_END = 10;

/** Packs the state as JSON bytes, after `emptyBytes` empty ones. */
export function packState(state: SessionState, emptyBytes = 0): Uint8Array<ArrayBuffer> {
  return atOnce(packing(state, emptyBytes));
}

/** Reverses `packState`. */
export function unpackState(bytes: Uint8Array): SessionState {
  return atOnce(unpacking(bytes));
}

/** `packState`, in steps between which the state must not change. */
export function* packing(state: SessionState, emptyBytes = 0): Generator<void, Uint8Array<ArrayBuffer>> {
  const scopes = [...state.scopes].map(([key, { calls, turns, notes }]): PackedScope => {
    return { key, turns, notes: [...notes], ...(calls ? { calls: [...calls] } : {}) };
  });
  const first: PackedState = { ...state, scopes, usedCallIds: [...state.usedCallIds] };
  const lines = [new Uint8Array(emptyBytes), lineOf(first)];
  for (const [scope, { messages }] of [...state.scopes.values()].entries()) {
    for (let from = 0; from < messages.length; from += STEP) {
      const packed: PackedMessages = [scope, messages.slice(from, from + STEP)];
      lines.push(lineOf(packed));
      yield;
    }
  }
  const bytes = new Uint8Array(lines.reduce((length, line) => length + line.length, 0));
  let at = 0;
  for (const line of lines) {
    bytes.set(line, at);
    at += line.length;
  }
  return bytes;
}

/** `unpackState`, in steps. */
export function* unpacking(bytes: Uint8Array): Generator<void, SessionState> {
  const decoder = new TextDecoder();
  const parsed = (from: number, end: number): unknown => JSON.parse(decoder.decode(bytes.subarray(from, end)));
  let end = bytes.indexOf(LINE_END);
  const packed = parsed(0, end) as PackedState; // safe: written by `packing`, like the lines below
  const scopes = packed.scopes.map(({ key, calls, notes, ...rest }) => {
    const messages: Message[] = [];
    return [key, { ...rest, messages, notes: new Map(notes), ...(calls ? { calls: new Map(calls) } : {}) }] as const;
  });
  for (let from = end + 1; from < bytes.length; from = end + 1) {
    yield;
    end = bytes.indexOf(LINE_END, from);
    const [scope, messages] = parsed(from, end) as PackedMessages;
    for (const message of messages) scopes[scope]![1].messages.push(frozen(message)); // written behind its scope
  }
  return { ...packed, scopes: new Map(scopes), usedCallIds: new Set(packed.usedCallIds) };
}

function lineOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
