import type { RunContext, RunRecord } from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../test/call-tool.ts';
import { todoWriteTool } from './todo-write.ts';

/** What the tool answers, and what it has written into the journal. */
async function wrote(input: unknown) {
  const records: RunRecord[] = [];
  const journal = { write: async (...written: RunRecord[]) => void records.push(...written) };
  const tool = todoWriteTool();
  const context = { ...contextOf(memoryWorkspace()), run: { journal } as unknown as RunContext }; // safe: it only writes
  const { value } = await collect(tool.execute(tool.inputSchema.parse(input), context));
  return { ...value, records };
}

describe('TodoWrite', () => {
  it('keeps the list as the note todos, and answers with it', async () => {
    const todos = [
      { content: 'look', status: 'completed' },
      { content: 'mend', status: 'in_progress' },
      { content: 'test', status: 'pending' },
    ];

    const { output, records } = await wrote({ todos });

    expect(output).toBe('[x] look\n[>] mend\n[ ] test');
    expect(records).toEqual([{ type: 'note', name: 'todos', data: todos }]);
  });

  it('empties the list', async () => {
    expect(await wrote({ todos: [] })).toMatchObject({ output: 'The list is empty.', records: [{ data: [] }] });
  });

  it('leaves the list as it was when a task is too long', async () => {
    const { isError, records } = await wrote({ todos: [{ content: 'x'.repeat(501), status: 'pending' }] });

    expect([isError, records]).toEqual([true, []]);
  });

  it.each([
    [{}, 'todos is required'],
    [{ todos: 'a' }, 'todos must be a list of at most 100'],
    [{ todos: Array.from({ length: 101 }, () => ({ content: 'a', status: 'pending' })) }, 'a list of at most 100'],
    [{ todos: ['a'] }, 'todos.0 must be an object'],
    [{ todos: [{ content: 'a' }] }, 'todos.0.status is required'],
    [{ todos: [{ content: 'a', status: 'done' }] }, 'todos.0.status must be one of pending, in_progress, completed'],
    [{ todos: [{ content: 'a', status: 'pending', id: 1 }] }, 'todos.0.id is not known; known are content, status'],
  ])('refuses %j', async (input, message) => {
    await expect(wrote(input)).rejects.toThrow(message);
  });
});
