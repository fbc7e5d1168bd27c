import type { SessionEvent } from '@x/agent-sdk';

/** One message of server-sent events, as a browser reads it. */
export interface Received {
  /** What the browser sends as `Last-Event-ID` when it comes again. */
  readonly id: string;
  readonly told: SessionEvent;
}

/** Follows as `EventSource` does, until the reader leaves: then the connection is closed. */
export async function* eventSource(url: string, lastEventId?: string): AsyncGenerator<Received, void, void> {
  const leaving = new AbortController();
  const headers = { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const { body, status } = await fetch(url, { headers, signal: leaving.signal });
  if (status !== 200 || !body) throw new Error(`No events at ${url}: ${status}`);
  let text = '';
  try {
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(text.slice(0, end).split('\n').map(fieldIn));
        text = text.slice(end + 2);
        const data = fields.get('data');
        if (data) yield { id: fields.get('id') ?? '', told: JSON.parse(data) as SessionEvent }; // safe: our own server's
      }
    }
  } finally {
    leaving.abort();
  }
}

/** `name: value`; a line that begins with a colon says nothing. */
function fieldIn(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
