import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserMessage } from '@x/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { streamable } from '../../../mcp/test/support/http-servers.ts';
import { closeAll } from '../../../mcp/test/support/hubs.ts';
import { reference } from '../../../mcp/test/support/reference.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import { resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

afterEach(closeAll);

/** A session whose model says it is done, and the content of its last message of the user. */
async function told(mcpServers: SessionOptions['mcpServers'], more: Partial<SessionOptions> = {}) {
  const { session, model } = await scriptedSession(() => ({ text: 'Done.' }), {
    ...(mcpServers ? { mcpServers } : {}),
    mcpStartWait: 45_000,
    ...more,
  });
  onTestFinished(() => session.close());
  const content = async (text: string) => {
    expect(resultOf(await say(session, text)).subtype).toBe('success');
    return (model.requests.at(-1)!.messages.findLast(({ role }) => role === 'user') as UserMessage).content;
  };
  const tell = async (text: string) =>
    (await content(text)).map((block) => (block.type === 'text' ? block.text : ''))[0];
  return { session, content, tell };
}
const prompts = (...names: readonly string[]) => stdio({ prompts: names.map((name) => ({ name })) });

describe('a prompt of an MCP server', () => {
  it('is a command: what the server writes is the message, that of a reference server too', async () => {
    const { session, tell } = await told({ ref: reference('server-everything', ['stdio']) });

    expect(await tell('/mcp__ref__args-prompt "New York" NY')).toBe("What's weather in New York, NY?");
    expect(await tell('/mcp__ref__args-prompt Paris')).toBe("What's weather in Paris?");
    expect(await tell('/mcp__ref__resource-prompt Text 3')).toContain('Resource 3: This is a plaintext resource');

    expect(await session.supportedCommands()).toContainEqual({
      name: 'mcp__ref__args-prompt',
      description: 'A prompt with two arguments, one required and one optional',
      usage: '/mcp__ref__args-prompt <city> [state]',
    });
  });

  it('comes over HTTP, is in the log as it was sent, and its last argument takes what is left', async () => {
    const { url } = await streamable();
    const store = memoryStore();
    const { session, tell } = await told({ own: { type: 'http', url } }, { store });
    expect(await tell('/mcp__own__hello you very  kindly')).toBe('hello who=you how=very kindly');
    await session.close();

    const { provider } = scriptedProvider([]);
    const again = await resumeSession({ provider, model: 'm', store, sessionId: session.sessionId });
    expect(again.messages[0]?.content).toEqual([{ type: 'text', text: 'hello who=you how=very kindly' }]);
    await again.close();
  });

  it('may have several messages and pictures; what is not seen is removed', async () => {
    const { tell, content } = await told({ own: prompts('talk', 'picture') });

    expect(await tell('/mcp__own__talk')).toBe('Hello.\n\nAssistant: Hi.\n\nHow are you?');
    expect(await content('/mcp__own__picture')).toMatchObject([
      { type: 'text', text: 'Look.' },
      { type: 'image', mediaType: 'image/png' },
    ]);
  });

  it('keeps its place among the messages that are sent without waiting for it', async () => {
    const { session } = await told({ own: stdio() });

    const sent = ['first', '/mcp__own__hello you', 'last'].map((text) => session.send(text));
    await Promise.all(sent);
    for await (const event of session.stream()) expect(event.type).not.toBe('error');

    const texts = session.messages.filter(({ role }) => role === 'user').map(({ content }) => content[0]);
    expect(texts).toMatchObject([{ text: 'first' }, { text: 'hello who=you' }, { text: 'last' }]);
  });
});

describe('send', () => {
  it.each([
    ['a prompt that the server does not have', '/mcp__own__hallo', /has no prompt for .*: \/mcp__own__hello/],
    ['a server without prompts', '/mcp__bare__hello', /bare has no prompt .* it has: none/],
    ['a missing argument', '/mcp__own__hello', /needs who: \/mcp__own__hello <who> \[how\]/],
    ['arguments for a prompt without any', '/mcp__more__empty now', /takes no arguments/],
    ['two prompts of one name', '/mcp__more__a_b', /two prompts/],
    ['a prompt without words', '/mcp__more__empty', /is empty/],
    ['a prompt that is too long', '/mcp__more__long', /longer than/],
  ])('refuses %s, and the session goes on without it', async (_, text, message) => {
    const more = prompts('a b', 'a.b', 'empty', 'long');
    const { session, tell } = await told({ own: stdio(), more, bare: stdio({ prompts: false }) });

    await expect(session.send(text)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    });

    expect(await tell('hello')).toBe('hello');
    expect(session.messages).toHaveLength(2);
  });

  it.each([
    ['fails at it', '/mcp__own__fail', /own: the index is locked/],
    ['ends at it', '/mcp__own__exit', /own/],
    ['cannot be started', '/mcp__gone__hello', /gone cannot be used: .*ENOENT/],
  ])('rejects for a server that %s, and loses no other message', async (_, text, message) => {
    const { session } = await told({ own: prompts('fail', 'exit'), gone: { command: '/no/such' } });

    const [before, refused, after] = await Promise.allSettled(['a', text, 'b'].map((one) => session.send(one)));

    expect([before, after]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(refused).toMatchObject({ reason: { code: 'MCP_ERROR', message: expect.stringMatching(message) } });
    expect(resultOf(await say(session, 'c')).subtype).toBe('success');
    expect(session.messages.filter(({ role }) => role === 'user')).toHaveLength(3);
  });

  it('stops waiting for a server with its signal', async () => {
    const { session } = await told({ own: stdio({ hang: true }) }, { mcpStartWait: 0 });
    const end = new AbortController();

    const sent = session.send('/mcp__own__hello you', { signal: end.signal });
    end.abort();

    await expect(sent).rejects.toMatchObject({ code: 'ABORTED' });
    expect(resultOf(await say(session, 'hello')).subtype).toBe('success');
  });

  it('takes a text about no server of the session as it is', async () => {
    const { tell } = await told({ own: stdio() });
    const without = await told(undefined);

    expect(await tell('/mcp__other__hello you')).toBe('/mcp__other__hello you');
    expect(await without.tell('/mcp__own__hello you')).toBe('/mcp__own__hello you');
  });

  it('prefers a file of the host, which is listed once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'commands-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'mcp__own__hello.md'), 'Of the host: $1');
    const { session, tell } = await told({ own: stdio() }, { commandDirectories: [folder] });

    expect(await tell('/mcp__own__hello you')).toBe('Of the host: you');
    const commands = await session.supportedCommands();
    expect(commands.filter(({ name }) => name === 'mcp__own__hello')).toMatchObject([
      { description: 'Of the host: $1' },
    ]);
  });
});

describe('supportedCommands', () => {
  it('lists the prompts of those servers that can be reached, in clean words, equal ones not', async () => {
    const servers = {
      own: stdio(),
      more: prompts('a b', 'a.b', 'c'),
      gone: { command: '/no/such' },
      bare: stdio({ prompts: false }),
    };
    const { session } = await told(servers);

    expect((await session.supportedCommands()).slice(1)).toEqual([
      { name: 'mcp__more__c', description: '' },
      { name: 'mcp__own__hello', description: 'Greets.', usage: '/mcp__own__hello <who> [how]' },
    ]);
  });

  it('waits for a server that hangs no longer than the first run would', async () => {
    const { session } = await told({ slow: stdio({ hang: true }), own: stdio() }, { mcpStartWait: 100 });

    const names = async () => (await session.supportedCommands()).map(({ name }) => name);

    await vi.waitFor(async () => expect(await names()).toEqual(['compact', 'mcp__own__hello']), { timeout: 45_000 });
  });
});
