import type { Workspace } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { checkHooks } from './check-hooks.ts';
import { EVENTS, hookEvents } from './hook-events.ts';
import { type Matches, matcherTest } from './match.ts';
import type {
  CommandHook,
  HookBehavior,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookEvent,
  HookFacts,
  HookInput,
} from './types.ts';

type Hook = CommandHook | HookCallback;

/** The environment of hooks, and facts about the session. */
export interface HookOptions {
  /** The host's workspace, not narrowed: commands run in its directory and environment. */
  readonly workspace: Workspace;
  readonly sessionId: string;
  /** Read for each hook. */
  readonly permissionMode: () => string;
  /** Consecutive turns that Stop, TaskCompleted and SubagentStop may start in one run; default 3. */
  readonly maxForcedTurns?: number;
}
/** The hooks of a config, ready to be run. */
export interface HookSet {
  readonly workspace: Workspace;
  readonly maxForcedTurns: number;
  hooksFor<E extends HookEvent>(event: E, facts: HookFacts[E]): readonly Hook[];
  inputFor<E extends HookEvent>(event: E, facts: HookFacts[E], agent: { agentName: string; depth: number }): HookInput;
  timeoutMs(hook: Hook): number;
  /** The host's choice for hooks that do not answer. */
  behaviorOf(kind: 'timeout' | 'failure'): HookBehavior | undefined;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
const MAX_FORCED_TURNS = 3;

/** @throws ValidationError for an invalid config or option */
export function hookSet(config: HookConfig, options: HookOptions): HookSet {
  const checked = checkHooks(config);
  const { enabled = true, defaultTimeout = DEFAULT_TIMEOUT_SECONDS, timeoutBehavior, failureBehavior } = checked;
  const { workspace, sessionId, permissionMode, maxForcedTurns = MAX_FORCED_TURNS } = options;
  checkValue('maxForcedTurns', maxForcedTurns, is.count(0));
  const lists = enabled ? listsOf(checked) : new Map<HookEvent, readonly Entry[]>();
  return {
    workspace,
    maxForcedTurns,
    hooksFor(event, facts) {
      const value = matchedValue(event, facts);
      const entries = lists.get(event) ?? [];
      return entries.filter(({ matches }) => value === undefined || matches(value)).flatMap(({ hooks }) => hooks);
    },
    inputFor: (event, facts, { agentName, depth }) =>
      ({
        session_id: sessionId,
        hook_event_name: event,
        hook_execution_id: crypto.randomUUID(),
        timestamp: new Date().toISOString(),
        project_dir: workspace.cwd,
        permission_mode: permissionMode(),
        agent_name: agentName,
        agent_depth: depth,
        ...facts,
      }) as HookInput, // the compiler does not see that the name and the facts belong to one event
    timeoutMs: (hook) => 1000 * ((typeof hook === 'function' ? undefined : hook.timeout) ?? defaultTimeout),
    behaviorOf: (kind) => (kind === 'timeout' ? timeoutBehavior : failureBehavior),
  };
}

interface Entry {
  readonly matches: Matches;
  readonly hooks: readonly Hook[];
}

function listsOf(config: HookConfig): Map<HookEvent, readonly Entry[]> {
  return new Map(
    hookEvents().map((event) => {
      // Each list belongs to its own event; foldHooks joins it with its input again.
      const entries = (config[event] ?? []) as readonly HookCallbackMatcher[];
      return [event, entries.map(({ matcher, hooks }) => ({ matches: matcherTest(matcher), hooks: [...hooks] }))];
    }),
  );
}

function matchedValue<E extends HookEvent>(event: E, facts: HookFacts[E]): string | undefined {
  const { matched } = EVENTS[event];
  if (matched === undefined) return undefined;
  return (facts as Readonly<Record<string, unknown>>)[matched] as string; // a text in every event that names it
}
