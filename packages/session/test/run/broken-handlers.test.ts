import type { AgentHandler, AssistantMessage, Message, UserMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore, resumeSession } from '../../src/index.ts';
import { echoTool, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

const call = { toolCalls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] };

/** The history, with another last message. */
const leaving = (change: (reply: AssistantMessage) => object): AgentHandler => ({
  name: 'odd',
  // safe: what is wrong with it is the question
  afterModelRewriteHistory: (messages) => [
    ...messages.slice(0, -1),
    change(messages.at(-1) as AssistantMessage) as Message,
  ],
});
const returning = (change: (reply: AssistantMessage) => object): AgentHandler => ({
  name: 'odd',
  async *wrapModelCall(request, next) {
    return change(yield* next(request)) as AssistantMessage; // safe: what is wrong with it is the question
  },
});
const saying = (content: readonly unknown[], more: object = {}) =>
  ({ id: 'u', createdAt: '', role: 'user', content, ...more }) as UserMessage; // safe: what is wrong with it is the question
const withCall = (reply: AssistantMessage, use: object) => ({ ...reply, content: [{ type: 'tool_use', ...use }] });

describe('a handler that leaves a message that no log can keep', () => {
  it.each<[string, AgentHandler, string]>([
    ['a reply without usage', leaving(({ usage: _, ...rest }) => rest), 'it lacks usage.inputTokens, a number'],
    ['a reply without an id', leaving(({ id: _, ...rest }) => rest), 'it lacks id, a text'],
    [
      'a call without an id',
      leaving((reply) => withCall(reply, { name: 'echo' })),
      'content[0] lacks id or name, texts',
    ],
    ['a text for its content', leaving((reply) => ({ ...reply, content: 'Hi.' })), 'its content is a list of blocks'],
    ['no model', returning(({ model: _, ...rest }) => rest), 'it lacks model, a text'],
    ['an empty block', returning((reply) => ({ ...reply, content: [null] })), 'content[0] lacks type, a text'],
    ['a block of nothing', { name: 'odd', beforeUserMessage: () => saying([null]) }, 'return a whole user message'],
    ['an unknown block', { name: 'odd', beforeUserMessage: () => saying([{ type: 'odd' }]) }, 'a whole user message'],
    ['no time', { name: 'odd', afterAgent: () => [saying([], { createdAt: undefined })] }, 'of whole user messages'],
    [
      'a bare text',
      { name: 'odd', beforeAgent: (config) => ({ ...config, input: [saying(['Hi.'])] }) },
      'user messages as input',
    ],
  ])('fails its run, and the session goes on elsewhere without it: %s', async (_name, handler, fault) => {
    const store = memoryStore();
    const script = [call, { text: 'Done.' }];
    const { session } = await scriptedSession(script, { store, tools: [echoTool()], handlers: [handler] });
    const { provider } = scriptedProvider([{ text: 'Here I am.' }]);

    const result = resultOf(await say(session, 'Begin.'));
    await session.close();
    const again = await resumeSession({ provider, model: 'm', store, sessionId: session.sessionId });
    const next = resultOf(await say(again, 'Are you there?'));
    await again.close();

    expect(result).toMatchObject({ subtype: 'error', code: 'HANDLER_ERROR', error: expect.stringContaining(fault) });
    expect(next).toMatchObject({ subtype: 'success', content: 'Here I am.' });
  });
});
