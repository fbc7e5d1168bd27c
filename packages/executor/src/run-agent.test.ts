import { type AgentHandler, defineTool, objectSchema, userMessage } from '@x/core';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { Pipeline } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { memoryJournal } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';
import { liveRun } from './run-context.ts';
import type { RunOptions } from './run-options.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  kind: 'readonly',
  inputSchema: objectSchema({ text: { type: 'string', description: 'What to say.' } }),
  execute: async ({ text }) => text,
});

function optionsFor(script: Script, { handlers = [], signal = new AbortController().signal }: { handlers?: AgentHandler[]; signal?: AbortSignal } = {}) {
  const journal = memoryJournal();
  const model = scriptedModel(script);
  const run = liveRun({ sessionId: 's', runId: 'r', agentName: 'main', messageId: 'm', depth: 0, signal, journal });
  const config = { instruction: 'Be short.', tools: [{ tool: echo, returnDirectly: false }], input: [userMessage('Hello')], options: { maxTurns: 5 } };
  const inbox = { take: async () => [], urgent: new AbortController().signal };
  // The workspace is not touched by these tools.
  const options: RunOptions = { config, pipeline: new Pipeline(handlers), run, model, inbox, workspace: { cwd: '/', env: {} } as never };
  return { options, journal, model };
}

describe('runAgent', () => {
  it('asks, runs the tools, asks again', async () => {
    const { options, journal } = optionsFor([{ toolCalls: [{ name: 'echo', input: { text: 'a' } }, { name: 'echo', input: { text: 'b' } }] }, { text: ['Do', 'ne.'] }]);

    const { events, value } = await collect(runAgent(options));

    expect(value.subtype).toBe('success');
    expect(events.map((event) => event.type)).toEqual([
      'turn_start', 'user_message', 'message', 'usage', 'tool_use', 'tool_started', 'tool_use', 'tool_started', 'tool_result', 'tool_result', 'turn_end',
      'turn_start', 'content', 'content', 'message', 'usage', 'turn_end',
    ]);
    expect(journal.records.map(({ record }) => record.type)).toEqual(['message', 'message', 'tool_started', 'tool_started', 'tool_finished', 'tool_finished', 'message']);
  });
});
