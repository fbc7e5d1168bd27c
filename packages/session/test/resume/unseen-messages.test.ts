import { describe, expect, it } from 'vitest';
import { forkSession, memoryStore } from '../../src/index.ts';
import { codeOf, read, resultOf, say, scriptedProvider, scriptedSession, shownTo } from '../support/makers.ts';
import { linesOf, served } from '../support/served.ts';

/** A session whose reader has left at the `nth` event of a run, before the model was asked. */
async function leftAt(nth: number) {
  const store = memoryStore();
  const { session, model } = await scriptedSession([{ text: 'Hello.' }, { text: 'Again.' }], { store });
  const sent = await session.send('Hello?');
  let seen = 0;
  for await (const _ of session.stream()) if (++seen === nth) break;
  return { store, session, model, ...sent };
}

describe('a message that no model has seen, because its reader left', () => {
  it.each([1, 2])('at event %s is answered by the next stream()', async (nth) => {
    const { session, model, messageId } = await leftAt(nth);

    const events = await read(session);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Hello.', messageId });
    expect(shownTo(model, 0)).toEqual(['user: Hello?']);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it.each([1, 2])('at event %s goes along with the next message', async (nth) => {
    const { session, model } = await leftAt(nth);

    const events = await say(session, 'Anybody?');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Hello.' });
    expect(shownTo(model, 0)).toEqual(['user: Hello?', 'user: Anybody?']);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it('is answered by who serves the store, behind titles too', async () => {
    const { store, session } = await leftAt(2);
    for (let index = 0; index < 10; index++) await session.setTitle(`Title ${index}`);
    await session.close();

    await using worker = await served(store);
    await worker.engine.idle();

    expect(worker.engine.asked).toEqual([session.sessionId]);
    expect(await linesOf(store, session.sessionId)).toEqual(['user', 'ended: aborted', 'assistant', 'ended: success']);
  });

  it('is answered in a fork, and in the source still', async () => {
    const { store, session } = await leftAt(2);
    const { provider } = scriptedProvider([{ text: 'In the fork.' }]);
    const fork = await forkSession({ provider, model: 'm', store, sessionId: session.sessionId });

    expect(resultOf(await read(fork)).content).toBe('In the fork.');
    expect(resultOf(await read(session)).content).toBe('Hello.');
  });

  it('waits behind a summary that was asked for meanwhile', async () => {
    const { session } = await leftAt(2);

    expect(resultOf(await say(session, '/compact')).subtype).toBe('success');
    expect(resultOf(await read(session))).toMatchObject({ subtype: 'success', content: 'Hello.' });
  });
});

describe('a message that a model has seen', () => {
  it.each([
    ['was cut off', [{ hangs: true }], 'aborted'],
    ['failed', [{ error: new Error('no') }], 'error'],
  ])('is not answered by itself when the call %s', async (_, script, subtype) => {
    const { session, model } = await scriptedSession(script);
    await session.send('Hello?');
    const events = session.stream();
    const reading = Array.fromAsync(events);
    while (model.requests.length === 0) await new Promise((go) => setImmediate(go));
    session.abort();

    expect(resultOf(await reading).subtype).toBe(subtype);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });
});
