import type { Question, Reply } from 'fake-provider';

/** Scripts the models: the agent of the shop asks the one of the warehouse, which counts. */
export function script({ instruction, turn, answers }: Question): Reply {
  const last = answers.at(-1) ?? '';
  if (instruction.includes('warehouse')) {
    if (turn === 0) return { say: '', calls: [{ name: 'count_stock', input: { item: 'lamp' } }] };
    return { say: `There are ${last} lamps on the shelf.` };
  }
  if (turn === 0) {
    const input = { question: 'How many lamps are there?' };
    return { say: 'I will ask the warehouse. ', calls: [{ name: 'mcp__warehouse__ask-warehouse', input }] };
  }
  return { say: `The warehouse says: ${last}` };
}
