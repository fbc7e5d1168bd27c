import { readFileSync } from 'node:fs';
import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { allowingDrops, bindsThinking, droppingStaleThinking } from './preserved-thinking.ts';

const BETA = 'thinking-binding-controls-2026-08-01';
const block_binding = { prefix_mismatch_behavior: 'drop_block' };
const before = getGlobalDispatcher();

afterEach(() => setGlobalDispatcher(before));

/** What would be sent to the service itself. */
async function sentTo(name: string, headers: Readonly<Record<string, string>> = {}) {
  const body = readFileSync(new URL('../../test/wire/anthropic/text.sse', import.meta.url));
  const sent: { headers: unknown; body: unknown }[] = [];
  const mock = new MockAgent();
  mock.disableNetConnect();
  mock
    .get('https://api.anthropic.com')
    .intercept({ path: '/v1/messages', method: 'POST' })
    .reply((options) => {
      sent.push({ headers: options.headers, body: JSON.parse(options.body as string) });
      return { statusCode: 200, data: body };
    });
  setGlobalDispatcher(mock);
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  const model = createModel({ type: 'anthropic', apiKey: 'k', headers }, name);
  await collect(model.stream({ instruction: '', messages, tools: [], signal }));
  return sent[0];
}

describe('bindsThinking', () => {
  it.each([
    'claude-fable-5-1',
    'claude-opus-5-5',
    'claude-sonnet-5.5',
    'claude-haiku-5-5-20261007',
    'claude-opus-6',
    'claude-opus-6-20270101',
    'claude-mythos-10-2',
  ])('is true of %s', (model) => {
    expect(bindsThinking(model)).toBe(true);
  });

  it.each([
    'claude-opus-5',
    'claude-opus-5-20260901',
    'claude-sonnet-4-6',
    'claude-3-7-sonnet-20250219',
    'glm-5-9',
    '',
  ])('is false of %s', (model) => {
    expect(bindsThinking(model)).toBe(false);
  });
});

describe('droppingStaleThinking', () => {
  it.each([
    [{}, { type: 'adaptive', block_binding }],
    [
      { thinking: { type: 'adaptive', display: 'summarized' } },
      { type: 'adaptive', display: 'summarized', block_binding },
    ],
    [{ thinking: { type: 'adaptive', block_binding: null } }, { type: 'adaptive', block_binding: null }],
    [{ thinking: { type: 'between_tools' } }, { type: 'between_tools' }],
    [{ thinking: null }, null],
  ])('turns %j into %j', (extra, thinking) => {
    expect(droppingStaleThinking({ ...extra, top_k: 1 })).toEqual({ thinking, top_k: 1 });
  });
});

describe('allowingDrops', () => {
  it('adds its header once', () => {
    const once = allowingDrops(new Headers({ 'anthropic-beta': 'context-1m' }));

    expect(once.get('anthropic-beta')).toBe(`context-1m, ${BETA}`);
    expect(allowingDrops(once).get('anthropic-beta')).toBe(`context-1m, ${BETA}`);
  });
});

describe('a request to the service itself', () => {
  it('says that thoughts of a conversation that has changed are dropped, where the model would refuse them', async () => {
    expect(await sentTo('claude-opus-5-5', { 'anthropic-beta': 'context-1m' })).toMatchObject({
      headers: { 'anthropic-beta': `context-1m, ${BETA}` },
      body: { thinking: { type: 'adaptive', block_binding } },
    });
  });

  it('says nothing of it to an older model', async () => {
    const sent = await sentTo('claude-opus-4-6');

    expect(sent?.headers).not.toHaveProperty('anthropic-beta');
    expect(sent?.body).not.toHaveProperty('thinking');
  });
});
