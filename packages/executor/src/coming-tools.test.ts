import type { Tool } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

/** Runs three turns, each with the tools of that turn; the names that the model was offered. */
async function offeredIn(lists: readonly (readonly Tool[])[], options: Parameters<typeof runOptions>[1] = {}) {
  let turn = 0;
  const { options: made, model } = runOptions(
    () => {
      turn += 1;
      return turn < lists.length ? calls('echo') : { text: 'Done.' };
    },
    { tools: [echo()], ...options },
  );
  await collect(runAgent({ ...made, comingTools: () => lists[turn]! }));
  return { names: model.requests.map(({ tools }) => tools.map(({ name }) => name).join(' ')), model };
}
const [a, b, c] = ['a', 'b', 'c'].map((name) => toolNamed(name, async () => name)) as [Tool, Tool, Tool];

describe('tools that come and go during a run', () => {
  it('are offered from the next model call on, in their order', async () => {
    const { names } = await offeredIn([[b], [a, b], [a, c]]);

    expect(names).toEqual(['echo b', 'echo a b', 'echo a c']);
  });

  it('leave the list the same object while nothing has changed', async () => {
    const same = [a, b];
    const { model } = await offeredIn([same, same, same]);

    expect(new Set(model.requests.map(({ tools }) => tools)).size).toBe(1);
  });

  it('stay out when a handler has taken them out, and when another tool has their name', async () => {
    const without = {
      name: 'without-b',
      beforeAgent(config: { tools: readonly { readonly tool: Tool }[] }) {
        config.tools = config.tools.filter(({ tool }) => tool.name !== 'b');
      },
    };
    const { names } = await offeredIn([[a, b], [b, c], [toolNamed('echo', async () => 'other')]], {
      handlers: [without],
    });

    expect(names).toEqual(['echo a', 'echo c', 'echo']);
  });

  it('are replaced by their newer version', async () => {
    const newer = toolNamed('a', async () => 'newer');
    const { model } = await offeredIn([[a], [newer], [newer]]);

    expect(model.requests[1]!.tools.at(-1)).toBe(newer);
  });
});
