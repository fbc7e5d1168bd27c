import type { ModelRequest } from '@x/core';
import type { ScriptedReply } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type ISession, memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { agentsNamed, task } from '../support/agent-scripts.ts';
import { bodiesOf, codeOf, echoTool, read, say, scriptedSession } from '../support/makers.ts';
import { mortal } from '../support/mortal-store.ts';
import { expiring, resumed } from '../support/resumed.ts';

const usage = { inputTokens: 1_000, outputTokens: 50 };
const echo = { name: 'echo', input: { text: 'a' } };
const hello: ScriptedReply = { text: 'Hello.', usage };

/** Says what the request is for, counting what the service would be paid for. */
function counting(paid: string[]) {
  return ({ messages, instruction }: ModelRequest): ScriptedReply => {
    const who = instruction.startsWith('Be one.') ? 'one' : instruction.startsWith('You condense') ? 'cut' : 'main';
    const results = messages.filter(({ role }) => role === 'tool').length;
    paid.push(who);
    if (who === 'cut') return { text: 'They talked.', usage };
    if (results === 0) return { toolCalls: who === 'main' ? [echo, task('one')] : [echo], usage };
    if (results === 1) return { toolCalls: [echo], usage };
    return hello;
  };
}

async function readOn(stream: AsyncIterator<unknown>): Promise<void> {
  while (!(await stream.next()).done);
}

async function talk(session: ISession): Promise<void> {
  for (const text of ['Begin.', 'And?', 'Well?', '/compact']) await say(session, text);
}

describe('a model call whose reply was never recorded', () => {
  async function lostReply(store: SessionStore = expiring(memoryStore())) {
    const { session } = await scriptedSession([hello, { hangs: true }], { store });
    await say(session, 'Hello?');
    await session.send('And now?');
    const stream = session.stream();
    for (const _ of ['turn_start', 'user_message']) await stream.next();
    void stream.next();
    await new Promise((go) => setImmediate(go));
    return { store, sessionId: session.sessionId };
  }

  it('is in usage() as an estimate once its run goes on, and in the result of the run', async () => {
    const { store, sessionId } = await lostReply();

    const { session } = await resumed(store, sessionId, [{ text: 'Now.', usage }]);
    const events = await read(session);

    const { entries, total } = await session.usage();
    expect(entries).toMatchObject([
      { inputTokens: 1_000, outputTokens: 50 },
      {
        provider: 'scripted',
        model: 'scripted',
        agentPath: ['main'],
        purpose: 'lost',
        estimated: true,
        outputTokens: 50,
      },
      { inputTokens: 1_000, outputTokens: 50 },
    ]);
    expect(entries[1]!.inputTokens).toBeGreaterThan(1_050);
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens: entries[1]!.inputTokens + 1_000, outputTokens: 100, estimated: true },
    });
    expect(total.calls).toBe(3);
  });

  it('is counted once for each process that has asked', async () => {
    const { store, sessionId } = await lostReply();
    for (let crashes = 0; crashes < 2; crashes++) {
      const { session, model } = await resumed(store, sessionId, [{ hangs: true }]);
      const stream = session.stream();
      void readOn(stream);
      while (model.requests.length === 0) await new Promise((go) => setImmediate(go));
    }

    const { session } = await resumed(store, sessionId, [{ text: 'Now.', usage }]);
    await read(session);

    const { entries } = await session.usage();
    expect(entries.map(({ purpose = 'reply' }) => purpose)).toEqual(['reply', 'lost', 'lost', 'lost', 'reply']);
  });

  const world: Partial<SessionOptions> = {
    tools: [echoTool()],
    agents: agentsNamed('one'),
    allowedTools: ['echo', 'Task'],
  };

  it.each(['before', 'after'] as const)(
    'is in the bill wherever the process ends, %s an entry: subagents, summaries, all of them (V21)',
    async (when) => {
      for (let cut = 1; ; cut++) {
        const paid: string[] = [];
        let appends = 0;
        const { inner, store, gone } = mortal(() => (++appends === cut ? when : undefined));
        const { session } = await scriptedSession(counting(paid), { store, ...world });
        const sending = talk(session);
        const isWhole = await Promise.race([gone.then(() => false), sending.then(() => true)]);
        await new Promise((go) => setImmediate(go));

        const { session: again } = await resumed(inner, session.sessionId, counting(paid), world);
        const code = await codeOf(read(again));
        expect(['resolved', 'NOTHING_TO_STREAM']).toContain(code);

        const { entries, total } = await again.usage();
        const billed = entries.length;
        expect({ cut, billed }).toEqual({ cut, billed: Math.max(billed, paid.length) });
        expect(billed - paid.length).toBeLessThanOrEqual(1); // one that was about to be asked
        const ends = (await bodiesOf(inner, again.sessionId)).flatMap((body) =>
          body.type === 'run_ended' ? [body] : [],
        );
        expect(ends.reduce((sum, one) => sum + one.usage.totalTokens, 0)).toBe(total.usage.totalTokens);
        if (!isWhole) continue;
        expect([...new Set(paid)]).toEqual(['main', 'one', 'cut']);
        return expect(billed).toBe(paid.length);
      }
    },
  );
});
