import { defineTool, objectSchema, type RunContext, type Tool } from '@x/core';
import { failure } from '../text/failure.ts';

/** Size of a run's context at its last model call. */
export interface ContextStatus {
  readonly messages: number;
  /** Estimated tokens of the request, instruction and tools included. */
  readonly tokens: number;
  /** Tokens that fit; absent for a model with an unknown window. */
  readonly contextWindow?: number;
}
/** Access of the tools to the context, provided by whoever runs the agent. `session` has one over its compaction. */
export interface ContextDoor {
  status(run: RunContext): ContextStatus | undefined;
  /** Requests a compaction before the run's next model call; durable when it resolves. */
  compress(run: RunContext, wish: { readonly instructions?: string }): Promise<void>;
}

const NO_DOOR = 'The context of this agent is not managed by its host; go on without.';

interface CompressInput {
  instructions?: string;
}

/** Requests a compaction: it cannot be done in the middle of a turn, whose calls still wait for their answers. */
export function compressContextTool(door: ContextDoor | undefined): Tool<CompressInput> {
  return defineTool({
    name: 'compress_context',
    description:
      'Replaces the older part of this conversation by a summary, before the next model call. Use it when much of what was ' +
      'said and read is no longer needed.',
    inputSchema: objectSchema({
      instructions: { type: 'string', description: 'What the summary must keep.', optional: true },
    }),
    kind: 'readonly',
    effect: 'idempotent',
    parallelSafe: false,
    execute: async (wish, { run }) => {
      if (!door) return failure(NO_DOOR);
      await door.compress(run, wish);
      return 'The conversation will be compacted before the next model call.';
    },
  });
}

/** Reports the size of the context. */
export function contextStatusTool(door: ContextDoor | undefined): Tool<Record<never, never>> {
  return defineTool({
    name: 'get_context_status',
    description: 'Tells how many messages and about how many tokens this conversation has, and how many fit.',
    inputSchema: objectSchema({}),
    kind: 'readonly',
    execute: async (_, { run }) => {
      const status = door?.status(run);
      if (!status) return failure(NO_DOOR);
      const { tokens, contextWindow } = status;
      const filled = contextWindow === undefined ? {} : { filled: `${Math.round((100 * tokens) / contextWindow)} %` };
      return { ...status, ...filled };
    },
  });
}
