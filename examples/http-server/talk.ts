import { createClient, HttpError } from '@x/agent-sdk/http/client';

/** A client of one session. */
export async function talk(baseUrl: string, token: string): Promise<void> {
  const client = createClient({ baseUrl, token });
  const session = await client.sessions.create();
  console.log(`made: of the profile ${(await session.get()).profile}`);

  const key = { idempotencyKey: crypto.randomUUID() };
  const [sent, again] = [await session.send('Order lamps.', key), await session.send('Order lamps.', key)];
  console.log(`sent: ${sent.status}, and again under the same key: ${again.status}`);

  let last = '';
  for await (const { cursor, event } of session.events()) {
    last = cursor;
    if (event.type === 'run_waiting') break; // this client goes away: the session waits
    if (event.type !== 'question') continue;
    console.log(`asked: ${event.toolName} ${JSON.stringify(event.input)}`);
    await session.answer(event.id, { behavior: 'allow', key: event.key });
    console.log('answered; goes on behind the last event');
    break;
  }
  for await (const message of session.stream({ from: last })) {
    if (message.type === 'result') console.log(`${message.subtype}: ${message.content}`);
  }

  const stranger = createClient({ baseUrl, token: 'of-somebody-else' });
  console.log(`with another token: ${await refusalOf(stranger.sessions.open(session.sessionId).send('Hello.'))}`);
  console.log(`with a profile of its own: ${await refusalOf(client.sessions.create({ profile: 'bash' }))}`);
}

async function refusalOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'taken';
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return `${error.statusCode} ${error.code}`;
  }
}
