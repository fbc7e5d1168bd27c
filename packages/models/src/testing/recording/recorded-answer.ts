import type { WireAnswer } from '../wire-answer.ts';
import { bytesOf, type WireRecording } from './wire-recording.ts';

/** Options of a replay. */
export interface ReplayOptions {
  /** True: each piece waits for its recorded time. Default false: as fast as it is read. */
  readonly timing?: boolean;
}

/**
 * Converts a recording to an answer of `wireServer`: the same pieces, and the same end. The rest of an answer that the client left (`left`)
 * is unknown, so it is played as a connection that breaks.
 */
export function recordedAnswer({ answer }: WireRecording, { timing = false }: ReplayOptions = {}): WireAnswer {
  if (answer === null) return { cutAt: 0 };
  const timesMs = answer.chunks.map(({ atMs = 0 }) => atMs);
  return {
    status: answer.status,
    headers: headersOf(answer.headers),
    chunks: answer.chunks.map(bytesOf),
    ...(timing ? { timesMs } : {}),
    ...(answer.end === 'complete' ? {} : { cut: true }),
  };
}

function headersOf(headers: readonly (readonly [name: string, value: string])[]): Record<string, string | string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    byName.set(lower, [...(byName.get(lower) ?? []), value]);
  }
  return Object.fromEntries([...byName].map(([name, values]) => [name, values.length === 1 ? values[0]! : values])); // one
}
