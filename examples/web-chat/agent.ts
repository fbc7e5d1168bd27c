import { defineTool, objectSchema, type SessionOptions } from '@x/agent-sdk';
import type { Service } from 'fake-provider';

/** What the agent's tools do in the world outside. */
export interface World {
  /** Resolves to what is in stock. */
  stock(item: string, signal: AbortSignal): Promise<string>;
  pay(supplier: string, euros: number): Promise<string>;
}

/** An agent that may look, and has to ask a person before it pays: its run then waits, for days if need be. */
export function agentOf({ provider, model }: Omit<Service, 'stop'>, world: World): SessionOptions {
  const stock = defineTool({
    name: 'stock',
    description: 'Says how many of an item there are.',
    kind: 'readonly',
    effect: 'pure', // may be run again after a crash
    inputSchema: objectSchema({ item: { type: 'string', description: 'What to count.' } }),
    execute: ({ item }, { signal }) => world.stock(item, signal),
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Pays a supplier.',
    kind: 'execute',
    inputSchema: objectSchema({
      supplier: { type: 'string', description: 'Who is paid.' },
      euros: { type: 'integer', description: 'How much.' },
    }),
    execute: ({ supplier, euros }) => world.pay(supplier, euros),
  });
  return {
    provider,
    model,
    tools: [stock, pay],
    allowedTools: ['stock', 'pay'],
    autoApprove: ['stock'],
    alwaysAsk: ['pay'],
    askPolicy: 'wait', // nobody is at this process: what needs a person waits for one
  };
}
