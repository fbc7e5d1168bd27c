import { createParser } from 'eventsource-parser';

/**
 * What the floors of all formats share: global fetch and an event stream parser.
 * @param {{ url: string, headers: Record<string, string>, body: object }} request
 * @param {(data: string) => void} onData called with the data of every event
 */
export async function streamData({ url, headers, body }, onData) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const parser = createParser({ onEvent: ({ data }) => onData(data) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
}
