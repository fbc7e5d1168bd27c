import { textOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { EntryBody } from '../../src/index.ts';
import { bodiesOf, codeOf, read, resultOf, say } from '../support/makers.ts';
import { mortal } from '../support/mortal-store.ts';
import { resumed } from '../support/resumed.ts';
import { COMPACTED, commandNotes, isSummary, linesOf, talked } from '../support/talked.ts';

describe('/compact and a crash', () => {
  const isCut = (bodies: readonly EntryBody[]) =>
    bodies.some((body) => body.type === 'record' && body.record.type === 'compaction');
  const hasStarted = (bodies: readonly EntryBody[]) => bodies.some(({ type }) => type === 'run_started');
  const saysFour = (bodies: readonly EntryBody[]) => JSON.stringify(bodies).includes('Four?');

  it.each<[string, 'before' | 'after', boolean, number]>([
    ['before the run was recorded', 'before', false, 1],
    ['after the run was recorded', 'after', false, 1],
    ['before the summary was', 'before', true, 1],
    ['after the summary was', 'after', true, 0],
  ])('%s: the command is obeyed once', async (_, when, atCut, summaries) => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) =>
      armed && (atCut ? isCut : hasStarted)(bodies) ? when : undefined,
    );
    const { session, given, requests } = await talked({ store });
    armed = true;
    await session.send('/compact');
    const reading = read(session);
    await Promise.race([gone, reading]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await read(again);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: expect.stringContaining('was compacted') });
    expect(requests.map(isSummary)).toEqual(Array.from({ length: summaries }, () => true));
    expect(linesOf(again.messages)).toEqual(COMPACTED);
    expect(commandNotes(await bodiesOf(inner, session.sessionId))).toHaveLength(1);
    expect(await codeOf(read(again))).toBe('NOTHING_TO_STREAM');
  });

  it('after the summary: a message that came since is answered in the same run', async () => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && isCut(bodies) ? 'after' : undefined));
    const { session, given } = await talked({ store });
    armed = true;
    await session.send('/compact');
    await Promise.race([gone, read(session)]);

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await say(again, 'Four?');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Yes.' });
    expect(linesOf(again.messages)).toEqual([...COMPACTED, 'user: Four?', 'assistant: Yes.']);
    expect((await bodiesOf(inner, session.sessionId)).filter(({ type }) => type === 'run_started')).toHaveLength(4);
  });

  it.each(['before', 'after'] as const)('%s a message behind it was recorded: it is delivered once', async (when) => {
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && saysFour(bodies) ? when : undefined));
    const { session, given, requests } = await talked({ store });
    armed = true;
    await session.send('/compact');
    await session.send('Four?');
    await Promise.race([gone, read(session)]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await read(again);

    expect(resultOf(events).content).toBe('Yes.');
    expect(requests.map(isSummary)).toEqual([false]);
    expect(linesOf(again.messages)).toEqual([...COMPACTED, 'user: Four?', 'assistant: Yes.']);
  });

  it('with a message that arrived meanwhile: it is answered, although the run began with a command alone', async () => {
    const sent: { now?: () => Promise<unknown> } = {};
    const Compaction = [{ hooks: [async () => void (await sent.now?.())] }];
    let armed = false;
    const { inner, store, gone } = mortal((bodies) => (armed && saysFour(bodies) ? 'after' : undefined));
    const { session, given, requests } = await talked({ store, hooks: { Compaction } });
    sent.now = () => session.send('Four?');
    armed = true;
    await session.send('/compact');
    await Promise.race([gone, read(session)]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });

    expect(resultOf(await read(again)).content).toBe('Yes.');
    expect(requests.map(isSummary)).toEqual([false]);
    expect(textOf(again.messages.at(-1) as Parameters<typeof textOf>[0])).toBe('Yes.'); // safe: it is a reply
  });

  it.each([['/compact'], ['/compact', 'Four?'], ['Four?', '/compact Names.', 'Five?', '/compact']])(
    'at any append, with %s %s %s %s sent: everything is delivered and obeyed once',
    async (...texts) => {
      const outcomes = new Set<string>();
      for (let point = 0; ; point++) {
        let appends = -1; // not counted before the messages are sent
        const { inner, store, gone } = mortal(() => {
          if (appends < 0) return undefined;
          appends += 1;
          return appends === Math.floor(point / 2) + 1 ? (point % 2 === 0 ? 'before' : 'after') : undefined;
        });
        const { session, given, requests } = await talked({ store });
        appends = 0;
        for (const text of texts) await session.send(text);
        const ended = await Promise.race([gone.then(() => false), read(session).then(() => true)]);
        if (ended) break;
        const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
        await read(again).catch((error: unknown) => error); // nothing is left to do when the run has ended just before

        const bodies = await bodiesOf(inner, session.sessionId);
        const isEnded = bodies.at(-1)?.type === 'run_ended';
        const cuts = bodies.filter((body) => isCut([body])).length;
        const notes = commandNotes(bodies).length;
        const shown = JSON.stringify(requests.map(({ messages }) => messages)).includes('/compact');
        const view = linesOf(again.messages).join();
        outcomes.add(
          JSON.stringify({ isEnded, cuts, notes, shown, view, waits: (await inner.inbox(session.sessionId)).length }),
        );
      }

      const commands = texts.filter((text) => text.startsWith('/')).length;
      const said = texts.filter((text) => !text.startsWith('/')).map((text) => `user: ${text}`);
      const view = [...COMPACTED, ...said, ...(said.length > 0 ? ['assistant: Yes.'] : [])].join();
      expect([...outcomes].map((text) => JSON.parse(text) as unknown)).toEqual([
        { isEnded: true, cuts: 1, notes: commands, shown: false, view, waits: 0 },
      ]);
    },
  );
});
