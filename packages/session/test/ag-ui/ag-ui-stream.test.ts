import { HttpAgent } from '@ag-ui/client';
import type { Interrupt, Message } from '@ag-ui/core';
import type { Script } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore, type SessionOptions } from '../../src/index.ts';
import { agUiHost } from '../support/ag-ui-host.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, scriptedSession } from '../support/makers.ts';
import { later, paying, payTool } from '../support/waiting.ts';

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** The real client of a session: it refuses what breaks the protocol. */
async function talking(script: Script, options: Partial<SessionOptions> = {}) {
  const store = memoryStore();
  const { session } = await scriptedSession(script, { store, ...options });
  const host = await agUiHost(session, store);
  close = host.close;
  const agent = new HttpAgent({ url: host.url, threadId: session.sessionId });
  const say = async (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    return await agent.runAgent();
  };
  return { agent, say, host, session, store };
}
/** Messages in a line each. */
const linesOf = (messages: readonly Message[]) =>
  messages.map((message) => {
    const calls = 'toolCalls' in message ? (message.toolCalls ?? []) : [];
    const called = calls.map(({ function: { name, arguments: given } }) => ` ${name}${given}`);
    const { role, subagentRunId: agent, content } = message;
    return `${agent ? `${agent}/` : ''}${role}: ${typeof content === 'string' ? content : ''}${called.join('')}`;
  });

const script: Script = [
  { thinking: ['Hm', 'm.'], text: ['Let ', 'me see.'], toolCalls: [{ id: 'c', name: 'echo', input: { text: 'a' } }] },
  { text: ['Do', 'ne.'] },
];
const SEEN = [
  'user: Begin.',
  'reasoning: Hmm.',
  'assistant: Let me see. echo{"text":"a"}',
  'tool: a',
  'assistant: Done.',
];

describe('toAGUIStream, read by HttpAgent', () => {
  it('has thoughts, texts, calls and results, with the ids of the session, and the use at the end', async () => {
    const { agent, say, host, session } = await talking(script, { tools: [echoTool()] });

    const { result } = await say('Begin.');

    expect(linesOf(agent.messages)).toEqual(SEEN);
    const replies = session.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
    expect(agent.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id)).toEqual(replies);
    expect(result).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(host.told.at(-1)).toMatchObject({ type: 'RUN_FINISHED', usage: [{ totalTokens: expect.any(Number) }] });
  });

  it('is the whole conversation for a page that is loaded again, the last run from its log', async () => {
    const more: Script = [...(script as readonly object[]), { text: 'Two.' }];
    const { say, host, session } = await talking(more, { tools: [echoTool()] });
    await say('Begin.');
    await say('And?');

    const page = new HttpAgent({ url: host.url, threadId: session.sessionId });
    await page.runAgent();

    const withoutThoughts = SEEN.filter((line) => !line.startsWith('reasoning'));
    expect(linesOf(page.messages)).toEqual([...withoutThoughts, 'user: And?', 'assistant: Two.']);
  });

  it.each([
    ['allows', { approved: true }, ['p1 5'], 'Paid.'],
    ['refuses', { approved: false, message: 'Too much.' }, [], expect.stringContaining('Too much.')],
  ])(
    'waits with an interrupt for a person, who %s in the resume of the next run',
    async (_how, payload, effects, output) => {
      const { pay, paid } = payTool();
      const { agent, say } = await talking(paying, { tools: [pay], canUseTool: later });
      await say('Pay.');
      const [interrupt] = agent.pendingInterrupts as [Interrupt];
      const before = [...paid];

      await agent.runAgent({ resume: [{ interruptId: interrupt.id, status: 'resolved', payload }] });

      expect(before).toEqual([]);
      expect(interrupt).toMatchObject({
        id: 'p1',
        reason: 'tool_call',
        toolCallId: 'p1',
        metadata: { toolName: 'pay' },
      });
      expect(paid).toEqual(effects);
      expect(agent.pendingInterrupts).toEqual([]);
      const tool = agent.messages.find(({ role }) => role === 'tool');
      expect(tool?.content).toEqual(output);
      expect(linesOf(agent.messages).at(-1)).toBe('assistant: Goodbye.');
    },
  );

  it('tells subagents as such, around what they do', async () => {
    const parts = {
      main: [{ toolCalls: [task('helper', 't')] }, { text: 'Done.' }],
      helper: [{ text: 'Hm.', toolCalls: [{ id: 'c', name: 'echo', input: { text: 'a' } }] }, { text: 'Helped.' }],
    };
    const { agent, say, host } = await talking(cast(parts), {
      tools: [echoTool()],
      agents: agentsNamed('helper'),
      allowedTools: ['Task', 'echo'],
    });

    await say('Begin.');

    expect(linesOf(agent.messages).slice(2)).toEqual([
      'tool: Helped.', // the client keeps a result behind its call
      't/user: Work, helper.',
      't/assistant: Hm. echo{"text":"a"}',
      't/tool: a',
      't/assistant: Helped.',
      'assistant: Done.',
    ]);
    const about = host.told.filter(({ type }) => type.startsWith('SUBAGENT'));
    expect(about).toMatchObject([
      { type: 'SUBAGENT_STARTED', subagentRunId: 't', name: 'helper', parentToolCallId: 't' },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 't', outcome: { type: 'success' } },
    ]);
  });

  it('ends with the error of a run, and as cancelled when it was aborted', async () => {
    const failing = await talking([{ error: new Error('The line is down') }], { retryBudgetMs: 0 });
    await failing.say('Begin.').catch(() => undefined);
    expect(failing.host.told.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining('The line is down'),
    });
    await close?.();

    const aborted = await talking([{ text: 'I think', hangs: true }]);
    const running = aborted.say('Begin.');
    while (!aborted.host.told.some(({ type }) => type === 'TEXT_MESSAGE_CONTENT')) await new Promise(setImmediate);
    aborted.session.abort();
    await running;
    expect(aborted.host.told.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(linesOf(aborted.agent.messages)).toContain('assistant: I think');
  });
});
