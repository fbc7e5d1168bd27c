import type { AssistantMessage, Message } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { toAGUIStream } from '../../src/ag-ui/index.ts';
import {
  type CustomProvider,
  createSession,
  exportSession,
  forkSession,
  importSession,
  memoryStore,
  resumeSession,
  type SessionStore,
} from '../../src/index.ts';
import { sealed } from '../support/exports.ts';
import { only, say } from '../support/makers.ts';
import { blobsIn, picture } from '../support/parts.ts';
import { settled, shown } from '../support/shown-message.ts';

const block = {
  type: 'image',
  mediaType: 'image/png',
  data: Buffer.from(picture(300_000)).toString('base64'),
  providerData: { provider: 'p', data: { item: 1 } },
} as const;
const { providerData: _, ...told } = block;

/** Models that draw a picture in front of each text, and what they were asked with. */
function drawing() {
  const asked: (readonly Message[])[] = [];
  const createModel: CustomProvider['createModel'] = (name) => {
    const model = scriptedModel([{ text: 'Here.' }, { text: 'Here.' }], { name });
    return {
      ...model,
      async *stream(request) {
        asked.push(request.messages);
        const reply: AssistantMessage = yield* model.stream(request);
        return { ...reply, content: [block, ...reply.content] };
      },
    };
  };
  return { provider: { type: 'custom', createModel } satisfies CustomProvider, asked };
}

async function drawn(store: SessionStore) {
  const { provider, asked } = drawing();
  const session = await createSession({ provider, model: 'm', store });
  return { session, events: await say(session, 'Draw.'), provider, asked };
}

describe('pictures of a reply', () => {
  it('are events of the stream, and blocks of the message', async () => {
    const { session, events } = await drawn(memoryStore());

    expect(only(events, 'image')).toEqual([told]);
    expect(events.findIndex(({ type }) => type === 'image')).toBeGreaterThan(
      events.findIndex(({ type }) => type === 'content'),
    );
    expect(session.messages.at(-1)).toMatchObject({ content: [block, { text: 'Here.' }] });
    await session.close();
  });

  it('are kept in a blob, and go back to the model after a resume and in a fork, which has the same blob', async () => {
    const store = memoryStore();
    const { session } = await drawn(store);
    const { sessionId } = session;
    await session.close();
    const { provider, asked } = drawing();

    const again = await resumeSession({ provider, model: 'm', store, sessionId });
    await say(again, 'Bluer.');
    const fork = await forkSession({ provider, model: 'm', store, sessionId });
    await say(fork, 'Bluer.');

    expect(asked).toMatchObject([
      [{}, { content: [block, {}] }, {}],
      [{}, { content: [block, {}] }, {}, {}, {}],
    ]);
    const blobs = await blobsIn(store, sessionId);
    expect(blobs).toHaveLength(2);
    expect((await blobsIn(store, fork.sessionId)).slice(0, 2)).toEqual(blobs);
    for (const one of [again, fork]) await one.close();
  });

  it('move with their session, and are checked on the way', async () => {
    const store = memoryStore();
    const { session } = await drawn(store);
    await session.close();
    const { sessionId } = session;
    const lines = await Array.fromAsync(exportSession(sessionId, { store }));
    const to = memoryStore();

    await importSession(lines, { store: to });

    const { provider } = drawing();
    const again = await resumeSession({ provider, model: 'm', store: to, sessionId });
    expect(again.messages).toEqual(session.messages);
    await again.close();
  });

  it('that are no pictures are not imported', async () => {
    const store = memoryStore();
    const createModel = (name: string) => scriptedModel([{ text: 'Here.' }], { name });
    const session = await createSession({ provider: { type: 'custom', createModel }, model: 'm', store });
    await say(session, 'Draw.');
    await session.close();
    const lines = await Array.fromAsync(exportSession(session.sessionId, { store }));
    const text = '{"type":"text","text":"Here."}';
    const having = (more: object) =>
      sealed(lines.map((line) => line.replace(text, `${JSON.stringify({ type: 'image', ...more })},${text}`)));

    await importSession(having({ mediaType: 'image/png', data: 'YQ==' }), { store: memoryStore() });

    const wrong = importSession(having({ mediaType: 'image/png', data: 7 }), { store: memoryStore() });
    await expect(wrong).rejects.toThrow('data');
  });

  it('are files of a UI message, live and from the log', async () => {
    const store = memoryStore();
    const { provider } = drawing();
    const session = await createSession({ provider, model: 'm', store });
    const live = shown(session, store);
    await settled();
    await say(session, 'Draw.');

    const [first, again] = [await live, await shown(session, store)];

    for (const { message } of [first, again]) {
      const files = message.parts.filter(({ type }) => type === 'file');
      expect(files).toEqual([{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${block.data}` }]);
    }
    await session.close();
  });

  it('are events of the host in AG-UI, and words in its history', async () => {
    const store = memoryStore();
    const { session } = await drawn(store);
    await say(session, 'Bluer.');
    const { sessionId } = session;

    const events = await Array.fromAsync(toAGUIStream({ sessionId, store }));

    const { mediaType, data } = block;
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'CUSTOM',
        name: 'image',
        value: { messageId: expect.any(String), mediaType, data },
      }),
    );
    const snapshot = events.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(snapshot).toMatchObject({ messages: [{}, { role: 'assistant', content: 'Here.\n[image/png, 300 kB]' }] });
    await session.close();
  });
});
