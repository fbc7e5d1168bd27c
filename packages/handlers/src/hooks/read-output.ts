import { AgentError } from '@x/core';
import { clip } from './hook-json.ts';
import { checkField, checkKnown, FIELDS } from './output-fields.ts';
import type { HookEvent } from './types.ts';

/** The answer of one hook, in whichever form it was given. */
export interface HookAnswer {
  /** `deny` prevents the call, the prompt, the compaction or the end of the run that the event is about. */
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly reason?: string;
  /** The call is answered with the reason instead of being run. */
  readonly skip?: boolean;
  readonly changes?: HookChanges;
  readonly context?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The reason why the run ends. */
  readonly stop?: string;
  readonly systemMessage?: string;
  readonly quiet?: boolean;
}
/** Changed facts, for the next hook, and then the run. */
export interface HookChanges {
  readonly tool_input?: unknown;
  readonly tool_output?: string;
  readonly user_prompt?: string;
}
type Fields = ReadonlyMap<string, unknown>;

/** Maximum characters of a reason or a context; an entry of the log has a limit. */
const MAX_TEXT = 100_000;
/** Events for which `skip` means denial. */
const SKIP_DENIES: readonly HookEvent[] = ['PermissionRequest', 'UserPromptSubmit', 'Compaction'];
const CHANGES: Readonly<Partial<Record<HookEvent, readonly [keyof HookChanges, ...string[]]>>> = {
  PreToolUse: ['tool_input', 'updatedInput', 'modifiedInput'],
  PostToolUse: ['tool_output', 'updatedOutput', 'modifiedOutput'],
  UserPromptSubmit: ['user_prompt', 'updatedPrompt', 'modifiedInput'],
};

/** Reads the output of a hook; own keys only. @throws AgentError `HOOK_OUTPUT` for an unknown key, or a known one of a wrong type */
export function readOutput(event: HookEvent, output: object): HookAnswer {
  const fields = fieldsOf(output);
  const decision = decisionOf(event, fields);
  const reason = text(fields, 'permissionDecisionReason', 'continueReason', 'blockReason', 'reason');
  const context = text(fields, 'additionalContext', 'contextInjection');
  const changes = changesOf(event, fields);
  const systemMessage = text(fields, 'systemMessage');
  const env = fields.get('env') as Record<string, string> | undefined; // checked in fieldsOf
  return {
    ...(decision ? { decision } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(event === 'PreToolUse' && fields.get('action') === 'skip' ? { skip: true } : {}),
    ...(changes ? { changes } : {}),
    ...(context === undefined ? {} : { context }),
    ...(env ? { env } : {}),
    ...(fields.get('continue') === false ? { stop: text(fields, 'stopReason', 'reason') ?? 'it gave no reason' } : {}),
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(fields.get('suppressOutput') === true ? { quiet: true } : {}),
  };
}

/** The known keys of the output itself and of its `hookSpecificOutput`. */
function fieldsOf(output: object): Fields {
  const nested = ownValue(output, 'hookSpecificOutput');
  if (nested !== undefined && (typeof nested !== 'object' || nested === null || Array.isArray(nested))) {
    throw new AgentError('hookSpecificOutput must be an object', 'HOOK_OUTPUT');
  }
  const fields = new Map<string, unknown>();
  for (const source of nested === undefined ? [output] : [output, nested]) {
    checkKnown(source);
    for (const key of Object.keys(FIELDS)) {
      const value = ownValue(source, key);
      if (value === undefined) continue;
      checkField(key, value);
      if (fields.has(key) && fields.get(key) !== value) {
        throw new AgentError(`the output says two things as ${key}`, 'HOOK_OUTPUT');
      }
      fields.set(key, value);
    }
  }
  return fields;
}

function decisionOf(event: HookEvent, fields: Fields): HookAnswer['decision'] {
  const action = fields.get('action');
  const decision = fields.get('decision');
  const permission = fields.get('permissionDecision');
  const denied =
    action === 'abort' ||
    decision === 'deny' ||
    decision === 'block' ||
    permission === 'deny' ||
    (action === 'skip' && SKIP_DENIES.includes(event)) ||
    (event === 'Stop' && fields.get('continue') === true) ||
    (event === 'Compaction' && fields.get('blockCompaction') === true) ||
    (event === 'TaskCompleted' && fields.get('blockCompletion') === true);
  if (denied) return 'deny';
  if (decision === 'ask' || permission === 'ask') return 'ask';
  const approved = decision === 'approve' || decision === 'allow';
  if (event === 'PermissionRequest') return approved ? 'allow' : undefined;
  const allowed = event === 'PreToolUse' && (permission === 'allow' || approved);
  return allowed ? 'allow' : undefined;
}

function changesOf(event: HookEvent, fields: Fields): HookChanges | undefined {
  const [fact, ...keys] = CHANGES[event] ?? [];
  const key = keys.find((one) => fields.has(one));
  if (fact === undefined || key === undefined) return undefined;
  const value = fields.get(key);
  if (fact !== 'tool_input' && typeof value !== 'string') {
    throw new AgentError(`${key} must be a text`, 'HOOK_OUTPUT');
  }
  return { [fact]: value };
}

/** The texts present under these keys, one a line. */
function text(fields: Fields, ...keys: readonly string[]): string | undefined {
  const texts = keys.flatMap((key) => (fields.has(key) ? [fields.get(key) as string] : [])); // checked in fieldsOf
  return texts.length === 0 ? undefined : clip(texts.join('\n'), MAX_TEXT);
}

function ownValue(source: object, key: string): unknown {
  return Object.hasOwn(source, key) ? (source as Record<string, unknown>)[key] : undefined;
}
