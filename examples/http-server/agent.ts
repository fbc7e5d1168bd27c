import { defineTool, objectSchema } from '@x/agent-sdk';
import type { ProfileOptions } from '@x/agent-sdk/http/sessions';
import type { Question, Reply, Service } from 'fake-provider';

/** The profile of an agent that orders, and asks before it does; whoever makes a session of it chooses nothing else. */
export function orderAgent({ provider, model }: Omit<Service, 'stop'>): ProfileOptions {
  const order = defineTool({
    name: 'order',
    description: 'Orders items of one kind.',
    kind: 'execute',
    inputSchema: objectSchema({
      item: { type: 'string', description: 'What to order.' },
      count: { type: 'integer', description: 'How many.' },
    }),
    execute: async ({ item, count }) => `${count} of ${item} are ordered.`,
  });
  return { provider, model, tools: [order], allowedTools: ['order'], alwaysAsk: ['order'], askPolicy: 'wait' };
}

/** Lines of the scripted model. */
export function script({ answers: [answer] }: Question): Reply {
  if (answer !== undefined) return { say: `Of the order: ${answer}` };
  return { say: 'I order twenty.', calls: [{ name: 'order', input: { item: 'lamp', count: 20 } }] };
}
