import { memoryStore, type SessionOptions } from '@x/session';
import { describe, expect, it } from 'vitest';
import { sessionHost } from '../../src/sessions/index.ts';
import { eventsUntil, resultOf, until } from '../support/followed.ts';
import { hosted, profileOf, type scripted, toolNamed } from '../support/hosted.ts';

const script: Parameters<typeof scripted>[0] = ({ messages }) =>
  messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'pay', input: {} }] };
function paying(more: Partial<SessionOptions> = {}) {
  const paid: unknown[] = [];
  const pay = toolNamed('pay', async () => `paid ${paid.push(1)}`, { kind: 'execute' });
  return { paid, profile: profileOf(script, { tools: [pay], alwaysAsk: ['pay'], askPolicy: 'wait', ...more }) };
}

/** A session that waits for an answer. */
async function waiting(more: Partial<SessionOptions> = {}) {
  const { paid, profile } = paying(more);
  const host = await hosted({ profiles: { chat: profile } });
  const path = await host.made({ message: 'Pay.' });
  await eventsUntil(host, path, 'run_waiting');
  const { questions } = (await host.ask('GET', `${path}/questions`)).json();
  return { host, path, paid, question: questions[0] };
}

describe('the questions of a session', () => {
  it('are listed and answered, and the run goes on at that call', async () => {
    const { host, path, paid, question } = await waiting();
    const state = (await host.ask('GET', path)).json().state;
    const { callId, key } = question;
    const answer = await host.ask('POST', `${path}/answers`, { callId, answer: { behavior: 'allow', key } });
    const { event } = await resultOf(host, path);

    expect([state, question.toolName, question.kind]).toEqual(['waiting', 'pay', 'permission']);
    expect([answer.statusCode, answer.body, paid.length]).toEqual([204, '', 1]);
    expect(event).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect((await host.ask('POST', `${path}/answers`, { callId, answer: { behavior: 'deny' } })).json().code).toBe(
      'QUESTION_NOT_OPEN',
    );
    await host.server.close();
  });

  it.each([
    [{ behavior: 'perhaps' }],
    [{ behavior: 'allow', remember: ['Bash(*)'] }],
    [{ behavior: 'allow', remember: 'pay' }],
    [{ behavior: 'allow', tools: [] }],
    [{ text: 'yes' }],
  ])('are not answered by %j: a client writes no rules', async (answer) => {
    const { host, path, paid, question } = await waiting();
    const refused = await host.ask('POST', `${path}/answers`, { callId: question.callId, answer });

    expect([refused.statusCode, refused.json().code, paid]).toEqual([400, 'VALIDATION_ERROR', []]);
    await host.server.close();
  });

  it('may be answered with the rule that they suggest', async () => {
    const commands: Parameters<typeof scripted>[0] = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'Bash', input: { command: 'node --version' } }] };
    const chat = profileOf(commands, { allowedTools: ['Bash'], askPolicy: 'wait' });
    await using host = await hosted({ profiles: { chat } });
    const path = await host.made({ message: 'Which?' });
    await eventsUntil(host, path, 'run_waiting');
    const { callId, suggestedRule } = (await host.ask('GET', `${path}/questions`)).json().questions[0];
    const answer = { behavior: 'allow', remember: [suggestedRule] };

    expect(suggestedRule).toEqual(expect.any(String));
    expect((await host.ask('POST', `${path}/answers`, { callId, answer })).statusCode).toBe(204);
    expect((await resultOf(host, path)).event).toMatchObject({ subtype: 'success' });
  });

  it('are withdrawn when the run is aborted, and by closing', async () => {
    for (const way of ['abort', 'close']) {
      const { host, path, paid } = await waiting();
      const ended = await host.ask('POST', `${path}/${way}`);

      expect([ended.statusCode, paid]).toEqual([way === 'abort' ? 202 : 204, []]);
      expect((await host.ask('GET', path)).json()).toMatchObject({ state: 'idle', lastResult: { subtype: 'aborted' } });
      expect((await host.ask('GET', `${path}/questions`)).json()).toEqual({ questions: [] });
      await host.server.close();
    }
  });

  it('answer 410 when they have expired', async () => {
    const { profile } = paying({ questionTtlMs: 1 });
    const store = memoryStore();
    const host = await hosted({ profiles: { chat: profile }, store });
    const path = await host.made({ message: 'Pay.' });
    await eventsUntil(host, path, 'run_waiting');
    await host.server.close();
    // Nobody runs it now.
    const { createApp } = await import('../../src/index.ts');
    const app = createApp({
      token: 't',
      tokens: [{ name: 'ann', token: 'u' }],
      sessions: sessionHost({ profiles: { chat: profile }, store }),
    });
    const [question] = (await eventsUntil({ store }, path, 'run_waiting')).filter(
      ({ event }) => event.type === 'question',
    );
    const headers = { authorization: 'Bearer u', 'content-type': 'application/json' };
    const body = JSON.stringify({ callId: question?.callId, answer: { behavior: 'allow' } });
    const answer = await app.request(`${path}/answers`, { method: 'POST', headers, body });

    expect([answer.status, await answer.json()]).toEqual([410, expect.objectContaining({ code: 'QUESTION_EXPIRED' })]);
  });
});

describe('abort', () => {
  const hanging = [{ text: ['Once', ' upon'], hangs: true }];

  it('ends the run under way, and says when there is none', async () => {
    await using host = await hosted({ profiles: { chat: profileOf(hanging) } });
    const path = await host.made();
    const none = (await host.ask('POST', `${path}/abort`)).json();
    await host.ask('POST', `${path}/messages`, { text: 'Begin.' });
    await eventsUntil(host, path, 'user_message');
    const some = (await host.ask('POST', `${path}/abort`)).json();

    expect([none, some]).toEqual([{ aborted: false }, { aborted: true }]);
    expect((await resultOf(host, path)).event).toMatchObject({ subtype: 'aborted' });
  });

  it('ends a run of another process, by taking the session from it', async () => {
    const store = memoryStore();
    const elsewhere = await hosted({ store, profiles: { chat: profileOf(hanging) } });
    const path = await elsewhere.made({ message: 'Begin.' });
    await eventsUntil(elsewhere, path, 'user_message');
    const here = sessionHost({ store, profiles: { chat: profileOf([{ text: 'Not said.' }]) } });
    const { createApp } = await import('../../src/index.ts');
    const app = createApp({ tokens: [{ name: 'ann', token: 't' }], sessions: here });
    const answer = await app.request(`${path}/abort`, { method: 'POST', headers: { authorization: 'Bearer t' } });

    expect(await answer.json()).toEqual({ aborted: true });
    expect((await resultOf(elsewhere, path)).event).toMatchObject({ subtype: 'aborted' });
    await here.close();
    await elsewhere.server.close();
  });

  it('a message of priority now interrupts the model', async () => {
    let calls = 0;
    const script = () => ((calls += 1) === 1 ? hanging[0]! : { text: 'Stopped.' });
    await using host = await hosted({ profiles: { chat: profileOf(script) } });
    const path = await host.made({ message: 'Begin.' });
    await until(async () => calls === 1);
    const sent = await host.ask('POST', `${path}/messages`, { text: 'Stop.', priority: 'now' });

    expect(sent.json().status).toBe('steered');
    expect((await resultOf(host, path)).event).toMatchObject({ subtype: 'success', content: 'Stopped.' });
    await until(async () => (await host.ask('GET', path)).json().queued === 0);
  });
});
