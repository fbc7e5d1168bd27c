const LINE_FEED = 10;
const RETURN = 13;

/** The response, whose body fails at a message that is too long: the whole body, or one event of an event stream. */
export function withBoundedBody(response: Response, maxBytes: number, onTooLong: () => Error): Response {
  if (!response.body) return response;
  const isEventStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  let bytes = 0;
  let isLineEmpty = true;
  const count = (chunk: Uint8Array) => {
    if (!isEventStream) return (bytes += chunk.length);
    let longest = 0;
    // A blank line ends an event.
    for (const byte of chunk) {
      bytes += 1;
      if (byte === LINE_FEED) {
        if (isLineEmpty) bytes = 0;
        isLineEmpty = true;
      } else if (byte !== RETURN) isLineEmpty = false;
      if (bytes > longest) longest = bytes;
    }
    return longest;
  };
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (count(chunk) > maxBytes) controller.error(onTooLong());
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
}
