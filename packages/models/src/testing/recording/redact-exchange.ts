import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type ByteEdit, editChunks, type TimedChunk } from './edit-chunks.ts';
import { REDACTED } from './placeholder.ts';
import { RecordingError } from './recording-error.ts';
import { learnedSecrets, redactHeaders, redactPath } from './secret-places.ts';
import type { Secrets } from './secrets.ts';
import type { SeenExchange } from './seen-exchange.ts';
import { splitSecretEdits } from './split-secrets.ts';
import {
  bytesOf,
  RECORDING_FORMAT,
  type RecordedAnswer,
  type RecordedHeader,
  recordedBytes,
  type WireRecording,
} from './wire-recording.ts';

/**
 * The recording of an exchange: without secrets, without headers of one connection, and not compressed.
 * @throws RecordingError `RECORDING_FAILED` when a secret would still be visible, or a compressed body cannot be read
 */
export function redactExchange(seen: SeenExchange, given: Secrets, timing: boolean): WireRecording {
  const requestBody = plainBody([{ bytes: seen.body, atMs: 0 }], seen.headers);
  const secrets = given.with(learnedSecrets(seen), Buffer.concat(requestBody.map(({ bytes }) => bytes)));
  const body = Buffer.concat(redactChunks(requestBody, secrets).map(({ bytes }) => bytes));
  const recording: WireRecording = {
    format: RECORDING_FORMAT,
    request: {
      method: seen.method,
      path: redactPath(seen.path, secrets),
      headers: redactHeaders(seen.headers, secrets),
      body: recordedBytes(body),
    },
    answer: seen.answer ? redactAnswer(seen.answer, secrets, timing) : null,
  };
  requireClean(recording, secrets);
  return recording;
}

function redactAnswer(answer: NonNullable<SeenExchange['answer']>, secrets: Secrets, timing: boolean): RecordedAnswer {
  const chunks = redactChunks(plainBody(answer.chunks, answer.headers), secrets);
  return {
    status: answer.status,
    headers: redactHeaders(answer.headers, secrets),
    chunks: chunks.map(({ bytes, atMs }) => ({
      ...recordedBytes(bytes),
      ...(timing ? { atMs: Math.round(atMs) } : {}),
    })),
    end: answer.end,
  };
}

/** First redacts secrets in the whole body, wherever the network cut it; then those streamed in several events. */
function redactChunks(chunks: readonly TimedChunk[], secrets: Secrets): readonly TimedChunk[] {
  const whole = joined(chunks);
  const edits = secrets.rangesIn(whole).map(([start, end]): ByteEdit => ({ start, end, text: REDACTED }));
  const once = editChunks(chunks, edits);
  return editChunks(once, splitSecretEdits(joined(once), secrets));
}

/** A decompressed body, in one piece. */
function plainBody(chunks: readonly TimedChunk[], headers: readonly RecordedHeader[]): readonly TimedChunk[] {
  const coding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1].toLowerCase() ?? 'identity';
  if (coding === 'identity' || chunks.every(({ bytes }) => bytes.length === 0)) return chunks;
  return [{ bytes: decoded(joined(chunks), coding), atMs: chunks.at(-1)?.atMs ?? 0 }];
}

function decoded(bytes: Buffer, coding: string): Buffer {
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes);
    if (coding === 'deflate') return inflateSync(bytes);
    if (coding === 'br') return brotliDecompressSync(bytes);
  } catch (cause) {
    throw failed(`a body compressed with ${coding} cannot be read, so that secrets in it cannot be found`, cause);
  }
  throw failed(`a body is compressed with ${coding}, which is not known, so that secrets in it cannot be found`);
}

/** Final check of the recording: one that still shows a secret is worse than none. */
function requireClean(recording: WireRecording, secrets: Secrets): void {
  const body = bytesOf(recording.request.body);
  const answer = Buffer.concat(recording.answer?.chunks.map(bytesOf) ?? []);
  const shown = [Buffer.from(JSON.stringify(recording)), body, answer].some(
    (bytes) => secrets.rangesIn(bytes).length > 0,
  );
  const said = [body, answer].some((bytes) => splitSecretEdits(bytes, secrets).length > 0);
  if (shown || said) throw failed('a secret is still to be seen in it; it is not kept');
}

function joined(chunks: readonly TimedChunk[]): Buffer {
  return Buffer.concat(chunks.map(({ bytes }) => bytes));
}

function failed(why: string, cause?: unknown): RecordingError {
  return new RecordingError(`An exchange was not recorded: ${why}`, { code: 'RECORDING_FAILED', cause });
}
