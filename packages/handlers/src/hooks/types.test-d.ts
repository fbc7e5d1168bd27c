import { describe, expectTypeOf, it } from 'vitest';
import type {
  CommandHook,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookEvent,
  HookInput,
  HookOutput,
} from './types.ts';

describe('HookConfig', () => {
  it('takes the documented example as it stands', () => {
    const config = {
      enabled: true,
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'command',
              command: './scripts/validate-bash.sh',
              timeout: 10,
            },
          ],
        },
      ],
    } satisfies HookConfig;

    expectTypeOf(config).toExtend<HookConfig>();
    expectTypeOf<HookConfig['failureBehavior']>().toEqualTypeOf<'ignore' | 'error' | 'deny' | 'ask' | undefined>();
  });

  it('tells a function which input it gets by where it stands', () => {
    const config: HookConfig = {
      PreToolUse: [
        {
          hooks: [
            async (input, { signal }) => {
              expectTypeOf(input).toEqualTypeOf<HookInput<'PreToolUse'>>();
              expectTypeOf(input.tool_name).toEqualTypeOf<string>();
              expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
              return { permissionDecision: 'deny', permissionDecisionReason: input.tool_name };
            },
          ],
        },
      ],
      Stop: [{ hooks: [async ({ stop_hook_active }) => ({ continue: !stop_hook_active, continueReason: 'more' })] }],
      Notification: [{ hooks: [async () => undefined] }],
      SubagentStop: [{ hooks: [async ({ success }) => (success ? {} : { decision: 'block', reason: 'again' })] }],
      SessionStart: [{ matcher: 'resume', hooks: [async ({ source }) => ({ env: { SOURCE: source } })] }],
      TaskCompleted: [{ hooks: [async () => ({ action: 'abort', reason: 'not yet' })] }],
    };

    expectTypeOf(config.PreToolUse).toEqualTypeOf<readonly HookCallbackMatcher<'PreToolUse'>[] | undefined>();
  });

  it('takes a function of the general type for every event', () => {
    const hook: HookCallback = async (input: HookInput): Promise<HookOutput> =>
      input.hook_event_name === 'PreToolUse' ? { permissionDecision: 'allow' } : {};
    const command: CommandHook = { type: 'command', command: 'true' };
    const hooks = [hook, command];
    const config: HookConfig = {
      PreToolUse: [{ hooks }],
      PostToolUse: [{ hooks }],
      PostToolUseFailure: [{ hooks }],
      Notification: [{ hooks }],
      UserPromptSubmit: [{ hooks }],
      SessionStart: [{ hooks }],
      SessionEnd: [{ hooks }],
      Stop: [{ hooks }],
      SubagentStart: [{ hooks }],
      SubagentStop: [{ hooks }],
      Compaction: [{ hooks }],
      PermissionRequest: [{ hooks }],
      TaskCompleted: [{ hooks }],
    };

    expectTypeOf(config).toExtend<HookConfig>();
  });

  it('refuses an unknown event, another type of hook and a wrong decision', () => {
    // @ts-expect-error there is no such event
    const event: HookConfig = { BeforeTool: [] };
    // @ts-expect-error hooks are commands and functions
    const prompt: HookConfig = { Stop: [{ hooks: [{ type: 'prompt', prompt: 'x' }] }] };
    const decision: HookConfig = {
      // @ts-expect-error the word is 'allow'
      PreToolUse: [{ hooks: [async () => ({ permissionDecision: 'Allow' })] }],
    };

    expectTypeOf([event, prompt, decision]).toEqualTypeOf<HookConfig[]>();
  });
});

describe('HookEvent', () => {
  it('has thirteen names', () => {
    expectTypeOf<HookEvent>().toEqualTypeOf<
      | 'PreToolUse'
      | 'PostToolUse'
      | 'PostToolUseFailure'
      | 'Notification'
      | 'UserPromptSubmit'
      | 'SessionStart'
      | 'SessionEnd'
      | 'Stop'
      | 'SubagentStart'
      | 'SubagentStop'
      | 'Compaction'
      | 'PermissionRequest'
      | 'TaskCompleted'
    >();
  });
});

describe('HookInput', () => {
  it('is told apart by its event', () => {
    const read = (input: HookInput): string => {
      if (input.hook_event_name === 'PostToolUse') return input.tool_output;
      if (input.hook_event_name === 'UserPromptSubmit') return `${input.user_prompt} ${input.image_count}`;
      return input.session_id;
    };

    expectTypeOf(read).returns.toEqualTypeOf<string>();
  });
});
