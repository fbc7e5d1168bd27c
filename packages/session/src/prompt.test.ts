import { AbortError, AgentError, type AgentHandler } from '@x/core';
import { describe, expect, it } from 'vitest';
import { echoTool, scriptedProvider } from '../test/support/makers.ts';
import { memoryStore, prompt } from './index.ts';

const call = { text: 'One moment.', toolCalls: [{ name: 'echo', input: { text: 'a' } }] };
function asking(handler: Partial<AgentHandler>, ...script: Parameters<typeof scriptedProvider>) {
  const { provider } = scriptedProvider(...script);
  const handlers = [{ name: 'own', ...handler }];
  const tools = [echoTool()];
  return prompt('Begin.', { provider, model: 'm', store: memoryStore(), tools, allowedTools: ['echo'], handlers });
}

describe('prompt()', () => {
  it('rejects with an AbortError when a handler ends the run', async () => {
    const asked = asking(
      {
        async *wrapToolCall() {
          throw new AbortError('enough');
        },
      },
      [call],
    );

    await expect(asked).rejects.toMatchObject({ name: 'AbortError', code: 'ABORTED' });
  });

  it('tells what was done so far where a handler of the host finds that the answer does not fit', async () => {
    const asked = asking(
      {
        afterAgent() {
          throw new AgentError('not so', { code: 'OUTPUT_INVALID' });
        },
      },
      [call, { text: 'Half.' }],
    );

    await expect(asked).rejects.toMatchObject({
      name: 'SessionError',
      code: 'OUTPUT_INVALID',
      message: 'not so',
      details: { result: '', toolCalls: [{ name: 'echo', output: 'a' }], turnsCount: 2, usage: { totalTokens: 30 } },
    });
  });
});
