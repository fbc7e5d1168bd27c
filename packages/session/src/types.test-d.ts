import { describe, expectTypeOf, it } from 'vitest';
import type {
  AgentDefinition,
  CanUseTool,
  HookCallback,
  HookConfig,
  HookInput,
  HookOutput,
  PermissionMode,
  PermissionResult,
  SessionOptions,
} from './index.ts';

const provider = { type: 'openai-compatible', apiKey: 'xxx' } as const;

describe('SessionOptions', () => {
  it('takes canUseTool in place, and gives its parameters their types', () => {
    const options: SessionOptions = {
      provider,
      model: 'gpt-4o-mini',
      canUseTool: async (toolName, input, given) => {
        expectTypeOf(toolName).toEqualTypeOf<string>();
        expectTypeOf(input).toBeUnknown();
        expectTypeOf(given.signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(given.toolKind).toEqualTypeOf<'readonly' | 'write' | 'execute' | undefined>();
        if (given.toolKind === 'readonly') return { behavior: 'allow' };
        const { command } = input as { command?: string };
        if (toolName === 'Bash' && command?.includes('rm -rf')) {
          return { behavior: 'deny', message: 'A dangerous command was stopped' };
        }
        return { behavior: 'ask' };
      },
    };

    expectTypeOf(options).toExtend<SessionOptions>();
  });

  it('takes hooks in place', () => {
    const options: SessionOptions = {
      provider,
      model: 'gpt-4o-mini',
      hooks: {
        enabled: true,
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: './scripts/validate-bash.sh', timeout: 10 }] },
        ],
      },
    };

    expectTypeOf(options.hooks).toEqualTypeOf<HookConfig | undefined>();
  });

  it('takes agents that were defined before', () => {
    const searchAgent: AgentDefinition = {
      name: 'search',
      description: 'Searches the code base',
      systemPrompt: 'You are an expert in searching code',
      tools: ['Read', 'Grep', 'Glob'],
    };
    const options: SessionOptions = { provider, model: 'gpt-4o-mini', agents: [searchAgent] };

    expectTypeOf(options.agents).toEqualTypeOf<readonly AgentDefinition[] | undefined>();
  });

  it('refuses what is no permission, no mode and no agent', () => {
    const base = { provider, model: 'm' };
    // @ts-expect-error the word is 'allow'
    const permission: SessionOptions = { ...base, canUseTool: async () => ({ behavior: 'yes' }) };
    // @ts-expect-error there is no such mode
    const mode: SessionOptions = { ...base, permissionMode: 'auto' };
    // @ts-expect-error an agent says what it is for
    const agent: SessionOptions = { ...base, agents: [{ name: 'search' }] };

    expectTypeOf([permission, mode, agent]).toEqualTypeOf<SessionOptions[]>();
  });
});

describe('CanUseTool', () => {
  it('is the documented type: a function of that shape is one', () => {
    type Documented = (
      toolName: string,
      input: unknown,
      options: { signal: AbortSignal; toolKind?: 'readonly' | 'write' | 'execute' },
    ) => Promise<{ behavior: 'allow' } | { behavior: 'deny'; message: string } | { behavior: 'ask' }>;

    expectTypeOf<Documented>().toExtend<CanUseTool>();
    expectTypeOf<ReturnType<CanUseTool>>().toEqualTypeOf<Promise<PermissionResult>>();
  });
});

describe('PermissionMode', () => {
  it('has the documented names', () => {
    expectTypeOf<PermissionMode>().toEqualTypeOf<'default' | 'acceptEdits' | 'bypassPermissions' | 'plan'>();
  });
});

describe('HookCallback', () => {
  it('is the documented type: a function of that shape is one', () => {
    type Documented = (input: HookInput, options: { signal: AbortSignal }) => Promise<HookOutput>;

    expectTypeOf<Documented>().toExtend<HookCallback>();
  });
});
