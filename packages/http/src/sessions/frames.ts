import type { SessionEvent } from '@x/session';

const encoder = new TextEncoder();
/** Bytes of a frame that is kept for the other readers; a larger one would be held for as long as its event. */
const MOST_KEPT = 16 * 1024;

/** The frames of events, which the readers of a session in one process share: an event is made once for all of them, and frozen. */
const kept = new WeakMap<SessionEvent, Uint8Array>();

/** Events as frames whose ids are the cursors: where a client goes on that was cut off. */
export async function* eventFrames(events: AsyncIterable<SessionEvent>): AsyncGenerator<Uint8Array, void, void> {
  for await (const event of events) yield frameOf(event);
}

function frameOf(event: SessionEvent): Uint8Array {
  const known = kept.get(event);
  if (known) return known;
  const frame = encoder.encode(`id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`);
  if (frame.length <= MOST_KEPT) kept.set(event, frame);
  return frame;
}

/** Chunks of an interface as frames, and what its protocol has at the end. */
export async function* chunkFrames(chunks: AsyncIterable<object>, last = ''): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) yield encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
  if (last !== '') yield encoder.encode(`data: ${last}\n\n`);
}

/** Frames that fail end with a frame of the type `error`, in the form of all errors. */
export async function* withError(
  frames: AsyncIterable<Uint8Array>,
  bodyOf: (error: unknown) => object,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* frames;
  } catch (error) {
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(bodyOf(error))}\n\n`);
  }
}
