import type { ResultMessage } from '@x/core';
import { present } from '@x/core/internal';
import type { RunTranslator } from '../follow/run-stream.ts';
import type { FollowedEvent, SessionEvent } from '../follow/session-event.ts';
import type { UIChunk, UIMetadata } from './ui-chunk.ts';
import { UISteps } from './ui-steps.ts';

type Of<T extends FollowedEvent['type']> = Extract<FollowedEvent, { type: T }>;
/** Makes the chunks of one message, that of the first run it is given an event of. */
export class UIMessage implements RunTranslator<UIChunk> {
  hasEnded = false;
  /** True from the moment on in which the run has nothing to do before an answer. */
  isWaiting = false;
  #runId: string | undefined;
  readonly #steps = new UISteps();
  #ending: Pick<Extract<UIChunk, { type: 'finish' }>, 'finishReason' | 'messageMetadata'> | undefined;
  /** The error or the abort, told at the very end: `useChat` reads nothing behind an error. */
  #failed: UIChunk[] = [];
  readonly #progress = new Map<string, string>();
  readonly #questions = new Set<string>();

  chunksOf({ event, runId, agentPath, messageId, cursor, sessionId }: SessionEvent): UIChunk[] {
    if (runId === undefined || agentPath.length > 0) return [];
    this.isWaiting = false;
    const begin: UIChunk[] = this.#runId === undefined ? [{ type: 'start', messageId: (this.#runId = runId) }] : [];
    if (runId !== this.#runId) return [];
    return [...begin, ...this.#told(event, messageId ?? '', { cursor, sessionId })];
  }

  #told(event: FollowedEvent, replyId: string, place: UIMetadata): UIChunk[] {
    switch (event.type) {
      case 'content':
      case 'thinking':
        return this.#steps.piece(replyId, event.type === 'content' ? 'text' : 'reasoning', event.delta);
      case 'tool_input_start':
        return [
          ...this.#steps.begin(replyId),
          ...this.#steps.closed(),
          { type: 'tool-input-start', toolCallId: event.id, toolName: event.name, dynamic: true },
        ];
      case 'tool_input_delta':
        return [{ type: 'tool-input-delta', toolCallId: event.id, inputTextDelta: event.delta }];
      case 'service_tool':
        return [...this.#steps.begin(replyId), ...this.#steps.serviceStep(event)];
      case 'message':
        return event.message.role === 'assistant' ? this.#steps.reply(event.message) : [];
      case 'question':
        return this.#question(event);
      case 'permission':
        if (!this.#questions.delete(event.id)) return [];
        return [{ type: 'tool-approval-response', approvalId: event.id, approved: event.decision === 'allow' }];
      case 'tool_progress': {
        const output = (this.#progress.get(event.id) ?? '') + event.delta;
        this.#progress.set(event.id, output);
        return [{ type: 'tool-output-available', toolCallId: event.id, output, preliminary: true, dynamic: true }];
      }
      case 'tool_result': {
        const { id: toolCallId, output } = event;
        if (event.isError) return [{ type: 'tool-output-error', toolCallId, errorText: output, dynamic: true }];
        return [{ type: 'tool-output-available', toolCallId, output, dynamic: true }];
      }
      case 'notification':
        return [{ type: 'data-notification', data: { kind: event.kind, message: event.message }, transient: true }];
      case 'run_waiting':
        this.isWaiting = true;
        return [];
      case 'result':
        this.#result(event, place);
        return [];
      default:
        return [];
    }
  }

  #result({ subtype, error, usage, cost, durationMs }: ResultMessage, place: UIMetadata): void {
    const facts = { ...place, usage, ...present({ cost, durationMs }) };
    if (subtype === 'error') this.#failed = [{ type: 'error', errorText: error || 'The run has failed' }];
    if (subtype === 'aborted') this.#failed = [{ type: 'abort' }];
    const reasons = {
      success: 'stop',
      max_turns: 'length',
      error: 'error',
      aborted: 'other',
      waiting: 'other',
    } as const;
    this.#ending = { finishReason: reasons[subtype], messageMetadata: facts };
    this.hasEnded = true;
  }

  /** The end of the message; with this event it has ended, or waits. */
  end({ sessionId, cursor }: SessionEvent): UIChunk[] {
    const { finishReason = 'other', messageMetadata = { sessionId, cursor } } = this.#ending ?? {};
    return [...this.#steps.end(), { type: 'finish', finishReason, messageMetadata }, ...this.#failed];
  }

  #question({ id, type: _, ...data }: Of<'question'>): UIChunk[] {
    const told: UIChunk[] = [{ type: 'data-question', id, data: { ...data, callId: id } }];
    if (data.kind !== 'permission') return told;
    this.#questions.add(id);
    return [...told, { type: 'tool-approval-request', approvalId: id, toolCallId: id, reason: data.reason }];
  }
}
