import { type AgentHandler, userMessage } from '@x/core';
import { frozen } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { configOf, run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

const message = frozen(structuredClone(userMessage('as it was')));
const change = () => void Object.assign(message.content[0]!, { text: 'changed' });

describe('Pipeline', () => {
  it.each<[keyof AgentHandler, (pipeline: Pipeline) => Promise<unknown>]>([
    ['beforeAgent', (pipeline) => pipeline.beforeAgent(configOf(), run())],
    ['beforeUserMessage', (pipeline) => pipeline.userMessage(message, run())],
    ['beforeModelRewriteHistory', (pipeline) => pipeline.beforeModel([message], run())],
    ['afterModelRewriteHistory', (pipeline) => pipeline.afterModel([message], run())],
    ['afterAgent', (pipeline) => pipeline.afterAgent([message], run())],
  ])('names the handler whose %s writes into a message', async (method, act) => {
    const pipeline = new Pipeline([{ name: 'meddler', [method]: change }]);

    await expect(act(pipeline)).rejects.toMatchObject({
      code: 'HANDLER_ERROR',
      message: expect.stringContaining(
        `${method} of handler meddler must return changed copies, since messages are fr`,
      ),
      cause: expect.any(TypeError),
    });
  });

  it('passes on any other error of a handler as it is', async () => {
    const failure = new TypeError('own');
    const pipeline = new Pipeline([{ name: 'fails', beforeModelRewriteHistory: () => Promise.reject(failure) }]);

    await expect(pipeline.beforeModel([message], run())).rejects.toBe(failure);
  });
});
