import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wireServer } from '@x/models/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSession,
  exportSession,
  forkSession,
  importSession,
  memoryStore,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { codeOf, read, resultOf, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { blobsIn, countingBlobs, picture, reading } from '../support/parts.ts';
import { expiring, resumed } from '../support/resumed.ts';

const LARGE = picture(1_500_000);
const SMALL = picture(1_000);
const large = { type: 'image', data: LARGE } as const;
const small = { type: 'image', data: SMALL } as const;
const text = { type: 'text', text: 'Look.' } as const;
const block = (bytes: Uint8Array) => ({
  type: 'image',
  mediaType: 'image/png',
  data: Buffer.from(bytes).toString('base64'),
});
const whole = [text, block(LARGE)];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'x-parts-'));
});
afterAll(() => rm(folder, { recursive: true }));
let count = 0;
const fileOf = () => join(folder, `${(count += 1)}.db`);
const STORES: readonly [string, () => SessionStore][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: fileOf() })],
];

describe.each(STORES)('send() with parts (%s)', (_, open) => {
  it('shows the model the parts, and keeps large ones as one blob, before and after they are delivered', async () => {
    await using inner = open();
    const { store, blobs } = countingBlobs(inner);
    const { session, model } = await scriptedSession([{ text: 'A picture.' }], { store });
    const { sessionId } = session;

    const { messageId } = await session.send([text, large]);

    const [waiting] = await store.inbox(sessionId);
    expect(waiting).toMatchObject({ message: { id: messageId, content: [] }, blob: [...blobs][0] });
    expect(resultOf(await read(session)).subtype).toBe('success');
    expect(model.requests[0]?.messages).toMatchObject([{ role: 'user', id: messageId, content: whole }]);
    expect(blobs.size).toBe(1);
    expect(await blobsIn(store, sessionId)).toEqual([...blobs]);
    expect(await store.inbox(sessionId)).toEqual([]);
    await session.close();
  });

  it('keeps small ones in the entry itself', async () => {
    await using inner = open();
    const { store, blobs } = countingBlobs(inner);
    const { session } = await scriptedSession([{ text: 'A picture.' }], { store });

    await session.send([small]);
    await read(session);

    expect(blobs.size).toBe(0);
    expect(session.messages[0]).toMatchObject({ content: [block(SMALL)] });
    await session.close();
  });

  it('goes over a crash before and after the message is delivered, a resume and a fork', async () => {
    await using inner = open();
    const { store, blobs } = countingBlobs(expiring(inner));
    const first = await scriptedSession([], { store });
    const { sessionId } = first.session;
    await first.session.send([text, large]);

    const second = await resumed(store, sessionId, [{ error: new Error('cut') }]); // the one before never ran it
    await read(second.session);
    const third = await resumed(store, sessionId, [{ text: 'Seen.' }]);
    await Array.fromAsync(third.session.retry());
    const { provider } = scriptedProvider([]);
    const fork = await forkSession({ provider, model: 'm', store, sessionId });

    for (const { model } of [second, third]) expect(model.requests[0]?.messages[0]).toMatchObject({ content: whole });
    expect(fork.messages[0]).toMatchObject({ content: whole });
    expect(await blobsIn(store, fork.sessionId)).toEqual([...blobs]);
    expect(blobs.size).toBe(1);
    for (const { session } of [first, second, third]) await session.close();
    await fork.close();
  });

  it('goes over export and import, waiting or delivered, into the other store', async () => {
    await using store = open();
    const { session } = await scriptedSession([{ text: 'Seen.' }, { text: 'Again.' }], { store });
    await session.send([text, large]);
    await read(session);
    await session.send([{ type: 'text', text: 'Another.' }, large]);
    await using other = sqliteStore({ path: fileOf() });

    await importSession(exportSession(session.sessionId, { store }), { store: other });

    const copy = await resumed(other, session.sessionId, [{ text: 'Again.' }]);
    expect(copy.session.messages[0]).toMatchObject({ content: whole });
    await read(copy.session);
    expect(copy.model.requests[0]?.messages[2]).toMatchObject({ content: [{ text: 'Another.' }, block(LARGE)] });
    expect(new Set(await blobsIn(other, session.sessionId)).size).toBe(2);
    await copy.session.close();
    await session.close();
  });

  it('keeps one copy of a message that is sent again under its key, and refuses another one', async () => {
    await using inner = open();
    const { store, blobs } = countingBlobs(inner);
    const { session } = await scriptedSession([{ text: 'Seen.' }], { store });
    const key = { idempotencyKey: 'k' };

    const first = await session.send([text, large], key);
    const waiting = await session.send([text, large], key);
    await read(session);
    const delivered = await session.send([text, large], key);

    expect([waiting, delivered]).toEqual(Array(2).fill({ status: 'duplicate', messageId: first.messageId }));
    expect(await codeOf(session.send([text, small], key))).toBe('IDEMPOTENCY_CONFLICT');
    expect(blobs.size).toBe(1);
    await session.close();
  });
});

describe('send() with parts', () => {
  it('takes about the bytes of the picture in the file, not twice as many', async () => {
    const path = fileOf();
    await using store = sqliteStore({ path });
    const { session } = await scriptedSession([{ text: 'Seen.' }], { store });
    await session.send([text, large]);
    await read(session);
    await session.close();
    await store.upkeep!.compact();

    expect((await stat(path)).size).toBeLessThan(block(LARGE).data.length * 1.2);
  });

  it('keeps the order in which messages are sent, while a file is read', async () => {
    const { session, model } = await scriptedSession([{ text: 'One.' }]);
    const path = join(folder, 'a.png');
    await writeFile(path, SMALL);

    const sent = [session.send([{ type: 'image', path }]), session.send('After.')];
    await Promise.all(sent);
    await read(session);

    expect(model.requests[0]?.messages.map(({ content }) => content[0]?.type)).toEqual(['image', 'text']);
  });

  it('is run by whoever has the file open next', async () => {
    const path = fileOf();
    await using here = sqliteStore({ path });
    await using there = sqliteStore({ path });
    const { session } = await scriptedSession([], { store: here });
    const { messageId } = await session.send([text, large]);

    const other = await resumed(there, session.sessionId, [{ text: 'Seen.' }]);
    await read(other.session);

    expect(other.model.requests[0]?.messages).toMatchObject([{ id: messageId, content: whole }]);
    await other.session.close();
    await session.close();
  });

  it('says in its place what a model does not read that comes later', async () => {
    const body = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    await using server = await wireServer({ body });
    const provider = { type: 'openai-compatible', apiKey: 'k', baseUrl: `${server.url}/v1` } as const;
    const session = await createSession({ provider, model: 'gpt-4o', store: memoryStore() });
    await session.send([text, small]);
    await read(session);

    await session.setModel('gpt-3.5-turbo');
    await expect(session.send([text, small])).rejects.toThrow('The model gpt-3.5-turbo cannot read message[1]');
    await session.send('And now?');

    expect(resultOf(await read(session)).subtype).toBe('success');
    const [before, now] = server.requests.map(({ body: sent }) => sent);
    expect(before).toContain('data:image/png;base64,');
    expect(now).toContain('[image/png, 1 kB: this model cannot read it]');
    expect(now).not.toContain('base64,');
  });

  it('falls back on a model that does not read the parts', async () => {
    const body = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    await using server = await wireServer((request) =>
      request.body.includes('"gpt-4o"') ? { status: 503, body: '{"error":{"message":"busy"}}' } : { body },
    );
    const provider = { type: 'openai-compatible', apiKey: 'k', baseUrl: `${server.url}/v1` } as const;
    const session = await createSession({
      provider,
      model: 'gpt-4o',
      fallbackModel: 'gpt-3.5-turbo',
      retryBudgetMs: 0,
      store: memoryStore(),
    });
    await session.send([text, small]);

    expect(resultOf(await read(session)).subtype).toBe('success');

    expect(server.requests.at(-1)?.body).toContain('[image/png, 1 kB: this model cannot read it]');
  });

  it('is no command, whatever its text begins with', async () => {
    const { session, model } = await scriptedSession([{ text: 'One.' }]);

    await session.send([{ type: 'text', text: '/compact' }]);
    await read(session);

    expect(model.requests[0]?.messages).toMatchObject([{ content: [{ text: '/compact' }] }]);
  });

  it('refuses what the model does not read, and stores nothing; the model of now counts', async () => {
    const { store, blobs } = countingBlobs(memoryStore());
    const provider = reading([{ text: 'Seen.' }], ({ type }) => type !== 'image');
    const session = await createSession({ provider, model: 'blind', store });

    await expect(session.send([text, large])).rejects.toMatchObject({
      field: 'message[1]',
      message: expect.stringContaining('The model blind cannot read message[1] (image/png, 1.5 MB)'),
    });

    expect(await store.inbox(session.sessionId)).toEqual([]);
    expect(blobs.size).toBe(0);
  });
});
