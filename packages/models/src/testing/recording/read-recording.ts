import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@x/core/internal';
import { parseRecording } from './parse-recording.ts';
import { RecordingError } from './recording-error.ts';
import type { WireRecording } from './wire-recording.ts';

/** Reads the recording in a file. @throws RecordingError `INVALID_RECORDING` naming the file and the first invalid part */
export async function readRecording(file: string): Promise<WireRecording> {
  return parseRecording(await reading(file, readFile(file, 'utf8')), file);
}

/** Reads the recordings of a directory, its `*.json` in the order of their names. @throws RecordingError as `readRecording` does */
export async function readRecordings(directory: string): Promise<readonly WireRecording[]> {
  const names = await reading(directory, readdir(directory));
  const files = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).toSorted();
  return await Promise.all(files.map((name) => readRecording(join(directory, name))));
}

async function reading<T>(source: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new RecordingError(`${source} cannot be read: ${messageOf(cause)}`, {
      code: 'INVALID_RECORDING',
      source,
      cause,
    });
  }
}
