import { describe, expect, it } from 'vitest';
import { memoryStore, watchSession } from '../../src/index.ts';
import { checkpointed, made, place, write } from '../support/checkpointed.ts';

describe('a reader of the session', () => {
  it('is told of each checkpoint, behind the message that it is for (V32)', async () => {
    const { folder } = place();
    const store = memoryStore();
    const session = await checkpointed(folder, { store });
    await made(session, write('a', '1'));
    await session.close();

    const messages: string[] = [];
    const points: string[] = [];
    for await (const { event, messageId } of watchSession({ sessionId: session.sessionId, store })) {
      if (event.type === 'user_message' || event.type === 'message') messages.push(messageId!);
      if (event.type === 'checkpoint') points.push(event.messageId);
      expect(points).toEqual(messages.slice(0, points.length));
      if (event.type === 'result') break;
    }
    expect(points).toEqual(messages);
    expect(points).toHaveLength(3);
  });

  it('is told of a rewind that changed something, once and in its place (V32)', async () => {
    const { folder } = place();
    const store = memoryStore();
    const session = await checkpointed(folder, { store });
    const message = await made(session, write('a', '1'));
    await session.rewindFiles(message, { dryRun: true });
    const { rewindId } = await session.rewindFiles(message);
    await session.rewindFiles(message);
    await made(session, write('b', '1'));
    await session.close();

    const told: object[] = [];
    const ends: string[] = [];
    for await (const { event } of watchSession({ sessionId: session.sessionId, store })) {
      ends.push(event.type);
      if (event.type === 'rewound') told.push(event);
      if (ends.filter((type) => type === 'result').length === 2) break;
    }
    const counts = { restored: 0, deleted: 1, conflicts: 0 };
    expect(told).toEqual([{ type: 'rewound', messageId: message, rewindId, ...counts }]);
    expect(ends.indexOf('rewound')).toBe(ends.indexOf('result') + 1);
  });
});
