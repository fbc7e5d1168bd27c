import type { AgentEvent, AgentHandler, RunEnd } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { progress, run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

/** Writes down how runs ended. */
function ends(log: unknown[], name = 'ends'): AgentHandler {
  return { name, runEnded: ({ subtype, failure }) => void log.push([name, subtype, failure]) };
}

async function* ending(
  end: 'success' | 'max_turns' | Error,
): AsyncGenerator<AgentEvent, Pick<RunEnd, 'subtype'>, void> {
  yield progress('a');
  if (end instanceof Error) throw end;
  return { subtype: end };
}

describe('Pipeline.observe', () => {
  it.each(['success', 'max_turns'] as const)('tells that the run ended with %s, once', async (subtype) => {
    const log: unknown[] = [];

    const { value } = await collect(new Pipeline([ends(log)]).observe(ending(subtype), run()));

    expect(value).toEqual({ subtype });
    expect(log).toEqual([['ends', subtype, undefined]]);
  });

  it('tells what the run has thrown, and passes it on', async () => {
    const log: unknown[] = [];
    const failure = new Error('x');

    await expect(collect(new Pipeline([ends(log)]).observe(ending(failure), run()))).rejects.toBe(failure);

    expect(log).toEqual([['ends', 'error', failure]]);
  });

  it('tells that the run was aborted when its reader leaves, after its clean-up', async () => {
    const log: unknown[] = [];
    async function* stream(): AsyncGenerator<AgentEvent, undefined, void> {
      try {
        yield progress('a');
      } finally {
        log.push('cleaned up');
      }
    }

    for await (const _ of new Pipeline([ends(log)]).observe(stream(), run())) break;

    expect(log).toEqual(['cleaned up', ['ends', 'aborted', undefined]]);
  });

  it('tells it also when the clean-up fails', async () => {
    const log: unknown[] = [];
    async function* stream(): AsyncGenerator<AgentEvent, undefined, void> {
      try {
        yield progress('a');
      } finally {
        await Promise.reject(new Error('clean-up'));
      }
    }
    const observed = new Pipeline([ends(log)]).observe(stream(), run());
    await observed.next();

    await expect(observed.return(undefined)).rejects.toThrow('clean-up');

    expect(log).toEqual([['ends', 'error', expect.any(Error)]]);
  });

  it('tells of the error of an observer', async () => {
    const log: unknown[] = [];
    const failure = new Error('observer');
    const observer: AgentHandler = { name: 'o', onEvent: () => Promise.reject(failure) };

    await expect(collect(new Pipeline([observer, ends(log)]).observe(ending('success'), run()))).rejects.toBe(failure);

    expect(log).toEqual([['ends', 'error', failure]]);
  });

  it('tells nothing of a run that nobody has begun to read', async () => {
    const log: unknown[] = [];

    await new Pipeline([ends(log)]).observe(ending('success'), run()).return({ subtype: 'success' });

    expect(log).toEqual([]);
  });
});

describe('Pipeline.runEnded', () => {
  const breaks = (name: string): AgentHandler => ({ name, runEnded: () => Promise.reject(new Error(name)) });

  it('tells every handler, then fails with the first error', async () => {
    const log: unknown[] = [];
    const pipeline = new Pipeline([breaks('first'), ends(log), breaks('second')]);

    await expect(collect(pipeline.observe(ending('success'), run()))).rejects.toThrow('first');

    expect(log).toEqual([['ends', 'success', undefined]]);
  });

  it('leaves a run that has failed its own error', async () => {
    const failure = new Error('own');

    const reading = collect(new Pipeline([breaks('other')]).observe(ending(failure), run()));

    await expect(reading).rejects.toBe(failure);
  });
});
