import { type AgentHandler, defineTool, type Message, textOf, userMessage } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createChatModelAgent } from './chat-model-agent.ts';

const said = (text: string): Message => structuredClone(userMessage(text));

describe('the messages that a ChatModelAgent is given', () => {
  it('stay as they are and stay the caller’s, whatever a handler does to those of the run (A47)', async () => {
    const meddler: AgentHandler = {
      name: 'meddler',
      beforeModelRewriteHistory: (messages) => {
        for (const { content } of messages) Reflect.set(content[0]!, 'text', 'CHANGED');
        return messages;
      },
    };
    const model = scriptedModel([{ text: 'Hi.' }, { text: 'Hi again.' }]);
    const agent = createChatModelAgent({ name: 'a', description: 'A.', model, handlers: [meddler] });
    const mine = [said('one')];

    const { messages } = await agent.run(mine);
    const history = [...messages.map((message) => structuredClone(message)), said('two')];
    await agent.run(history);

    expect(mine.map((message) => message.role === 'user' && textOf(message))).toEqual(['one']);
    expect(JSON.stringify(model.requests.map((request) => request.messages))).not.toContain('CHANGED');
    for (const message of [...mine, ...history]) expect(Object.isFrozen(message)).toBe(false);
  });

  it('are taken as they are when they come from a run', async () => {
    const agent = createChatModelAgent({ name: 'a', description: 'A.', model: scriptedModel(() => ({ text: 'Hi.' })) });
    const { messages } = await agent.run('one');

    const again = await agent.run([...messages, said('two')]);

    expect(again.messages[0]).toBe(messages[0]);
  });
});

describe('the input of a tool', () => {
  it('is the tool’s own to write into, also where its schema gives back what it was given; the message keeps what was asked', async () => {
    const tool = defineTool({
      name: 'sort',
      description: 'Sorts.',
      inputSchema: { json: { type: 'object' }, parse: (value) => value as { list: string[] } },
      execute: async (input) => {
        input.list.sort();
        return input.list.join();
      },
    });
    const toolCalls = [{ name: 'sort', input: { list: ['b', 'a'] } }];
    const model = scriptedModel([{ toolCalls }, { text: 'Done.' }]);

    const { messages } = await createChatModelAgent({ name: 'a', description: 'A.', model, tools: [tool] }).run('x');

    expect(messages[1]).toMatchObject({ content: [{ input: { list: ['b', 'a'] } }] });
    expect(messages[2]).toMatchObject({ content: [{ output: 'a,b', isError: false }] });
  });
});
