// @deps {"@anthropic-ai/claude-agent-sdk":"0.3.329","zod":"4.6.7"}
// @limits {"idle":{"sessions":8,"lanes":2},"crowd":{"sessions":8},"loop":{"warmUps":1,"runs":2},"growth":{"warmUps":0,"runs":1},"stream":{"warmUps":1,"runs":2}}
// @floor raw-fetch-anthropic
// Claude Agent SDK over the Anthropic format. It starts its command line program per session, whose CPU and memory are
// counted; the tool is an in-process MCP server. HOME is a scratch folder, so that no settings of the user are read.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool as sdkTool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { SYSTEM_PROMPT } from './parts/shared.mjs';

export const spawnsChild = true;

let home;

export function createSession(options) {
  home ??= mkdtempSync(join(process.env.BENCH_SCRATCH, 'claude-'));
  const inbox = createInbox();
  const conversation = query({ prompt: inbox, options: queryOptions(options) });
  const messages = conversation[Symbol.asyncIterator]();
  return {
    async prompt(text, onDelta) {
      const message = { role: 'user', content: text };
      inbox.push({ type: 'user', message, parent_tool_use_id: null, session_id: '' });
      await readUntilResult(messages, onDelta);
    },
    async close() {
      inbox.end();
      conversation.close?.();
    },
  };
}

async function readUntilResult(messages, onDelta) {
  for (;;) {
    const { value: message, done } = await messages.next();
    if (done) throw new Error('the query ended early');
    if (message.type === 'stream_event') reportText(message.event, onDelta);
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(JSON.stringify(message).slice(0, 300));
    return;
  }
}

function reportText(event, onDelta) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') onDelta(event.delta.text);
}

function queryOptions({ origin, model, tool, maxTurns }) {
  return {
    model,
    maxTurns: maxTurns + 5,
    cwd: home,
    settingSources: [],
    systemPrompt: SYSTEM_PROMPT,
    tools: [],
    mcpServers: { bench: toolServer(tool) },
    allowedTools: ['mcp__bench__echo'],
    includePartialMessages: true,
    persistSession: false,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: 'sk-ant-bench',
      ANTHROPIC_SMALL_FAST_MODEL: 'text-5',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      NO_PROXY: '127.0.0.1',
    },
  };
}

function toolServer(tool) {
  const answer = async ({ text }) => ({ content: [{ type: 'text', text: await tool.execute(text) }] });
  const echo = sdkTool('echo', tool.description, { text: z.string() }, answer, { annotations: { readOnlyHint: true } });
  return createSdkMcpServer({ name: 'bench', version: '1.0.0', tools: [echo] });
}

/** What the user says, as the endless iterable that `query` reads. */
function createInbox() {
  const waiting = [];
  const readers = [];
  return {
    push(message) {
      const reader = readers.shift();
      if (reader) reader({ value: message, done: false });
      else waiting.push(message);
    },
    end() {
      for (const reader of readers.splice(0)) reader({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (waiting.length > 0) return Promise.resolve({ value: waiting.shift(), done: false });
        return new Promise((resolve) => readers.push(resolve));
      },
      return: async () => ({ value: undefined, done: true }),
    }),
  };
}
