import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentEvent,
  defineTool,
  type Message,
  objectSchema,
  type RunContext,
  type ToolCall,
  type ToolKind,
} from '@x/core';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import { type CheckpointHandlerOptions, checkpointHandler } from '../src/index.ts';
import { picture } from './picture.ts';
import { opened, place } from './support.ts';

function run(depth = 0) {
  const events: AgentEvent[] = [];
  const notes: unknown[] = [];
  const journal = { write: async (...records: unknown[]) => void notes.push(...records) };
  const context = { depth, messageId: 'm1', journal, emit: (event: AgentEvent) => void events.push(event) };
  return { events, notes, run: context as unknown as RunContext }; // safe: what the handler asks of it
}

/** A handler over a directory, and the call of a tool that writes a file by itself. */
async function handled(options: Partial<CheckpointHandlerOptions> = {}, kind: ToolKind = 'write') {
  const { root, file } = place();
  const checkpointer = await opened({ root, file });
  const handler = checkpointHandler({ checkpointer, ...options });
  const tool = defineTool({
    name: 'own',
    description: 'Writes.',
    kind,
    inputSchema: objectSchema({}),
    execute: async () => '',
  });
  const call = async (id: string, name: string, depth = 0) => {
    const { signal } = new AbortController();
    const made = { id, name: 'own', input: {}, tool, workspace: hostWorkspace({ cwd: root }), signal } as ToolCall;
    const next = async function* () {
      writeFileSync(join(root, name), 'agent');
      return { output: '', isError: false };
    };
    await Array.fromAsync(handler.wrapToolCall!(made, next, run(depth).run));
  };
  return { root, checkpointer, handler, call };
}

describe('checkpointHandler', () => {
  it('opens a checkpoint at each message of the run itself, and records calls of subagents too', async () => {
    const { root, checkpointer, handler, call } = await handled();
    await handler.beforeAgent!({} as never, run().run);
    await call('c1', 'a');
    const { notes, run: second } = run();
    await handler.onEvent!({ type: 'user_message', messageId: 'm2', content: '' }, second);
    const message = { id: 'r1', createdAt: '', role: 'assistant', content: [] };
    await handler.onEvent!({ type: 'message', message: { ...message, id: 't1', role: 'tool' } as Message }, second);
    await handler.onEvent!({ type: 'message', message: message as unknown as Message }, second);
    await handler.onEvent!({ type: 'content', delta: '' }, second);
    expect(notes).toEqual(['m2', 'r1'].map((data) => ({ type: 'note', name: 'checkpoint', data })));
    await handler.onEvent!({ type: 'user_message', messageId: 'of a subagent', content: '' }, run(1).run);
    await call('c2', 'b', 1);

    expect(await checkpointer.rewind('of a subagent')).toMatchObject({ success: false });
    await checkpointer.rewind('m2');
    expect(Object.keys(picture(root))).toEqual(['a']);
    await checkpointer.rewind('m1');
    expect(picture(root)).toEqual({});
  });

  it('looks at no call of a readonly tool, and only through the workspace where that is said', async () => {
    for (const one of [await handled({}, 'readonly'), await handled({ isThroughWorkspace: () => true })]) {
      await one.handler.beforeAgent!({} as never, run().run);
      await one.call('c1', 'a');
      expect(await one.checkpointer.statistics()).toMatchObject({ trackedFileCount: 0 });
    }
  });

  it('tells of a checkpoint that cannot be opened, and fails a run without any', async () => {
    const { handler, checkpointer } = await handled();
    await checkpointer.close();
    const { events, run: context } = run();
    await handler.beforeAgent!({} as never, context);
    const failing = checkpointHandler({ checkpointer: () => Promise.reject(new Error('no room')) });

    expect(events).toMatchObject([{ type: 'notification', kind: 'checkpoint_failed' }]);
    await expect(failing.beforeAgent!({} as never, context)).rejects.toThrow('no room');
    await expect(failing.beforeAgent!({} as never, run(1).run)).resolves.toBe(undefined);
  });
});
