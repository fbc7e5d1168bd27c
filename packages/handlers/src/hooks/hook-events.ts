import type { HookEvent } from './types.ts';

/** A field of a hook's input that matchers are compared with. */
export type MatchedField = 'tool_name' | 'source' | 'reason' | 'notification_type' | 'agent_type' | 'trigger';

interface EventFacts {
  /** Undefined for events that ignore matchers. */
  readonly matched: MatchedField | undefined;
  /** The event waits for the answers of its hooks; fails closed by default. */
  readonly gating: boolean;
  /** False: a denial has no effect, which is reported to the host. */
  readonly deniable: boolean;
}

/** All events with their properties. */
export const EVENTS: Readonly<Record<HookEvent, EventFacts>> = {
  PreToolUse: { matched: 'tool_name', gating: true, deniable: true },
  PostToolUse: { matched: 'tool_name', gating: false, deniable: true },
  PostToolUseFailure: { matched: 'tool_name', gating: false, deniable: true },
  Notification: { matched: 'notification_type', gating: false, deniable: false },
  UserPromptSubmit: { matched: undefined, gating: true, deniable: true },
  SessionStart: { matched: 'source', gating: false, deniable: false },
  SessionEnd: { matched: 'reason', gating: false, deniable: false },
  Stop: { matched: undefined, gating: false, deniable: true },
  SubagentStart: { matched: 'agent_type', gating: false, deniable: false },
  SubagentStop: { matched: 'agent_type', gating: false, deniable: true },
  Compaction: { matched: 'trigger', gating: false, deniable: true },
  PermissionRequest: { matched: 'tool_name', gating: true, deniable: true },
  TaskCompleted: { matched: undefined, gating: false, deniable: true },
};

/** The names, in the order of the type. */
export function hookEvents(): readonly HookEvent[] {
  return Object.keys(EVENTS) as HookEvent[]; // safe: the record has exactly these keys
}
