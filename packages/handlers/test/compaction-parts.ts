import { AgentError, type AgentEvent, type Message } from '@x/core';
import { type Script, type ScriptedReply, scriptedModel } from '@x/core/testing';
import { compactionHandler } from '../src/compaction/compaction-handler.ts';
import type { CompactionOptions } from '../src/compaction/compaction-options.ts';
import { journaledRun } from './journaled-run.ts';

/** Of the model of `setUp`, in tokens. */
export const window = 1_000;
export const summaryReply: ScriptedReply = { text: ['The ', 'gist.'], usage: { inputTokens: 700, outputTokens: 30 } };
export const overloaded = () => new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true });

/** The handler with its model and a run. */
export function setUp(script: Script = () => summaryReply, options: Partial<CompactionOptions> = {}) {
  const model = scriptedModel(script, { contextWindow: window });
  return { model, handler: compactionHandler({ model: () => model, ...options }), ...journaledRun() };
}

export type Parts = ReturnType<typeof setUp>;

/** The history as a turn begins. */
export const atBoundary = async ({ handler, run }: Parts, messages: readonly Message[]) =>
  await handler.beforeModelRewriteHistory!(messages, run);

export const kindsOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'notification' ? event.kind : event.type));

export const recordIn = ({ records }: Parts) => records.find((record) => record.type === 'compaction');
