import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { forked, textsOf } from '../support/forked.ts';
import {
  bodiesOf,
  codeOf,
  echoTool,
  read,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
} from '../support/makers.ts';
import { record } from '../support/random-log.ts';
import { resumed } from '../support/resumed.ts';

describe('session.fork()', () => {
  it('has the options of the session as they are now, and both go on independently', async () => {
    const store = memoryStore();
    const created: string[] = [];
    const { provider } = scriptedProvider(() => ({ text: 'Said.' }));
    const named = {
      ...provider,
      createModel: (name: string) => (created.push(name), provider.createModel('other name')),
    };
    const asked: string[] = [];
    const canUseTool: SessionOptions['canUseTool'] = async (name) => (asked.push(name), { behavior: 'allow' });
    const { session } = await scriptedSession([], {
      provider: named,
      store,
      canUseTool,
      title: 'First',
      metadata: { a: '1' },
    });
    await say(session, 'first');
    await session.setModel('newer');
    await session.setTitle('Second');

    const fork = await session.fork();
    await say(fork, 'in the fork');
    await say(session, 'in the source');
    await fork.setTitle('Third');

    expect(created).toEqual(['scripted', 'newer', 'newer']);
    expect([session.title, fork.title, fork.metadata]).toEqual(['Second', 'Third', { a: '1' }]);
    expect(textsOf(session)).toEqual(['first', 'Said.', 'in the source', 'Said.']);
    expect(textsOf(fork)).toEqual(['first', 'Said.', 'in the fork', 'Said.']);
    expect((await fork.usage()).total.calls).toBe(1);
  });

  it('copies the last complete turn during a run, here and from another process, and does not disturb it', async () => {
    const store = memoryStore();
    const forks: string[][] = [];
    const look = async () => {
      const { session: fork } = await forked(store, session.sessionId); // knows nothing of this session's object
      forks.push(textsOf(await session.fork()), textsOf(fork));
    };
    const tools = [echoTool(look)];
    const calls = (text: string) => ({ text, toolCalls: [{ name: 'echo', input: { text } }] });
    const { session } = await scriptedSession([{ text: 'Zero.' }, calls('a'), calls('b'), { text: 'Done.' }], {
      store,
      tools,
    });
    await say(session, 'zero');
    await session.send('first');

    const events: unknown[] = [];
    for await (const event of session.stream()) {
      events.push(event.type);
      if (event.type === 'turn_start') await look();
    }

    const [zero, one] = [
      ['zero', 'Zero.'],
      ['zero', 'Zero.', 'first', 'a', ''],
    ];
    const two = [...one, 'b', ''];
    expect(forks).toEqual([zero, zero, zero, zero, one, one, one, one, two, two]);
    expect(events.at(-1)).toBe('result');
    expect(textsOf(session)).toEqual([...two, 'Done.']);
  });

  it('is empty while the first turn is under way, and goes on with the task behind a later one', async () => {
    const store = memoryStore();
    const forks: string[][] = [];
    const begun = async () => {
      const fork = await session.fork();
      forks.push(
        (await bodiesOf(store, fork.sessionId)).map(({ type }) => type),
        textsOf(fork),
      );
    };
    const { session } = await scriptedSession(
      ({ messages }) =>
        messages.length === 1 ? { toolCalls: [{ name: 'echo', input: { text: 'a' } }] } : { text: 'Done.' },
      { store, tools: [echoTool(begun)] },
    );
    await session.send('first');
    for await (const event of session.stream()) {
      if (event.type !== 'turn_start' || event.turn !== 2) continue;
      const fork = await session.fork();
      await read(fork);
      forks.push(textsOf(fork));
    }

    expect(forks).toEqual([['session_created', 'title'], [], ['first', '', '', 'Done.']]);
  });

  it('keeps the answers of an outputFormat right, in the source, the fork and after a resume', async () => {
    const store = memoryStore();
    const schema = z.object({ n: z.number() });
    const options = { store, outputFormat: { type: 'json_schema', schema } } as const;
    const { session } = await scriptedSession(
      ({ messages }) => ({ text: JSON.stringify({ n: messages.length }) }),
      options,
    );
    await say(session, 'first');

    const fork = await session.fork();
    const inFork = resultOf(await say(fork, 'second'));
    const inSource = resultOf(await say(session, 'second'));
    const again = await resumed(store, fork.sessionId, [{ text: 'no' }, { text: '{"n":9}' }], options);
    const pending = await fork.fork({ messageId: fork.messages[2]!.id });

    expect([inFork.structured, inSource.structured]).toEqual([{ n: 3 }, { n: 3 }]);
    expect(resultOf(await say(again.session, 'third')).structured).toEqual({ n: 9 });
    expect(resultOf(await read(pending)).structured).toEqual({ n: 3 });
  });

  it('does not ask for the lease of a run that is its own, even when that is over', async () => {
    const store = memoryStore();
    let owners = 0;
    const acquire: SessionStore['acquire'] = async (sessionId, owner) => {
      owners += 1;
      return await store.acquire(sessionId, owner, -1); // over at once
    };
    const tools = [echoTool(async () => void (await session.fork()))];
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'Done.' }],
      { store: { ...store, acquire }, tools },
    );

    const events = await say(session, 'Begin.');

    expect(resultOf(events).subtype).toBe('success');
    expect(owners).toBe(1);
  });

  it('is refused once the session is closed', async () => {
    const { session } = await scriptedSession([]);
    await session.close();

    expect(await codeOf(session.fork())).toBe('SESSION_CLOSED');
  });
});

describe('the cut', () => {
  it('keeps notes and titles out that came behind it', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'One.' }), { store });
    await say(session, 'first');
    await session.setTitle('Later');
    const lease = await store.acquire(session.sessionId, 'me', 1_000);
    const { head, epoch } = lease!;
    await store.append(session.sessionId, { head, epoch }, [record({ type: 'note', name: 'n', data: 1 })]);
    await store.release(lease!);

    const fork = await session.fork({ messageId: session.messages[1]!.id });
    const whole = await session.fork();

    expect([fork.title, whole.title]).toEqual(['first', 'Later']);
    expect(await bodiesOf(store, fork.sessionId)).toHaveLength(6);
  });
});
