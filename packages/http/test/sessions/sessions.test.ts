import { describe, expect, it } from 'vitest';
import { resultOf } from '../support/followed.ts';
import { counting, hosted, profileOf, type scripted, toolNamed } from '../support/hosted.ts';

type Script = Parameters<typeof scripted>[0];
const twoWords: Script = ({ messages }) => ({ text: `Answer ${messages.length}.` });

describe('a session', () => {
  it('Q37 is made from a profile, answers, and is found again', async () => {
    await using host = await hosted();
    const answer = await host.ask('POST', '/v1/sessions', {
      title: 'One',
      metadata: { order: '7' },
      message: 'Hello.',
    });
    const path = `/v1/sessions/${answer.json().sessionId}`;
    await resultOf(host, path);

    expect([answer.statusCode, answer.headers['location']]).toEqual([201, path]);
    expect((await host.ask('GET', path)).json()).toEqual({
      sessionId: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      profile: 'chat',
      state: 'idle',
      title: 'One',
      metadata: { order: '7' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      queued: 0,
      lastResult: { subtype: 'success' },
    });
    const { messages } = (await host.ask('GET', `${path}/messages`)).json();
    expect(messages.map(({ role, content }: Shown) => `${role}: ${content[0]?.text}`)).toEqual([
      'user: Hello.',
      'assistant: Answer 1.',
    ]);
  });

  it.each([
    [{ profile: 'nope' }, 'profile must be the name of a profile'],
    [{ provider: { type: 'openai', apiKey: 'mine' } }, ''],
    [{ model: 'm' }, ''],
    [{ cwd: '/' }, ''],
    [{ tools: [] }, ''],
    [{ permissionMode: 'bypassPermissions' }, ''],
    [{ metadata: { 'http.owner': 'ben' } }, "http.owner is the server's"],
    [{ metadata: { a: 7 } }, ''],
    [{ metadata: { a: 'x'.repeat(4_000) } }, 'more than 3000 bytes'],
    [{ title: ' ' }, ''],
    [{ message: '' }, ''],
    [{ message: [{ type: 'text', text: 'Hi.' }] }, ''],
    [[], ''],
  ])('is not made of %j: a client names a profile, and nothing else', async (body, words) => {
    await using host = await hosted();
    const answer = await host.ask('POST', '/v1/sessions', body);

    expect(answer.json()).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringContaining(words)]);
    expect((await host.ask('GET', '/v1/sessions')).json()).toEqual({ sessions: [] });
  });

  it('takes no parts of a message: the answer says that it is a text', async () => {
    await using host = await hosted();
    const path = await host.made();
    const answer = await host.ask('POST', `${path}/messages`, { text: [{ type: 'text', text: 'Hi.' }] });

    expect([answer.statusCode, JSON.stringify(answer.json())]).toEqual([
      400,
      expect.stringContaining('Invalid type for parameter text: expected string'),
    ]);
  });

  it('takes messages as long as its session does, and none that is blank', async () => {
    await using host = await hosted();
    const path = await host.made({ message: 'x'.repeat(600_000) });
    const sent = await host.ask('POST', `${path}/messages`, { text: 'y'.repeat(600_000) });
    const blank = await host.ask('POST', '/v1/sessions', { message: ' \n' });
    const blankText = await host.ask('POST', `${path}/messages`, { text: ' \n' });

    expect(sent.statusCode).toBe(202);
    expect([blank, blankText].map(({ statusCode }) => statusCode)).toEqual([400, 400]);
    expect((await host.ask('GET', '/v1/sessions')).json().sessions).toHaveLength(1);
  });

  it('needs the name of a profile where there are several', async () => {
    await using host = await hosted({ profiles: { one: profileOf(), two: profileOf() } });

    expect((await host.ask('POST', '/v1/sessions', {})).statusCode).toBe(400);
    expect((await host.ask('POST', '/v1/sessions', { profile: 'two' })).json().profile).toBe('two');
  });

  it('is listed page by page, the last used first, and by its state', async () => {
    await using host = await hosted();
    const made = [await host.made(), await host.made(), await host.made()];
    const first = (await host.ask('GET', '/v1/sessions?limit=2')).json();
    const second = (await host.ask('GET', `/v1/sessions?limit=2&cursor=${first.cursor}`)).json();
    const ids = [...first.sessions, ...second.sessions].map(({ sessionId }: Row) => `/v1/sessions/${sessionId}`);

    expect(ids.toSorted()).toEqual(made.toSorted());
    expect([first.sessions.length, second.cursor]).toEqual([2, undefined]);
    expect((await host.ask('GET', '/v1/sessions?state=waiting')).json()).toEqual({ sessions: [] });
    expect((await host.ask('GET', '/v1/sessions?cursor=nope')).statusCode).toBe(400);
  });

  it('shows the newest messages, and older ones before an id', async () => {
    await using host = await hosted({ profiles: { chat: profileOf(twoWords) } });
    const path = await host.made({ message: 'One.' });
    await resultOf(host, path);
    const { cursor } = await resultOf(host, path);
    await host.ask('POST', `${path}/messages`, { text: 'Two.' });
    await resultOf(host, path, cursor);

    const newest = (await host.ask('GET', `${path}/messages?limit=3`)).json();
    const older = (await host.ask('GET', `${path}/messages?before=${newest.messages[0].id}`)).json();

    expect([newest.messages.length, newest.hasMore, older.messages.length, older.hasMore]).toEqual([3, true, 1, false]);
    expect((await host.ask('GET', `${path}/messages?before=nope`)).json().code).toBe('MESSAGE_NOT_FOUND');
  });

  it('has a usage, with the prices of its profile', async () => {
    const prices = { m: { input: 1_000_000, output: 1_000_000 } };
    await using host = await hosted({ profiles: { chat: profileOf(counting, { prices }) } });
    const path = await host.made({ message: 'One.' });
    await resultOf(host, path);

    const { total, entries } = (await host.ask('GET', `${path}/usage`)).json();

    expect(entries).toHaveLength(1);
    expect(total).toMatchObject({ calls: 1, cost: { usd: expect.any(Number), unknownModels: [] } });
  });

  it('is forked after a message, with its owner, profile and notes, and goes on by itself', async () => {
    await using host = await hosted();
    const path = await host.made({ metadata: { order: '7' }, message: 'One.' });
    await resultOf(host, path);
    const { messages } = (await host.ask('GET', `${path}/messages`)).json();

    const fork = await host.ask('POST', `${path}/fork`, { messageId: messages[0].id, title: 'Again' });
    const forked = `/v1/sessions/${fork.json().sessionId}`;
    await resultOf(host, forked);

    expect([fork.statusCode, fork.headers['location']]).toEqual([201, forked]);
    expect(fork.json()).toMatchObject({ profile: 'chat', title: 'Again', metadata: { order: '7' } });
    expect((await host.ask('GET', `${forked}/messages`)).json().messages).toHaveLength(2);
    expect((await host.ask('POST', `${path}/fork`, { messageId: 'nope' })).json().code).toBe('MESSAGE_NOT_FOUND');
  });

  it('is rewound to before a message', async () => {
    await using host = await hosted();
    const path = await host.made({ message: 'One.' });
    await resultOf(host, path);
    const { messages } = (await host.ask('GET', `${path}/messages`)).json();
    const messageId = messages[0].id;

    const dry = (await host.ask('POST', `${path}/rewind`, { messageId, dryRun: true })).json();
    const done = (await host.ask('POST', `${path}/rewind`, { messageId })).json();

    expect([dry, done].map(({ success, dryRun }) => [success, dryRun])).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(done.conversation).toMatchObject({ removed: 2 });
    expect((await host.ask('GET', `${path}/messages`)).json().messages).toEqual([]);
    expect((await host.ask('POST', `${path}/rewind`, { messageId: messages[1].id })).statusCode).toBe(400);
  });

  it('is gone when it was deleted, and not while it is run', async () => {
    const held = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const hold = toolNamed('hold', () => {
      begun.resolve();
      return held.promise;
    });
    const script: Script = [{ toolCalls: [{ name: 'hold' }] }, { text: 'Done.' }];
    const tools = { tools: [hold], autoApprove: ['hold'] };
    await using host = await hosted({ profiles: { chat: profileOf(script, tools) } });
    const path = await host.made({ message: 'Hold.' });
    await begun.promise;

    const busy = await host.ask('DELETE', path);
    held.resolve('held');
    await resultOf(host, path);
    const gone = await host.ask('DELETE', path);

    expect([busy.statusCode, busy.json().code, gone.statusCode]).toEqual([409, 'SESSION_BUSY', 204]);
    expect((await host.ask('GET', path)).json()).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

interface Shown {
  readonly role: string;
  readonly content: readonly { readonly text: string }[];
}
interface Row {
  readonly sessionId: string;
}
