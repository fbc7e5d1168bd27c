import type { Schema } from '@x/json-schema';
import type { AgentEvent } from './event.ts';
import type { RunRecord } from './journal.ts';
import type { RunContext } from './run-context.ts';
import type { ToolEffect, ToolKind, ToolResult, ToolSubject } from './tool-result.ts';
import type { Workspace } from './workspace.ts';

/** Yields progress, returns the result. The only form of a running tool. */
export type ToolStream = AsyncGenerator<AgentEvent, ToolResult, void>;
/** A tool in the form that the loop needs; created by `defineTool` and the other adapters. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema<Input>;
  readonly kind: ToolKind;
  readonly effect: ToolEffect;
  /** True when it may run at the same time as other calls of the same reply. Default: `kind === 'readonly'`. */
  readonly parallelSafe: boolean;
  /** True when the tool yields output while it runs. */
  readonly streaming: boolean;
  /** Replaces the built-in tool of the same name in a session. */
  readonly replace?: true;
  /**
   * Of a tool that the service of the model defines itself and the host executes: the display that it acts on, in pixels. Only a model that
   * `usesComputer` takes it. Calls of one reply are a sequence: after one that failed, the later ones are not run.
   */
  readonly computer?: DisplaySize;
  subject?(input: Input): ToolSubject | undefined;
  /** The reason why a person must be asked about this call, in every mode of the permissions; undefined: none. */
  asks?(input: Input): string | undefined;
  execute(input: Input, context: ToolContext): ToolStream;
}
/** The size of a display in pixels, each a whole number from 1. */
export interface DisplaySize {
  readonly width: number;
  readonly height: number;
}
/** The context of a running tool. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  /** `<sessionId>:<callId>`; the same when the call is repeated after a crash. */
  readonly idempotencyKey: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** For tools that keep notes or start runs. */
  readonly run: RunContext;
}
/** The specified name of `ToolContext`. */
export type ToolExecutionContext = ToolContext;
/** One tool call of the model. Handlers pass on changed copies. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The parsed input from the model. A handler that changes `input` leaves it, so that the change is visible. */
  readonly requested?: unknown;
  /** Absent when the model asked for a tool that does not exist. */
  readonly tool: Tool | undefined;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** The decision of the hooks; rules of the host still come after it. */
  readonly approval?: 'allow' | 'ask';
  /** Recorded in one step with the start of the call, before it. A handler that answers instead of the tool drops them. */
  readonly records?: readonly RunRecord[];
}
