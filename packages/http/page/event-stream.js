import { request } from './api.js';

/**
 * Follows the server-sent events of a path until the signal is aborted; comes again behind the last event when it is cut off. `EventSource`
 * would not send the token. `onFrames` gets all frames that came at once; `onState` gets `live`, `lost` or, at the end, the reason.
 */
export async function follow(path, { signal, onFrames, onState }) {
  let last;
  let waitMs = 250;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? {} : { 'Last-Event-ID': last };
      const answer = await request(path, { headers, signal });
      if (answer.status === 400 || answer.status === 404) return onState((await answer.json()).error);
      if (!answer.ok) throw new Error(`The server answers ${answer.status}`);
      onState('live');
      for await (const frames of framesOf(answer.body)) {
        last = frames.findLast(({ id }) => id !== undefined)?.id ?? last;
        waitMs = 250;
        onFrames(frames);
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The events were cut off:', error.message);
    }
    onState('lost');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, 10_000);
  }
}

/** The frames of each piece that came. A long frame is joined once, at its end. */
async function* framesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let open = [];
  let tail = ''; // a line end at the end of a piece may be half of the end of a frame
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (tail + value).split('\n\n');
    tail = blocks.at(-1).endsWith('\n') ? '\n' : '';
    if (tail) blocks.push(blocks.pop().slice(0, -1));
    open.push(blocks.shift());
    const frames = [];
    for (const block of blocks) {
      frames.push(frameIn(open.join('')));
      open = [block];
    }
    const told = frames.filter((frame) => frame.data !== undefined);
    if (told.length > 0) yield told;
  }
}

function frameIn(block) {
  const frame = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) frame[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return frame;
}
