import type { SessionEvent } from '@x/session';

/** Events as frames whose ids are the cursors: where a client goes on that was cut off. */
export async function* eventFrames(events: AsyncIterable<SessionEvent>): AsyncGenerator<string, void, void> {
  for await (const event of events) yield `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Chunks of an interface as frames, and what its protocol has at the end. */
export async function* chunkFrames(chunks: AsyncIterable<object>, last = ''): AsyncGenerator<string, void, void> {
  for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
  if (last !== '') yield `data: ${last}\n\n`;
}

/** Frames that fail end with a frame of the type `error`, in the form of all errors. */
export async function* withError(
  frames: AsyncIterable<string>,
  bodyOf: (error: unknown) => object,
): AsyncGenerator<string, void, void> {
  try {
    yield* frames;
  } catch (error) {
    yield `event: error\ndata: ${JSON.stringify(bodyOf(error))}\n\n`;
  }
}
