import type { UserMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { importSession, listSessions, memoryStore, prompt, watchSession } from '../../src/index.ts';
import { linesOf, sealed } from '../support/exports.ts';
import { codeOf, read, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { picture } from '../support/parts.ts';

const SMALL = picture(1_000);
const large = { type: 'image', data: picture(1_500_000) } as const;
const small = { type: 'image', data: SMALL } as const;
const text = { type: 'text', text: 'Look.' } as const;
const block = (bytes: Uint8Array) => ({
  type: 'image',
  mediaType: 'image/png',
  data: Buffer.from(bytes).toString('base64'),
});

describe('parts that were sent', () => {
  it('tells events, titles and lists of the parts, and never of their bytes', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'Seen.' }], { store });
    const { sessionId } = session;
    await session.send([large, { type: 'file', data: Buffer.from('a,b'), name: 'notes.txt' }]);

    const live = await read(session);
    const told: object[] = [];
    for await (const { event } of watchSession({ store, sessionId })) {
      told.push(event);
      if (event.type === 'result') break;
    }

    const seen = {
      type: 'user_message',
      content: '',
      parts: [
        { type: 'image', mediaType: 'image/png', bytes: 1_500_000 },
        { type: 'file', mediaType: 'text/plain', bytes: 3, name: 'notes.txt' },
      ],
    };
    expect(live).toContainEqual(expect.objectContaining(seen));
    expect(told).toContainEqual(expect.objectContaining(seen));
    expect(JSON.stringify([live, told]).length).toBeLessThan(20_000);
    expect((await listSessions({ store })).sessions[0]).toMatchObject({ title: 'image/png' });
  });

  it('asks the hooks with the text and the number of images; their text takes the place of the text alone', async () => {
    const inputs: unknown[] = [];
    const hook = async (input: unknown) => {
      inputs.push(input);
      return { updatedPrompt: 'See.' };
    };
    const { session, model } = await scriptedSession([{ text: 'Seen.' }], {
      hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
    });

    await session.send([small, text, { type: 'image', url: 'https://example.com/a.png' }]);
    await read(session);

    expect(inputs).toMatchObject([{ user_prompt: 'Look.', has_images: true, image_count: 2 }]);
    expect(model.requests[0]?.messages[0]?.content).toEqual([
      block(SMALL),
      { type: 'text', text: 'See.' },
      { type: 'link', url: 'https://example.com/a.png', mediaType: 'image/png' },
    ]);
  });

  it('refuses an import whose waiting message names a blob of another one, or one that is missing (control: as it was)', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([], { store });
    await session.send([text, large]);
    const lines = await linesOf(store, session.sessionId);
    const [{ message }] = (await store.inbox(session.sessionId)) as unknown as [{ message: UserMessage }]; // one was sent
    const refused = (changed: readonly string[]) => importSession(changed, { store: memoryStore() });

    await expect(
      refused(sealed(lines.map((line) => (line.includes('"inbox"') ? line.replace(message.id, 'other') : line)))),
    ).rejects.toThrow('names a blob without the message other');
    await expect(refused(sealed(lines.filter((line) => !line.startsWith('{"type":"blob"'))))).rejects.toThrow(
      'that no line before has',
    );
    expect(await refused(sealed(lines))).toBe(session.sessionId);
  });

  it('exports nothing when the blob of a waiting message is gone', async () => {
    const inner = memoryStore();
    const { session } = await scriptedSession([], { store: inner });
    await session.send([text, large]);
    const store = { ...inner, getBlob: async () => undefined };

    expect(await codeOf(linesOf(store, session.sessionId))).toBe('LOG_DAMAGED');
  });
});

describe('prompt() with parts', () => {
  it('asks the model with them', async () => {
    const { provider, models } = scriptedProvider([{ text: 'A picture.' }]);

    const { result } = await prompt([text, small], { provider, model: 'm', store: memoryStore() });

    expect(result).toBe('A picture.');
    expect(models[0]?.requests[0]?.messages).toMatchObject([{ content: [text, block(SMALL)] }]);
  });

  it('refuses another shape before there is a session', async () => {
    const { provider } = scriptedProvider([]);
    const store = memoryStore();

    await expect(prompt([{ type: 'image' } as never], { provider, model: 'm', store })).rejects.toThrow('message[0]');

    expect((await listSessions({ store })).sessions).toEqual([]);
  });
});
