import type { WireAnswer } from '../wire-answer.ts';
import type { WireRequest } from '../wire-server.ts';
import { REDACTED } from './placeholder.ts';
import { type ReplayOptions, recordedAnswer } from './recorded-answer.ts';
import type { WireRecording } from './wire-recording.ts';

/**
 * Creates a script for one `wireServer` that answers each request with a recording of the same method and path: the first request with the
 * first of them, and so on, all further ones with the last. The order of the query does not matter, nor do redacted values. A request
 * without a recording is answered 404, with an error that names those there are.
 */
export function recordedScript(
  recordings: readonly WireRecording[],
  options: ReplayOptions = {},
): (request: WireRequest) => WireAnswer {
  const played = new Set<WireRecording>();
  return (request) => {
    const fitting = recordings.filter((recording) => fits(recording, request));
    const next = fitting.find((recording) => !played.has(recording)) ?? fitting.at(-1);
    if (!next) return unknownRequest(request, recordings);
    played.add(next);
    return recordedAnswer(next, options);
  };
}

function fits({ request }: WireRecording, { method, path }: WireRequest): boolean {
  if (request.method !== method) return false;
  const [recorded, asked] = [placeOf(request.path), placeOf(path)];
  if (!samePath(recorded.path, asked.path)) return false;
  const names = new Set([...recorded.query.keys(), ...asked.query.keys()]);
  return [...names].every((name) => sameValues(recorded.query.getAll(name), asked.query.getAll(name)));
}

function placeOf(address: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = address.indexOf('?');
  const end = mark < 0 ? address.length : mark;
  return { path: address.slice(0, end), query: new URLSearchParams(address.slice(end)) };
}

function sameValues(recorded: readonly string[], asked: readonly string[]): boolean {
  return recorded.length === asked.length && recorded.every((value, i) => value === asked[i] || value === REDACTED);
}

/** Compares segment by segment; a redacted one matches any. */
function samePath(recorded: string, asked: string): boolean {
  const [one, other] = [recorded.split('/'), asked.split('/')];
  return one.length === other.length && one.every((segment, i) => segment === other[i] || segment.includes(REDACTED));
}

function unknownRequest({ method, path }: WireRequest, recordings: readonly WireRecording[]): WireAnswer {
  const known = [...new Set(recordings.map(({ request }) => `${request.method} ${request.path}`))].join(', ');
  const message = `There is no recording of ${method} ${path.split('?')[0]}; there are: ${known || 'none'}`;
  const body = JSON.stringify({ error: { type: 'no_recording', message } });
  return { status: 404, headers: { 'content-type': 'application/json' }, body };
}
