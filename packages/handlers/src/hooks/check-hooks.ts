import { present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRule, type OptionRules } from '@x/errors/option-rules';
import { EVENTS, hookEvents, type MatchedField } from './hook-events.ts';
import { checkMatched, matcherTest } from './match.ts';
import type { CommandHook, HookConfig, HookEvent } from './types.ts';

const SECONDS = is.rule('a number of seconds above 0', (value) => Number.isFinite(value) && (value as number) > 0); // safe: it is a number
const BEHAVIOR = is.oneOf('ignore', 'error', 'deny', 'ask');
const COMMAND: OptionRules<CommandHook> = {
  type: is.required(is.rule("'command'; any other hook is a function", (value) => value === 'command')),
  command: is.required(
    is.rule('a shell command', (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\0')),
  ),
  timeout: SECONDS,
};
const NESTED = is.either(is.callback, is.nested(COMMAND));
/** Checks the type first: then keys of the other kind of hook are not reported as errors. */
const HOOK: OptionRule = {
  ...NESTED,
  duty: "a function or { type: 'command', command }",
  inside(value, path) {
    // safe: it matches the rule, so it is an object
    if (typeof value !== 'function') checkValue(`${path}.type`, (value as CommandHook).type, COMMAND.type);
    NESTED.inside?.(value, path);
  },
};
const ENTRIES = is.listOf(
  is.nested<{ matcher?: string; hooks: unknown }>({
    matcher: is.checked(matcherTest),
    hooks: is.required(is.listOf(HOOK, 'a list of hooks')),
  }),
  'a list of { matcher?, hooks }',
);
// safe: these are the names of all events
const LISTS = Object.fromEntries(hookEvents().map((event) => [event, ENTRIES])) as Record<HookEvent, OptionRule>;
const HOOKS: OptionRules<HookConfig> = {
  ...LISTS,
  enabled: is.flag,
  defaultTimeout: SECONDS,
  timeoutBehavior: BEHAVIOR,
  failureBehavior: BEHAVIOR,
};

/** Checks every part of the config and returns it; `path` names the option. @throws ValidationError naming the invalid part */
export function checkHooks(config: unknown, path = 'hooks'): HookConfig {
  checkOptions(path, config, HOOKS, path);
  return config;
}

/** The values that matchers can match in a session. */
export interface MatchedValues {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  /** True when handlers may add further tools. */
  readonly open: boolean;
  /** True for a matcher that may match tools which come later. @throws ValidationError for one that names none of them */
  readonly comingTools?: (matcher: string, field: string) => boolean;
}

/** Values of events that are the same in every session. `notification_type` is left out, as its values are not all known. */
const FIXED: Readonly<Partial<Record<MatchedField, readonly string[]>>> = {
  source: ['startup', 'resume', 'fork'],
  reason: ['user_exit', 'error', 'other'],
  trigger: ['manual', 'auto'],
};

/** Refuses matchers that can match nothing in a session with these tools and agents. @throws ValidationError with advice */
export function checkMatchers(config: HookConfig, { tools, agents, open, comingTools }: MatchedValues): void {
  const values = { tool_name: tools, agent_type: agents, ...FIXED };
  for (const event of hookEvents()) {
    const field = EVENTS[event].matched;
    const known = field === undefined || field === 'notification_type' ? undefined : values[field];
    if (known === undefined) continue;
    for (const [index, { matcher }] of ((config[event] ?? []) as readonly { matcher?: string }[]).entries()) {
      checkMatched(matcher, `hooks.${event}[${index}].matcher`, {
        known,
        ...(field === 'tool_name' ? { open, ...present({ isMet: comingTools }) } : { open: false }),
      });
    }
  }
}
