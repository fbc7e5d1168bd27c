import { AgentError, type ModelRequest } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, type EntryBody, memoryStore, type SessionStore } from '../../src/index.ts';
import { bodiesOf, codeOf, faultsOf, only, read, resultOf, say } from '../support/makers.ts';
import { mortal } from '../support/mortal-store.ts';
import { resumed } from '../support/resumed.ts';

const long = 'word '.repeat(1_000);
const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
const overflow = () => Object.assign(new AgentError('too long', { code: 'MODEL_ERROR' }), { contextOverflow: true });

type Kind = 'at the threshold' | 'on overflow';
const KINDS: readonly Kind[] = ['at the threshold', 'on overflow'];

/** What makes the history too long: the count of the service, or its refusal. */
function replyOf(kind: Kind, { messages }: ModelRequest): ScriptedReply {
  const isLong = messages.length >= 5 && JSON.stringify(messages).includes(long);
  const isFull = messages.length >= 3 && JSON.stringify(messages).includes(long);
  if (kind === 'on overflow') return isLong ? { error: overflow() } : { text: 'Yes.' };
  return { text: 'Yes.', usage: { inputTokens: isFull ? 900 : 50, outputTokens: 5 } };
}

/** A session with two turns behind it, the next of which compacts. */
async function filled(
  kind: Kind,
  { store = memoryStore(), summary = () => {} }: { store?: SessionStore; summary?: () => unknown } = {},
) {
  const window = kind === 'on overflow' ? 100_000 : 1_000;
  const requests: ModelRequest[] = [];
  const script = (request: ModelRequest): ScriptedReply => {
    requests.push(request);
    if (!isSummary(request)) return replyOf(kind, request);
    summary();
    return { text: 'The gist.' };
  };
  const model = scriptedModel(script, { contextWindow: window });
  const provider: CustomProvider = { type: 'custom', createModel: () => model };
  const given = { provider, model: 'm', allowedTools: [], store };
  const session = await createSession(given);
  for (const text of [long, 'Two?']) await say(session, text);
  requests.length = 0;
  return { session, requests, store, given };
}
const cutsIn = (bodies: readonly EntryBody[]) =>
  bodies.filter((body) => body.type === 'record' && body.record.type === 'compaction').length;

describe.each(KINDS)('a compaction of a session %s', (kind) => {
  it('holds in a session that is resumed, byte for byte', async () => {
    const { session, store, given } = await filled(kind);
    await say(session, 'Three?');
    await session.close();
    const { session: again } = await resumed(store, session.sessionId, [], given);
    const { messages } = again;
    await say(again, 'Four?');

    expect(messages).toEqual(session.messages);
    expect(JSON.stringify(messages[0])).toContain('The gist.');
    expect(JSON.stringify(messages)).not.toContain(long);
    expect(cutsIn(await bodiesOf(store, session.sessionId))).toBe(1);
    expect(JSON.stringify(await bodiesOf(store, session.sessionId))).toContain(long);
  });

  it.each(['now', 'next', 'later'] as const)(
    'is there when a message that arrives during it, once, with priority %s is answered',
    async (priority) => {
      const sent: { go?: () => void } = {};
      const outcomes: Promise<unknown>[] = [];
      const { session, requests } = await filled(kind, { summary: () => sent.go?.() });
      sent.go = () => {
        if (outcomes.length === 0) outcomes.push(session.send('Faster.', { priority }));
      };

      const events = await say(session, 'Three?');
      const rest = priority === 'later' ? await read(session) : events;

      expect(await Promise.all(outcomes)).toMatchObject([{ status: priority === 'later' ? 'queued' : 'steered' }]);
      expect(only([...events, ...(rest === events ? [] : rest)], 'user_message').map(({ content }) => content)).toEqual(
        ['Three?', 'Faster.'],
      );
      expect(resultOf(rest)).toMatchObject({ subtype: 'success', content: 'Yes.' });
      expect(JSON.stringify(requests.at(-1)!.messages)).toContain('The gist.');
      expect(faultsOf(session.messages)).toEqual([]);
      expect(await codeOf(read(session))).toBe('NOTHING_TO_STREAM');
    },
  );

  it.each<['before' | 'after', number]>([
    ['before', 1],
    ['after', 0],
  ])('is made once when the process ends just %s it is durable', async (when, summaries) => {
    const { inner, store, gone } = mortal((bodies) => (cutsIn(bodies) > 0 ? when : undefined));
    const { session, requests, given } = await filled(kind, { store });
    await session.send('Three?');
    await Promise.race([gone, read(session)]);
    requests.length = 0;

    const { session: again } = await resumed(inner, session.sessionId, [], { ...given, store: inner });
    const events = await read(again);

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Yes.' });
    expect(requests.filter(isSummary)).toHaveLength(summaries);
    expect(cutsIn(await bodiesOf(inner, session.sessionId))).toBe(1);
    const said = again.messages.filter((message) => JSON.stringify(message).includes('Three?'));
    expect(said).toHaveLength(1);
  });
});
