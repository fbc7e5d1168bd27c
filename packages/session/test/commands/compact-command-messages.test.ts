import { describe, expect, it } from 'vitest';
import { codeOf, only, read, resultOf, say } from '../support/makers.ts';
import { COMPACTED, isSummary, linesOf, talked } from '../support/talked.ts';

describe('/compact beside other messages', () => {
  it('is done before those of its run, whatever their order, and several are one', async () => {
    const { session, requests } = await talked();
    const outcomes = [];
    for (const text of ['Four?', '/compact Names.', 'Five?', '/compact Numbers.'])
      outcomes.push(await session.send(text));

    const events = await read(session);

    expect(outcomes.map(({ status }) => status)).toEqual(['started', 'queued', 'queued', 'queued']);
    expect(events.map(({ type }) => type).join(' ')).toBe(
      'turn_start usage user_message user_message content usage turn_end result',
    );
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Yes.', messageId: outcomes[0]?.messageId });
    expect(requests.map(isSummary)).toEqual([true, false]);
    expect(requests[0]?.instruction).toMatch(/\n\nNames\.\nNumbers\.$/);
    expect(linesOf(requests[1]!.messages)).toEqual([...COMPACTED, 'user: Four?', 'user: Five?']);
    expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
  });

  it('leaves the run to the first of them, wherever it was sent itself', async () => {
    const { session } = await talked();
    await session.send('/compact');
    const { messageId } = await session.send('Four?');

    const events = await read(session);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', messageId });
  });

  it('keeps them for the next run when it fails', async () => {
    const { session } = await talked({ summary: () => ({ error: new Error('no') }) });
    await session.send('/compact');
    await session.send('Four?');

    const failed = await read(session);
    const served = await read(session);

    expect(resultOf(failed).subtype).toBe('error');
    expect(only(served, 'user_message')).toMatchObject([{ content: 'Four?' }]);
  });

  it.each(['now', 'next', 'later'] as const)(
    'waits for the next run when it is sent during one with priority %s',
    async (priority) => {
      const { session, requests } = await talked();
      await session.send('Four?');
      const outcomes: unknown[] = [];
      for await (const event of session.stream()) {
        if (event.type === 'content') outcomes.push(await session.send('/compact', { priority }));
      }

      const before = requests.length;
      const events = await read(session);

      expect(outcomes).toMatchObject([{ status: 'queued' }]);
      expect(before).toBe(1);
      expect(resultOf(events).content).toContain('was compacted');
    },
  );

  it.each(['now', 'next'] as const)('delivers behind it what arrives meanwhile with priority %s', async (priority) => {
    const status: unknown[] = [];
    const sent: { now?: () => Promise<{ status: string }> } = {};
    const Compaction = [{ hooks: [async () => void status.push((await sent.now?.())?.status)] }];
    const { session, requests, seen } = await talked({ hooks: { Compaction } });
    sent.now = () => session.send('Four?', { priority });

    const events = await say(session, '/compact');

    expect(status).toEqual(['steered']);
    expect(resultOf(events).content).toBe('Yes.');
    expect(linesOf(requests.at(-1)!.messages)).toEqual([...COMPACTED, 'user: Four?']);
    const order = seen.flatMap(({ type }) => (type === 'compaction' || type === 'user_message' ? [type] : []));
    expect(order).toEqual(['compaction', 'user_message']);
    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1]);
  });
});
