import { readToEnd } from '../streams/read-to-end.ts';

/** Reads a stream to its end; returns its events and its value. */
export async function collect<E, R>(stream: AsyncGenerator<E, R, void>): Promise<{ events: E[]; value: R }> {
  const events: E[] = [];
  const value = await readToEnd(stream, (event) => void events.push(event));
  return { events, value };
}
