import { ToolRegistry } from '@x/agent-sdk';

const stock = new Map([
  ['lamp', 7],
  ['desk', 2],
]);

/** The tools that are served. */
export const registry = new ToolRegistry();

registry.register(
  {
    name: 'count-stock',
    description: 'Counts how many of an item there are',
    parameters: [{ name: 'item', type: 'string', description: 'what to count', required: true }],
    tags: ['shop'],
  },
  async ({ item }) => stock.get(item) ?? 0,
);
registry.register(
  { name: 'wait-for-delivery', description: 'Waits for the van', parameters: [], tags: ['shop'] },
  async (_, context) => await new Promise((_resolve, reject) => context?.signal?.addEventListener('abort', reject)),
);
registry.register({ name: 'clear-stock', description: 'Throws everything away', parameters: [] }, async () =>
  stock.clear(),
);
registry.disable('clear-stock');
