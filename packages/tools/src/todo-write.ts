import { defineTool, objectSchema, type Tool, type ToolContext } from '@x/core';
import { failure } from './text/failure.ts';

const MAX_TODOS = 100;
const MAX_CHARACTERS = 500;
const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
const STATUSES = ['pending', 'in_progress', 'completed'] as const;

interface TodoWriteInput {
  todos: { content: string; status: (typeof STATUSES)[number] }[];
}

/** Replaces the list of tasks. The list is the note `todos` of the run and, as the input of the call, in every event and in the log. */
export function todoWriteTool(): Tool<TodoWriteInput> {
  return defineTool({
    name: 'TodoWrite',
    description:
      'Replaces your list of tasks, which people see too. Use it for work of several steps: hand in the whole list each time, ' +
      'one task in_progress, and mark a task completed as soon as it is done.',
    inputSchema: objectSchema({
      todos: {
        type: 'array',
        description: 'The whole list, in order.',
        maxItems: MAX_TODOS,
        items: {
          content: { type: 'string', description: 'The task, at most 500 characters.' },
          status: { type: 'string', description: 'How far it is.', enum: STATUSES },
        },
      },
    }),
    kind: 'readonly',
    effect: 'idempotent',
    parallelSafe: false,
    execute: writeTodos,
  });
}

async function writeTodos({ todos }: TodoWriteInput, { run }: ToolContext) {
  const long = todos.findIndex(({ content }) => content.length > MAX_CHARACTERS);
  if (long !== -1)
    return failure(`Task ${long + 1} has more than ${MAX_CHARACTERS} characters; the list stays as it was.`);
  await run.journal.write({ type: 'note', name: 'todos', data: todos });
  return todos.length === 0
    ? 'The list is empty.'
    : todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n');
}
