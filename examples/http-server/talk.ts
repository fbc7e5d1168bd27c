import type { SessionEvent } from '@x/agent-sdk';

/** A client of one session, with nothing but `fetch`. */
export async function talk(server: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(`${server}${path}`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const read = async (answer: Response) =>
    (await answer.json()) as Record<'sessionId' | 'profile' | 'status' | 'code', string>;

  const made = await post('/v1/sessions', {});
  const { sessionId, profile } = await read(made);
  const path = `/v1/sessions/${sessionId}`;
  console.log(`made: ${made.status}, of the profile ${profile}`);

  const key = { 'idempotency-key': crypto.randomUUID() };
  const [sent, again] = [
    await post(`${path}/messages`, { text: 'Order lamps.' }, key),
    await post(`${path}/messages`, { text: 'Order lamps.' }, key),
  ];
  const [{ status }, { status: second }] = [await read(sent), await read(again)];
  console.log(`sent: ${sent.status} ${status}, and again under the same key: ${again.status} ${second}`);

  let last = '';
  for await (const { cursor, event } of follow(`${server}${path}/events`, headers)) {
    last = cursor;
    if (event.type === 'run_waiting') break; // this client goes away: the session waits
    if (event.type !== 'question') continue;
    console.log(`asked: ${event.toolName} ${JSON.stringify(event.input)}`);
    const answer = await post(`${path}/answers`, { callId: event.id, answer: { behavior: 'allow', key: event.key } });
    console.log(`answered: ${answer.status}; goes on behind the last event`);
    break;
  }
  for await (const { event } of follow(`${server}${path}/events`, { ...headers, 'last-event-id': last })) {
    if (event.type !== 'result') continue;
    console.log(`${event.subtype}: ${event.content}`);
    break;
  }

  const refused = await post(`${path}/messages`, { text: 'Hello.' }, { authorization: 'Bearer of-somebody-else' });
  console.log(`with another token: ${refused.status} ${(await read(refused)).code}`);
  const wished = await post('/v1/sessions', { tools: ['Bash'] });
  console.log(`with a tool of its own: ${wished.status} ${(await read(wished)).code}`);
}

/** The events of a session, until the reader leaves. */
async function* follow(url: string, headers: Record<string, string>): AsyncGenerator<SessionEvent, void, void> {
  const { body } = await fetch(url, { headers });
  let text = '';
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data) yield JSON.parse(data) as SessionEvent; // safe: our own server's
    }
  }
}
