import { readFileSync } from 'node:fs';
import type { AssistantMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { contentOf, image, MODEL, requestOf, say, sent, wireImage } from '../../test/requests/anthropic.ts';
import { AnthropicReplyReader } from './from-stream.ts';

describe('a reply that comes from the log', () => {
  const wire = (name: string) =>
    readFileSync(new URL(`../../test/wire/anthropic/${name}.sse`, import.meta.url), 'utf8');
  function replyOf(name: string): AssistantMessage {
    const context = { provider: 'anthropic', apiKey: 'k' };
    const reader = new AnthropicReplyReader({ model: MODEL, request: requestOf(), context });
    reader.push(wire(name));
    reader.end();
    return JSON.parse(JSON.stringify(reader.message())) as AssistantMessage; // safe: a message is JSON
  }
  /** The blocks as the service sent them, put together by hand from the fixture. */
  const asItCame: Readonly<Record<string, readonly object[]>> = {
    'interleaved-thinking': [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'text', text: 'A' },
      { type: 'thinking', thinking: 'Hm again.', signature: 'sig-two==' },
      { type: 'text', text: 'B' },
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
      { type: 'tool_use', id: 'toolu_02', name: 'echo', input: { text: 'two' } },
    ],
    'redacted-thinking': [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
      { type: 'text', text: 'So.' },
    ],
    'thinking-omitted': [
      { type: 'thinking', thinking: '', signature: 'EqQBhidden==' },
      { type: 'text', text: 'Done.' },
    ],
    'server-tool': [
      { type: 'text', text: 'I search.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_01',
        name: 'web_search',
        input: { query: 'x' },
        caller: { type: 'direct' },
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [
          {
            type: 'web_search_result',
            title: 'T',
            url: 'https://example.com',
            encrypted_content: 'EqgfCio=',
            page_age: null,
          },
        ],
        caller: { type: 'direct' },
      },
      {
        type: 'text',
        text: 'Found.',
        citations: [
          {
            type: 'web_search_result_location',
            cited_text: 'c',
            url: 'https://example.com',
            title: 'T',
            encrypted_index: 'Eo8B',
          },
        ],
      },
    ],
    'deferred-server-call': [
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_01',
        name: 'tool_search_tool_bm25',
        input: { query: 'clock' },
        caller: { type: 'direct' },
      },
    ],
    'deferred-server-result': [
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'now' }],
        },
      },
      { type: 'text', text: 'There is one.' },
    ],
    compaction: [
      { type: 'compaction', content: 'They spoke of clocks.' },
      { type: 'text', text: 'Go on.' },
    ],
    fallback: [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'fallback', from: { model: 'claude-opus-5-5' }, to: { model: 'claude-opus-4-8' } },
      { type: 'thinking', thinking: '', signature: 'sig-two==' },
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
    ],
    'mcp-call': [
      { type: 'mcp_tool_use', id: 'mcptoolu_01', name: 'say', input: { word: 'hi' }, server_name: 'parrot' },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_01',
        is_error: false,
        content: [{ type: 'text', text: 'hi' }],
      },
      { type: 'text', text: 'It said hi.' },
    ],
  };

  it.each(Object.entries(asItCame))('goes back byte for byte: %s', (name, blocks) => {
    expect(sent(replyOf(name)).map((message) => JSON.stringify(message))).toEqual([
      JSON.stringify({ role: 'assistant', content: blocks }),
    ]);
  });

  it('goes back with its results and their images', () => {
    const reply = replyOf('parallel-calls');
    const answers = toolMessage(reply, [
      { output: 'one', isError: false, images: [image] },
      { output: 'no', isError: true },
    ]);

    expect(sent(answers)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01A', content: [say('one'), wireImage] },
          { type: 'tool_result', tool_use_id: 'toolu_01B', content: 'no', is_error: true },
        ],
      },
    ]);
  });

  it('leaves out what a limit cut off, and stays valid', () => {
    expect(sent(replyOf('length-in-thinking'))).toEqual([]);
    expect(contentOf(replyOf('length-in-call'))).toMatchObject([
      say('I write.'),
      { input: { invalid_input: '{"text": "h\u00ef' } },
    ]);
    expect(contentOf(replyOf('pause-turn'))).toEqual([say('I search.')]);
  });
});
