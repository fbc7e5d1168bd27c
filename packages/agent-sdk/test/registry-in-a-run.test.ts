import type { Message } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createChatModelAgent, ToolExecutor } from '@x/executor';
import { ToolRegistry, type ToolRegistryOptions } from '@x/registry';
import type { Invoke } from '@x/registry/internal';
import { describe, expect, it } from 'vitest';

const metadata = (name: string) => ({
  name,
  description: `Does ${name}`,
  parameters: [{ name: 'n', type: 'number' as const, description: '', required: true }],
});
const calling = (...names: string[]) => ({
  toolCalls: names.map((name, index) => ({ id: `${name}-${index}`, name, input: { n: 2 } })),
});
const registryOf = (options: ToolRegistryOptions = {}) => {
  const registry = new ToolRegistry(options);
  registry.register(metadata('double'), async ({ n }) => ({ result: n * 2 }));
  registry.register(metadata('broken'), () => Promise.reject(new Error('no such city')));
  registry.register(metadata('switch'), async () => registry.disable('double'));
  registry.register(
    metadata('wait'),
    (_, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  );
  return registry;
};

describe('the tools of a registry in a run', () => {
  it('answer the model with their values, and with what was wrong', async () => {
    const { answers, offered } = await ran(registryOf(), calling('double', 'broken', 'missing'));

    expect(offered).toEqual(['double', 'broken', 'switch', 'wait']);
    expect(answers).toEqual(['{"result":4}', 'Tool execution failed: broken: no such city', 'Tool not found: missing']);
  });

  it('are refused as soon as they are disabled, in the same reply', async () => {
    const { answers } = await ran(registryOf(), calling('double', 'switch', 'double'));

    expect(answers).toEqual(['{"result":4}', '', 'Tool is disabled: double']);
  });

  it('run through a ToolExecutor, as execute does', async () => {
    const executor = new ToolExecutor();
    const invoke: Invoke = (implementation, parameters, call) =>
      executor.execute(implementation, parameters, { ...call, timeout: call.tool === 'wait' ? 5 : 30_000 });
    const registry = registryOf({ invoke });

    const { answers } = await ran(registry, calling('double', 'wait'));

    expect(answers).toEqual(['{"result":4}', 'Execution timeout after 5ms']);
    expect(await registry.execute('double', { n: 3 })).toEqual({ result: 6 });
    await expect(registry.execute('wait', { n: 3 })).rejects.toMatchObject({ code: 'TIMEOUT', statusCode: 408 });
  });

  it('take the options of one call over those of the registry', async () => {
    const executor = new ToolExecutor();
    const attempts: unknown[] = [];
    const registry = new ToolRegistry({ invoke: executor.invoke });
    registry.register(metadata('flaky'), async (_, { attempt, idempotencyKey } = {}) => {
      attempts.push([attempt, idempotencyKey]);
      if (attempt === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      return 'done';
    });
    const parameters = { n: 1 };

    await expect(registry.execute('flaky', parameters)).rejects.toMatchObject({ code: 'TOOL_EXECUTION_ERROR' });
    const value = await registry.execute('flaky', parameters, {
      idempotencyKey: 'key',
      invoke: (implementation, given, call) =>
        executor.execute(implementation, given, { ...call, retry: 1, retryDelay: 0 }),
    });

    expect(value).toBe('done');
    expect(attempts.slice(1)).toEqual([
      [1, 'key'],
      [2, 'key'],
    ]);
  });
});

async function ran(registry: ToolRegistry, reply: ReturnType<typeof calling>) {
  const model = scriptedModel([reply, { text: 'Done.' }]);
  const agent = createChatModelAgent({ name: 'agent', description: 'Helps.', model, tools: registry.tools() });
  const { messages } = await agent.run('Go.');
  const offered = model.requests[0]?.tools.map(({ name }) => name);
  return { offered, answers: messages.flatMap(answersOf) };
}

function answersOf(message: Message): string[] {
  return message.role === 'tool' ? message.content.map(({ output }) => output) : [];
}
