import { AbortError, AgentError } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore, prompt, type SessionOptions } from '../../src/index.ts';
import { echoTool, scriptedProvider, toolNamed } from '../support/makers.ts';

/** Options whose store remembers what was made, and which owner holds it. */
function optionsFor(script: Script, more: Partial<SessionOptions> = {}) {
  const store = memoryStore();
  const { provider } = scriptedProvider(script);
  return { store, options: { provider, model: 'm', store, allowedTools: ['echo', 'slow'], ...more } };
}

describe('prompt()', () => {
  it('answers with the text, the calls, the usage, the time and the turns (S02)', async () => {
    const toolCalls = ['a', 'b'].map((text) => ({ name: 'echo', input: { text } }));
    const { options } = optionsFor([{ toolCalls }, { text: 'Done.' }], { tools: [echoTool()] });

    const answer = await prompt('Begin.', options);

    expect(answer).toEqual({
      result: 'Done.',
      toolCalls: ['a', 'b'].map((text) => ({
        name: 'echo',
        input: { text },
        output: text,
        isError: false,
        duration: expect.any(Number),
      })),
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
      duration: expect.any(Number),
      turnsCount: 2,
    });
  });

  it('lists the calls in the order of the model, whichever ended first (S02)', async () => {
    const slow = toolNamed('slow', async () => void (await new Promise((resolve) => setTimeout(resolve, 5))), {
      kind: 'readonly',
    });
    const toolCalls = [{ name: 'slow' }, { name: 'echo', input: { text: 'a' } }];
    const { options } = optionsFor([{ toolCalls }, {}], { tools: [slow, echoTool()] });

    const answer = await prompt('Begin.', options);

    expect(answer.toolCalls.map(({ name }) => name)).toEqual(['slow', 'echo']);
    expect(answer.result).toBe('');
  });

  it.each<[string, Script]>([
    ['it has an answer', [{ text: 'Done.' }]],
    ['the run has failed', [{ error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) }]],
  ])('closes its session when %s', async (_, script) => {
    let ended = 0;
    const hooks = { SessionEnd: [{ hooks: [async () => ((ended += 1), {})] }] };
    const { options } = optionsFor(script, { hooks });

    await prompt('Begin.', options).catch(() => undefined);

    expect(ended).toBe(1);
  });

  it.each<[string, z.ZodType, unknown]>([
    ['false', z.boolean(), false],
    ['0', z.number(), 0],
    ['null', z.null(), null],
    ['""', z.string(), ''],
  ])('gives a structured %s as it is', async (text, schema, structured) => {
    const { options } = optionsFor([{ text }]);

    const answer = await prompt('Begin.', { ...options, outputFormat: { type: 'json_schema', schema } });

    expect(answer).toHaveProperty('structured', structured);
  });

  it("rejects with the run's own error when the run fails (S42)", async () => {
    const error = new AgentError('overloaded', { code: 'MODEL_ERROR' });
    const { options } = optionsFor([{ text: 'Half', error }]);

    await expect(prompt('Begin.', options)).rejects.toBe(error);
  });

  it('rejects with MAX_TURNS and the partial answer when the turns are used up (S42)', async () => {
    const reply = { text: 'Still.', toolCalls: [{ name: 'echo', input: { text: 'a' } }] };
    const { options } = optionsFor(() => reply, { tools: [echoTool()], maxTurns: 2 });

    await expect(prompt('Begin.', options)).rejects.toMatchObject({
      name: 'SessionError',
      code: 'MAX_TURNS',
      details: {
        result: 'Still.',
        turnsCount: 2,
        toolCalls: [{ output: 'a' }, { output: 'a' }],
        usage: { totalTokens: 30 },
      },
    });
  });

  it('answers with the value when the form of the answer is given (S02, T04)', async () => {
    const outputFormat = { type: 'json_schema', schema: z.object({ n: z.number() }) } as const;
    const { options } = optionsFor([{ text: 'x' }, { text: '```json\n{"n":1}\n```' }]);

    const answer = await prompt('Begin.', { ...options, outputFormat });

    expect(answer).toMatchObject({ result: '{"n":1}', structured: { n: 1 }, turnsCount: 2 });
    expect(answer.structured.n).toBe(1);
    expect(await prompt('Begin.', optionsFor([{ text: '{"n":1}' }]).options)).not.toHaveProperty('structured');
  });

  it('rejects with OUTPUT_INVALID and the partial answer when no answer fits (S42)', async () => {
    const outputFormat = { type: 'json_schema', schema: z.object({ n: z.number() }) } as const;
    const { options } = optionsFor(() => ({ text: '{"n":"1"}' }));

    await expect(prompt('Begin.', { ...options, outputFormat })).rejects.toMatchObject({
      name: 'SessionError',
      code: 'OUTPUT_INVALID',
      details: {
        result: '{"n":"1"}',
        issues: [{ path: 'n', message: 'Invalid input: expected number, received string' }],
        repairs: 2,
        turnsCount: 3,
        toolCalls: [],
        usage: { totalTokens: 45 },
      },
      cause: { code: 'OUTPUT_INVALID' },
    });
  });

  it('leaves no run open and no lease held, on failure too (S02)', async () => {
    for (const script of [[{ text: 'Done.' }], [{ error: new Error('no') }]]) {
      const { options, store } = optionsFor(script);
      await prompt('Begin.', options).catch(() => undefined);

      const { sessions } = await store.list();

      expect(sessions).toHaveLength(1);
      expect(await store.acquire(sessions[0]!.sessionId, 'other', 1000)).toBeDefined();
    }
  });

  it('refuses an empty message and wrong options like a session does, and makes no session for them', async () => {
    const { options, store } = optionsFor([]);

    await expect(prompt('', options)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(prompt('x', { ...options, model: '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await store.list()).sessions).toEqual([]);
  });

  it('takes a signal: aborted before, nothing is asked; aborted later, the run ends and so does the promise', async () => {
    const { store, options } = optionsFor([{ text: 'So', hangs: true }]);
    const leaving = new AbortController();

    await expect(prompt('Begin.', { ...options, signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
    expect((await store.list()).sessions).toEqual([]);
    const asked = prompt('Begin.', { ...options, signal: leaving.signal });
    setImmediate(() => leaving.abort());

    await expect(asked).rejects.toThrow(AbortError);
    await expect(prompt('Begin.', { ...options, signal: {} as AbortSignal })).rejects.toThrow('signal must be');
  });
});
