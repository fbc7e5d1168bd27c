import type { AgentEvent, AgentHandler, RunContext, ToolCall } from '@x/core';
import { messageOf } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { Checkpointer } from './create-checkpointer.ts';

/** Options of `checkpointHandler`. */
export interface CheckpointHandlerOptions {
  /** Closed by the host. A function is called by each run that begins, and by its calls, and gives the same one to all of them. */
  readonly checkpointer: Checkpointer | (() => Promise<Checkpointer>);
  /**
   * True for calls whose tool changes files through its workspace alone, such as the built-in Write and Bash: only what changes something
   * is looked at. Default: none; then the files are looked at before and after each call.
   */
  readonly isThroughWorkspace?: (call: ToolCall) => boolean;
}

const OPTIONS: OptionRules<CheckpointHandlerOptions> = {
  checkpointer: is.required(
    is.either(is.callback, is.having('what createCheckpointer() gives', 'checkpoint', 'begin', 'watch')),
  ),
  isThroughWorkspace: is.callback,
};

/**
 * Opens a checkpoint at each message of a run, notes in the journal that there is one (`checkpoint`, the message's id), and records what its calls change, those of subagents too; calls of tools of the kind
 * `readonly` are not looked at. A checkpoint that cannot be opened is told as a notification `checkpoint_failed`. Its place is innermost:
 * what is started is then what is looked at. @throws ValidationError for invalid options; a run whose checkpoints cannot be opened fails
 */
export function checkpointHandler(options: CheckpointHandlerOptions): AgentHandler {
  checkOptions('checkpointHandler options', options, OPTIONS);
  const { checkpointer, isThroughWorkspace = () => false } = options;
  const opened = async () => (typeof checkpointer === 'function' ? await checkpointer() : checkpointer);
  const point = async (messageId: string, role: 'user' | 'assistant', run: RunContext): Promise<boolean> => {
    if (run.depth > 0) return false;
    try {
      await (await opened()).checkpoint(messageId, { role });
      return true;
    } catch (error) {
      const message = `Message ${messageId} has no checkpoint: ${messageOf(error)}`;
      run.emit({ type: 'notification', kind: 'checkpoint_failed', message });
      return false;
    }
  };
  return {
    name: 'checkpoint',
    async beforeAgent(_, run) {
      if (run.depth > 0) return;
      await opened();
      await point(run.messageId, 'user', run);
    },
    async onEvent(event, run) {
      const recorded = recordedMessage(event);
      if (!recorded || !(await point(recorded.id, recorded.role, run))) return;
      await run.journal.write({ type: 'note', name: 'checkpoint', data: recorded.id });
    },
    async *wrapToolCall(call, next) {
      if (!call.tool || call.tool.kind === 'readonly') return yield* next(call);
      const files = await opened();
      const watched = { ...call, workspace: files.watch(call.workspace, call.id) };
      if (isThroughWorkspace(call)) return yield* next(watched);
      const end = await files.begin({ callId: call.id });
      try {
        return yield* next(watched);
      } finally {
        await end();
      }
    },
  };
}

function recordedMessage(event: AgentEvent): { readonly id: string; readonly role: 'user' | 'assistant' } | undefined {
  if (event.type === 'user_message') return { id: event.messageId, role: 'user' };
  if (event.type !== 'message' || event.message.role !== 'assistant') return undefined;
  return { id: event.message.id, role: 'assistant' };
}
