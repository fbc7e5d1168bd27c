import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { agentsNamed, task } from '../support/agent-scripts.ts';
import { echoTool, say, toolNamed } from '../support/makers.ts';
import { look, looks, smallSession } from '../support/small-session.ts';
import { innermost } from '../support/watched.ts';

describe('what observers see', () => {
  it('and readers do not: replies, progress, decisions, notifications, compactions, subagents', async () => {
    const progress = toolNamed(
      'progress',
      async function* () {
        yield 'bit by bit';
        return 'all of it';
      },
      { kind: 'readonly' },
    );
    const parts = {
      main: [
        { toolCalls: [{ name: 'progress' }, { name: 'look' }, task('one')] },
        looks(),
        looks(1_900),
        { text: 'Done.' },
      ],
      one: [{ text: 'Worked.' }],
    };
    const { session, seen } = await smallSession(parts, {
      tools: [look, progress, echoTool()],
      allowedTools: ['look', 'progress', 'Task'],
      autoApprove: ['mcp__none__such'], // a name that nobody bears is notified
      agents: agentsNamed('one'),
    });

    const events = await say(session, 'Begin.');

    const shown = new Set(events.map(({ type }) => type));
    const internal = new Set(seen.map(({ type }) => type).filter((type) => !shown.has(type as never)));
    expect(internal).toEqual(
      new Set(['message', 'tool_started', 'tool_progress', 'permission', 'notification', 'compaction', 'subagent']),
    );
    expect(shown).toEqual(
      new Set(['turn_start', 'user_message', 'usage', 'tool_use', 'tool_result', 'turn_end', 'content', 'result']),
    );
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_progress', delta: 'bit by bit' }));
    expect(seen.filter(({ type }) => type === 'message')).toHaveLength(5);
    expect(seen.filter(({ type }) => type === 'permission').length).toBeGreaterThanOrEqual(5);
    const inside = seen.flatMap((event) => (event.type === 'subagent' ? [innermost(event).type] : []));
    expect(inside).toContain('content');
    expect(JSON.stringify(events)).not.toContain('bit by bit');
  });

  it('is nothing that could not be a message of the stream, for each of its ten types', async () => {
    const parts = { main: [{ thinking: 'Hm.', text: 'Done.' }, { error: new AgentError('no', 'MODEL_ERROR') }] };
    const { session } = await smallSession(parts);
    await session.send('Begin.');
    const first = await Array.fromAsync(session.stream({ includeThinking: true }));

    const second = await say(session, 'Again.');

    expect(first.map(({ type }) => type)).toContain('thinking');
    expect(second.map(({ type }) => type)).toEqual(['turn_start', 'user_message', 'turn_end', 'error', 'result']);
  });
});
