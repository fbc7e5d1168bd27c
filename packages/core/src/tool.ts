import type { AgentEvent } from './event.ts';
import type { RunContext } from './handler.ts';
import type { ImageBlock } from './message.ts';
import type { Schema } from './schema.ts';
import type { Workspace } from './workspace.ts';

export type ToolKind = 'readonly' | 'write' | 'execute';
/** May a call be repeated? `idempotent`: yes, with the same key. Default: `readonly` is pure, the rest `non_idempotent`. */
export type ToolEffect = 'pure' | 'idempotent' | 'non_idempotent';
/** What a permission rule such as `Bash(git *)` or `Read(**\/.env)` is matched against. */
export type ToolSubject =
  | { readonly type: 'command'; readonly line: string }
  | { readonly type: 'paths'; readonly paths: readonly string[] }
  | { readonly type: 'url'; readonly url: string };
/** Yields progress, returns the result. The only shape a running tool has. */
export type ToolStream = AsyncGenerator<AgentEvent, ToolResult, void>;
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema<Input>;
  readonly kind: ToolKind;
  readonly effect: ToolEffect;
  /** May run beside other calls of the same reply. Default: `kind === 'readonly'`. */
  readonly parallelSafe: boolean;
  /** True when the tool yields output while it runs. */
  readonly streaming: boolean;
  subject?(input: Input): ToolSubject | undefined;
  execute(input: Input, context: ToolContext): ToolStream;
}
/** What a running tool is given. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  /** `<sessionId>:<callId>`; the same again when the call is repeated after a crash. */
  readonly idempotencyKey: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** For tools that keep notes or start runs of their own. */
  readonly run: RunContext;
}
/** The specified name of `ToolContext`. */
export type ToolExecutionContext = ToolContext;
/** One request of the model on its way to a tool. Handlers pass on changed copies. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Absent when the model asked for a tool that does not exist. */
  readonly tool: Tool | undefined;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** What the hooks have decided; rules of the host still come after it. */
  readonly approval?: 'allow' | 'ask';
}
export interface ToolResult {
  /** What the model reads. */
  readonly output: string;
  readonly isError: boolean;
  /** Set when the call did not run to its end: never began, or its effect is not known. */
  readonly interrupted?: 'not_run' | 'unknown';
  /** The unserialised value, for callers in this process. Not recorded. */
  readonly data?: unknown;
  readonly images?: readonly ImageBlock[];
}
