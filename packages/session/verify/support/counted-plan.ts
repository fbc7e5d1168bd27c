import { defineTool, objectSchema, type Tool } from '@x/core';
import type { Life } from './life.ts';
import { callsOf, type Plan, type PlannedCall } from './plan.ts';

const book: PlannedCall = (id) => ({ name: 'book', input: { item: id } });
const charge: PlannedCall = (id) => ({ name: 'charge', input: { item: id } });
const lookup: PlannedCall = (id) => ({ name: 'lookup', input: { item: id } });

/** Two runs with every effect class, parallel and in turn. */
export const countedPlan: Plan = [
  [
    [lookup, lookup, book],
    [charge, lookup, lookup],
    [book, book],
  ],
  [[charge, book]],
];

/** What the tools have done: for each call, one item for each time it has had its effect, or for each key. */
export type Effects = Map<string, string[]>;

/** A tool of each effect class; every step of one is a point of its process's life, with the effect between the two. */
export function countedTools(life: Life, effects: Effects): Tool[] {
  const inputSchema = objectSchema({ item: { type: 'string', description: 'Which one.' } });
  const note = (item: string, effect: string) => effects.set(item, [...(effects.get(item) ?? []), effect]);
  const bookTool = defineTool({
    name: 'book',
    description: 'Books an item; twice is twice.',
    inputSchema,
    execute: async ({ item }) => {
      await life.pass('before an effect');
      note(item, 'booked');
      await life.pass('after an effect');
      return `Booked ${item}.`;
    },
  });
  const chargeTool = defineTool({
    name: 'charge',
    description: 'Charges an item, once for each key.',
    effect: 'idempotent',
    inputSchema,
    execute: async ({ item }, { idempotencyKey }) => {
      await life.pass('before an effect');
      if (!effects.get(item)?.includes(idempotencyKey)) note(item, idempotencyKey);
      await life.pass('after an effect');
      return `Charged ${item}.`;
    },
  });
  const lookupTool = defineTool({
    name: 'lookup',
    description: 'Looks an item up.',
    kind: 'readonly',
    inputSchema,
    execute: async ({ item }) => {
      await life.pass('in a reading tool');
      return `${item} costs 7.`;
    },
  });
  return [bookTool, chargeTool, lookupTool];
}

/** How often each call of the plan has had its effect. */
export function countedEffects(effects: Effects): Map<string, number> {
  const acting = [...callsOf(countedPlan)].filter(([, { name }]) => name !== 'lookup');
  return new Map(acting.map(([id]) => [id, effects.get(id)?.length ?? 0]));
}
