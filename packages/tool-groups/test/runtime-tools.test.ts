import { toFunctionDefinition } from '@x/registry';
import { runtimeTools } from '@x/tools';
import { describe, expect, it } from 'vitest';
import { BUILTIN_TOOL_GROUPS, Runtime } from '../src/index.ts';

describe('Runtime without tools', () => {
  it('describes the built-in tools word for word as those of @x/tools describe themselves', async () => {
    const [bare, equipped] = [new Runtime(), new Runtime({ tools: runtimeTools() })];
    await Promise.all([bare.init(), equipped.init()]);
    const ids = Object.keys(BUILTIN_TOOL_GROUPS);

    const known = bare.toolGroupManager.getToolDefinitions(ids);

    expect(known).toEqual(equipped.toolGroupManager.getToolDefinitions(ids));
    expect(known).toEqual(expect.arrayContaining(runtimeTools().map(toFunctionDefinition)));
  });
});
