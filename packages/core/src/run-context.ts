import type { AgentEvent } from './event.ts';
import type { Journal } from './journal.ts';

/** The ids, the signal and the journal of one run. Handlers keep per-run state in a WeakMap with it as the key. */
export interface RunContext {
  readonly sessionId: string;
  readonly runId: string;
  readonly agentName: string;
  /** The user message that started this run; subagents inherit it. */
  readonly messageId: string;
  /** 0 for the session's own agent, 1 for its subagents, and so on. */
  readonly depth: number;
  /** The run that this one belongs to, and its call that started this one; absent at depth 0. */
  readonly parent?: { readonly run: RunContext; readonly callId: string };
  readonly signal: AbortSignal;
  readonly journal: Journal;
  /** For rewriters: the loop yields the event after they return. A wrap yields it directly. */
  emit(event: AgentEvent): void;
}
