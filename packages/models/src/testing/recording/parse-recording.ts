import { RecordingError } from './recording-error.ts';
import { RECORDING_FORMAT, type WireRecording } from './wire-recording.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Throws for an invalid `field`. */
type Refuse = (field: string, why: string) => never;

const ENDS: readonly unknown[] = ['complete', 'cut', 'left'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const PATH = /^\/[\x21-\x7e]*$/;

/** Parses a recording from JSON; `source` is named in errors. @throws RecordingError `INVALID_RECORDING` naming the invalid part */
export function parseRecording(json: string, source: string): WireRecording {
  const refuse: Refuse = (field, why) => {
    const where = field === '' ? 'it' : field;
    throw new RecordingError(`${source} is not a recording: ${where} ${why}`, {
      code: 'INVALID_RECORDING',
      source,
      ...(field === '' ? {} : { field }),
    });
  };
  const recording = objectIn(parsed(json, refuse), '', refuse);
  if (recording['format'] !== RECORDING_FORMAT) {
    refuse('format', `must be "${RECORDING_FORMAT}", not ${shown(recording['format'])}`);
  }
  checkRequest(objectIn(recording['request'], 'request', refuse), refuse);
  if (recording['answer'] !== null) checkAnswer(objectIn(recording['answer'], 'answer', refuse), refuse);
  return recording as unknown as WireRecording; // safe: every part of it was looked at
}

function parsed(json: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    return refuse('', `is no JSON (${(error as Error).message})`); // safe: a SyntaxError
  }
}

function checkRequest(request: Fields, refuse: Refuse): void {
  const { method, path, headers, body } = request as { [K in 'method' | 'path' | 'headers' | 'body']?: unknown };
  if (typeof method !== 'string' || !TOKEN.test(method)) refuse('request.method', `is not a method: ${shown(method)}`);
  if (typeof path !== 'string' || !PATH.test(path)) {
    refuse('request.path', `must begin with / and hold no spaces: ${shown(path)}`);
  }
  checkHeaders(headers, 'request.headers', refuse);
  checkBytes(objectIn(body, 'request.body', refuse), 'request.body', refuse);
}

function checkAnswer(answer: Fields, refuse: Refuse): void {
  const { status, headers, chunks, end } = answer as { [K in 'status' | 'headers' | 'chunks' | 'end']?: unknown };
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599) {
    refuse('answer.status', `must be a whole number from 200 to 599, not ${shown(status)}`);
  }
  checkHeaders(headers, 'answer.headers', refuse);
  if (!ENDS.includes(end)) refuse('answer.end', `must be one of ${ENDS.join(', ')}, not ${shown(end)}`);
  let lastMs = 0;
  for (const [index, value] of listIn(chunks, 'answer.chunks', refuse).entries()) {
    const field = `answer.chunks[${index}]`;
    const chunk = objectIn(value, field, refuse);
    checkBytes(chunk, field, refuse);
    const atMs = chunk['atMs'] ?? lastMs;
    if (typeof atMs !== 'number' || !(atMs >= lastMs)) {
      refuse(`${field}.atMs`, `must be a number of at least ${lastMs}, not ${shown(atMs)}`);
    } else lastMs = atMs;
  }
}

function checkHeaders(value: unknown, field: string, refuse: Refuse): void {
  for (const [index, header] of listIn(value, field, refuse).entries()) {
    const [name, text, ...more] = listIn(header, `${field}[${index}]`, refuse);
    if (typeof name !== 'string' || !TOKEN.test(name))
      refuse(`${field}[${index}]`, `has no name of a header: ${shown(name)}`);
    if (typeof text !== 'string' || !HEADER_VALUE.test(text) || more.length > 0) {
      refuse(`${field}[${index}]`, 'must be a name and a value without line breaks');
    }
  }
}

function checkBytes(value: Fields, field: string, refuse: Refuse): void {
  const { text, base64 } = value as { text?: unknown; base64?: unknown };
  if ((text === undefined) === (base64 === undefined)) refuse(field, 'must have either text or base64');
  if (text !== undefined && (typeof text !== 'string' || !text.isWellFormed())) {
    refuse(`${field}.text`, 'must be a text without half characters');
  }
  if (base64 === undefined) return;
  if (typeof base64 !== 'string' || Buffer.from(base64, 'base64').toString('base64') !== base64) {
    refuse(`${field}.base64`, 'must be base64, padded');
  }
}

function objectIn(value: unknown, field: string, refuse: Refuse): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(field, `must be an object, not ${shown(value)}`);
  return value as Fields; // safe: an object
}

function listIn(value: unknown, field: string, refuse: Refuse): readonly unknown[] {
  if (!Array.isArray(value)) refuse(field, `must be a list, not ${shown(value)}`);
  return value as readonly unknown[]; // safe: a list
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}
