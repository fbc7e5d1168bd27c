// An agent without a session, a service or a key: a model of our own, a handler with state and a middleware.
import { type AgentMiddleware, createChatModelAgent, defineTool, objectSchema } from '@x/agent-sdk';
import { arithmeticModel } from './arithmetic-model.ts';
import { Remembering } from './remembering.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  kind: 'readonly',
  inputSchema: objectSchema({
    a: { type: 'number', description: 'The first number.' },
    b: { type: 'number', description: 'The second number.' },
  }),
  execute: async ({ a, b }) => `${a} + ${b} = ${a + b}.`,
});

const emphatic: AgentMiddleware = {
  additionalInstruction: 'Use the tool for every sum.',
  wrapToolCall: {
    invokable: (next) => async (call) => {
      const result = await next(call);
      return { ...result, output: result.output.replace(/\.$/, '!') };
    },
  },
};

const agent = createChatModelAgent({
  name: 'calculator',
  description: 'Adds numbers.',
  model: arithmeticModel,
  tools: [add],
  middlewares: [emphatic],
  handlers: [new Remembering()],
});

const { content, turns } = await agent.run('Please add 2 and 3, then add 40 and 2.');
console.log(`${content}\n(${turns} turns)\n`);

for await (const event of agent.stream('Again: add 40 and 2.')) {
  if (event.type === 'content') process.stdout.write(event.delta);
  if (event.type === 'result') console.log(`\n(${event.subtype})`);
}
