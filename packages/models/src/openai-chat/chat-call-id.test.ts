import type { AssistantMessage, ToolMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { chatCallId as idFor, readerOf } from './chat-call-id.ts';
import { chatModelFacts } from './chat-model-facts.ts';
import { chatFormat } from './to-request.ts';

const chatCallId = (id: string, reader: { readonly name: string; readonly provider: string }) =>
  idFor(id, readerOf(reader.name, reader.provider, chatModelFacts(reader.name)));
const LONG = 'x'.repeat(41);
const openai = { name: 'gpt-4o-mini', provider: 'openai-compatible' };

describe('chatCallId', () => {
  it('shortens ids that are too long, for OpenAI and on Azure', () => {
    expect(chatCallId(LONG, openai)).toMatch(/^.{1,40}$/);
    expect(chatCallId(LONG, { name: 'our-deployment', provider: 'azure-openai' })).toMatch(/^.{1,40}$/);
    expect(chatCallId('functions.echo:0', openai)).toBe('functions.echo:0');
  });

  it('gives Mistral nine letters and digits, and keeps its own', () => {
    for (const name of ['mistral-large-latest', 'mistralai/Devstral-Small', 'open-mixtral-8x7b']) {
      const reader = { ...openai, name };

      expect(chatCallId('call_0123456789', reader)).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(chatCallId('D681PevKs', reader)).toBe('D681PevKs');
      expect(chatCallId('call_1', reader)).not.toBe(chatCallId('call_2', reader));
    }
  });

  it.each([`call_1__thought__${'s'.repeat(900)}`, 'functions.a_very_long_name_for_a_tool_of_somebody:12', LONG])(
    'leaves %s to other services as it is',
    (id) => {
      expect(chatCallId(id, { ...openai, name: 'kimi-k2' })).toBe(id);
    },
  );

  it.each(['gpt-4o-mini', 'codestral-latest'])('is the same for call and result: %s', (name) => {
    const base = { id: '1', createdAt: '2026-11-21T00:00:00.000Z' };
    const reply: AssistantMessage = {
      ...base,
      role: 'assistant',
      content: [{ type: 'tool_use', id: LONG, name: 'echo', input: {} }],
      provider: 'anthropic',
      model: 'm',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      stopReason: 'tool_use',
    };
    const results: ToolMessage = {
      ...base,
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: LONG, name: 'echo', output: 'o', isError: false }],
    };
    const { messages } = chatFormat(name);

    const id: unknown = expect.stringMatching(/^[a-zA-Z0-9_]{9,40}$/);
    expect(messages(reply)).toMatchObject([{ tool_calls: [{ id }] }]);
    expect(messages(results)).toMatchObject([{ tool_call_id: chatCallId(LONG, { ...openai, name }) }]);
    expect(messages(reply)).toMatchObject([{ tool_calls: [{ id: chatCallId(LONG, { ...openai, name }) }] }]);
  });
});
