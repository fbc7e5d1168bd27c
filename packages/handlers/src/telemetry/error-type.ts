import { isAgentError, type ToolCall, type ToolResult } from '@x/core';
import { isCallWaits, messageOf } from '@x/core/internal';
import { bounded } from './content.ts';
import type { SpanLike } from './tracer-like.ts';

const ERROR = 2;

/** Marks a span as failed. The text of the error may quote anything, so it counts as content. */
export function markFailed(span: SpanLike, failure: unknown, recordContent: boolean): void {
  if (isCallWaits(failure)) return void span.setAttributes({ 'agent_sdk.outcome': 'waiting' });
  span.setAttributes({ 'error.type': errorTypeOf(failure) });
  span.setStatus({ code: ERROR, ...(recordContent ? { message: bounded(messageOf(failure)) } : {}) });
}

/** Marks the span of a tool call that was answered with an error; `deniedBy` is the permission step that refused it. */
export function markRefused(span: SpanLike, call: ToolCall, result: ToolResult, deniedBy: string | undefined): void {
  span.setAttributes({
    'error.type': refusalOf(call, result, deniedBy),
    ...(deniedBy === undefined ? {} : { 'agent_sdk.permission.step': deniedBy }),
  });
  span.setStatus({ code: ERROR });
}

/** The code of an error of ours, else its class. */
export function errorTypeOf(failure: unknown): string {
  if (isAgentError(failure)) return failure.code;
  return failure instanceof Error ? failure.name : '_OTHER';
}

function refusalOf({ tool, signal }: ToolCall, { interrupted }: ToolResult, deniedBy: string | undefined): string {
  if (deniedBy !== undefined) return 'permission_denied';
  if (!tool) return 'tool_not_found';
  if (signal.aborted) return 'aborted';
  if (interrupted === 'not_run') return 'not_run';
  return interrupted === 'unknown' ? 'unknown_effect' : 'tool_error';
}
