import { objectSchema } from '@x/core';
import type { ModelInfo } from '@x/models';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentDefinition,
  type CanUseTool,
  deleteSession,
  type exportSession,
  type ForkOptions,
  type ForkSessionOptions,
  forkSession,
  type HookCallback,
  type HookConfig,
  type HookInput,
  type HookOutput,
  type ISession,
  type importSession,
  type ListOptions,
  listSessions,
  type OutputFormat,
  type PermissionMode,
  type PermissionResult,
  type PromptResult,
  prompt,
  type ResumeOptions,
  type SessionOptions,
  type SessionPage,
  type SessionSummary,
  type SlashCommand,
} from '../index.ts';
import type { StoreOptions } from '../internal.ts';

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

describe('OutputFormat', () => {
  const schema = z.object({
    summary: z.string(),
    confidence: z.number().min(0).max(1),
    n: z.string().transform(Number),
  });
  interface Analysis {
    summary: string;
    confidence: number;
    n: number;
  }

  it('takes the documented option in place', () => {
    const options: SessionOptions = {
      provider,
      model: 'gpt-4o-mini',
      outputFormat: { type: 'json_schema', schema, name: 'AnalysisResult', strict: true },
    };
    type Documented = { type: 'json_schema'; schema: z.ZodType; name?: string; strict?: boolean };

    expectTypeOf(options.outputFormat).toEqualTypeOf<OutputFormat | undefined>();
    expectTypeOf<Documented>().toExtend<OutputFormat>();
  });

  it('gives the answer of prompt the type that its schema returns', () => {
    const inPlace = () => prompt('x', { provider, model: 'm', outputFormat: { type: 'json_schema', schema } });
    const format = { type: 'json_schema', schema: objectSchema({ a: { type: 'string', description: 'A.' } }) } as const;
    const before = () => prompt('x', { provider, model: 'm', outputFormat: format });

    expectTypeOf<Awaited<ReturnType<typeof inPlace>>['structured']>().toEqualTypeOf<Analysis>();
    expectTypeOf<Awaited<ReturnType<typeof inPlace>>>().toExtend<PromptResult>();
    expectTypeOf<Awaited<ReturnType<typeof before>>['structured']['a']>().toBeString();
  });

  it('leaves it open where the options do not say', () => {
    const options: SessionOptions = { provider, model: 'm' };
    const open = () => prompt('x', options);
    const none = () => prompt('x', { provider, model: 'm' });

    expectTypeOf<Awaited<ReturnType<typeof open>>>().toEqualTypeOf<PromptResult>();
    expectTypeOf<Awaited<ReturnType<typeof none>>['structured']>().toBeUnknown();
  });

  it('refuses what is no schema', () => {
    // @ts-expect-error a JSON Schema has no parser
    const plain: OutputFormat = { type: 'json_schema', schema: { type: 'object' } };
    // @ts-expect-error there is one type
    const odd: OutputFormat = { type: 'json', schema };

    expectTypeOf([plain, odd]).toEqualTypeOf<OutputFormat[]>();
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

describe('forkSession', () => {
  it('takes the documented options, and so does the fork of a live session', () => {
    interface Documented extends ResumeOptions {
      messageId?: string;
      copyCheckpoints?: boolean;
    }

    expectTypeOf<Documented>().toExtend<ForkOptions>();
    expectTypeOf(forkSession).toEqualTypeOf<(options: ForkOptions) => Promise<ISession>>();
    expectTypeOf<ISession['fork']>().toEqualTypeOf<(options?: ForkSessionOptions) => Promise<ISession>>();
    // @ts-expect-error the session to fork is missing
    const without: ForkOptions = { provider, model: 'm', messageId: 'x' };
    expectTypeOf(without).toEqualTypeOf<ForkOptions>();
  });
});

describe('listSessions and its neighbours', () => {
  it('have the documented types', () => {
    expectTypeOf(listSessions).parameter(0).toEqualTypeOf<ListOptions | undefined>();
    expectTypeOf<Awaited<ReturnType<typeof listSessions>>>().toEqualTypeOf<SessionPage>();
    expectTypeOf(deleteSession).toEqualTypeOf<(sessionId: string, options?: StoreOptions) => Promise<void>>();
    expectTypeOf<ReturnType<typeof exportSession>>().toExtend<AsyncIterable<string>>();
    expectTypeOf<ReturnType<typeof exportSession>>().toExtend<Parameters<typeof importSession>[0]>();
    expectTypeOf<readonly string[]>().toExtend<Parameters<typeof importSession>[0]>();
    expectTypeOf<ReturnType<typeof importSession>>().toEqualTypeOf<Promise<string>>();
    expectTypeOf<ISession['title']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<SessionSummary['metadata']>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
  });
});

describe('ISession', () => {
  it('lists commands and models', () => {
    expectTypeOf<ISession['supportedCommands']>().returns.resolves.toEqualTypeOf<SlashCommand[]>();
    expectTypeOf<ISession['supportedModels']>().returns.resolves.toEqualTypeOf<ModelInfo[]>();
    expectTypeOf<ISession['supportedModels']>().toBeCallableWith();
    expectTypeOf<SlashCommand>().toEqualTypeOf<{
      readonly name: string;
      readonly description: string;
      readonly usage?: string;
    }>();
  });
});
