import { AbortError, type AgentEvent, type ToolResult } from '@x/core';
import { describe, expect, it } from 'vitest';
import { relayed } from './relayed.ts';

const event = (delta: string): AgentEvent => ({ type: 'tool_progress', id: 'c', delta });
const result: ToolResult = { output: 'done', isError: false };

describe('relayed', () => {
  it('hands on each event when it is asked for, then the result', async () => {
    const read: string[] = [];
    const stream = relayed(async (tell) => {
      for (const delta of ['a', 'b']) {
        await tell(event(delta));
        read.push(delta);
      }
      return result;
    });

    expect(await stream.next()).toEqual({ done: false, value: event('a') });
    expect(read).toEqual([]);
    expect(await stream.next()).toEqual({ done: false, value: event('b') });
    expect(await stream.next()).toEqual({ done: true, value: result });
    expect(read).toEqual(['a', 'b']);
  });

  it('refuses events once the reader has left, so that nobody waits for one', async () => {
    const errors: unknown[] = [];
    const stream = relayed(async (tell) => {
      for (const delta of ['a', 'b', 'c']) await tell(event(delta)).catch((error: unknown) => errors.push(error));
      return result;
    });

    await stream.next();
    await stream.return(result);

    expect(errors).toEqual([expect.any(AbortError), expect.any(AbortError), expect.any(AbortError)]);
  });
});
