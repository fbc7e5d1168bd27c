import type { AssistantMessage, ResultMessage } from '@x/core';
import { present } from '@x/core/internal';
import type { RunTranslator } from '../follow/run-stream.ts';
import type { FollowedEvent, SessionEvent } from '../follow/session-event.ts';
import type { UIChunk, UIMetadata } from './ui-chunk.ts';

type Of<T extends FollowedEvent['type']> = Extract<FollowedEvent, { type: T }>;
/** The reply that is being told, and what of it was. */
interface Step {
  readonly id: string;
  text: string;
  reasoning: string;
  open: 'text' | 'reasoning' | undefined;
}

/** Makes the chunks of one message, that of the first run it is given an event of. */
export class UIMessage implements RunTranslator<UIChunk> {
  hasEnded = false;
  /** True from the moment on in which the run has nothing to do before an answer. */
  isWaiting = false;
  #runId: string | undefined;
  #step: Step | undefined;
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
        return this.#piece(replyId, event.type === 'content' ? 'text' : 'reasoning', event.delta);
      case 'tool_input_start':
        return [
          ...this.#stepOf(replyId),
          ...this.#closed(),
          { type: 'tool-input-start', toolCallId: event.id, toolName: event.name, dynamic: true },
        ];
      case 'tool_input_delta':
        return [{ type: 'tool-input-delta', toolCallId: event.id, inputTextDelta: event.delta }];
      case 'message':
        return event.message.role === 'assistant' ? this.#reply(event.message) : [];
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
    if (subtype === 'error') this.#failed = [{ type: 'error', errorText: error ?? 'The run has failed' }];
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
    const open = this.#closed();
    if (this.#step) open.push({ type: 'finish-step' });
    return [...open, { type: 'finish', finishReason, messageMetadata }, ...this.#failed];
  }

  #question({ id, type: _, ...data }: Of<'question'>): UIChunk[] {
    const told: UIChunk[] = [{ type: 'data-question', id, data: { ...data, callId: id } }];
    if (data.kind !== 'permission') return told;
    this.#questions.add(id);
    return [...told, { type: 'tool-approval-request', approvalId: id, toolCallId: id, reason: data.reason }];
  }

  /** Begins another step, unless it is that of this reply. */
  #stepOf(id: string): UIChunk[] {
    if (this.#step?.id === id) return [];
    const before: UIChunk[] = this.#step ? [...this.#closed(), { type: 'finish-step' }] : [];
    this.#step = { id, text: '', reasoning: '', open: undefined };
    return [...before, { type: 'start-step' }];
  }

  #closed(): UIChunk[] {
    const step = this.#step;
    if (!step?.open) return [];
    const { id, open } = step;
    step.open = undefined;
    return [{ type: `${open}-end`, id: idOf(id, open) }];
  }

  #piece(replyId: string, kind: 'text' | 'reasoning', delta: string): UIChunk[] {
    const begin = this.#stepOf(replyId);
    const step = this.#step!; // just begun
    if (step.open !== kind) {
      begin.push(...this.#closed(), { type: `${kind}-start`, id: idOf(replyId, kind) });
      step.open = kind;
    }
    step[kind] += delta;
    return [...begin, { type: `${kind}-delta`, id: idOf(replyId, kind), delta }];
  }

  /** A finished reply: what of it was told live stays, if that was all; else it is told again. */
  #reply({ id, content }: AssistantMessage): UIChunk[] {
    const chunks = this.#stepOf(id);
    const textOf = (type: 'text' | 'thinking') =>
      content.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
    const said = { reasoning: textOf('thinking'), text: textOf('text') };
    const step = this.#step!; // just begun
    if (step.text !== said.text || step.reasoning !== said.reasoning) {
      if (step.text + step.reasoning !== '') chunks.push({ type: 'reset-step' });
      Object.assign(step, { text: '', reasoning: '', open: undefined });
      for (const kind of ['reasoning', 'text'] as const)
        if (said[kind] !== '') chunks.push(...this.#piece(id, kind, said[kind]));
    }
    chunks.push(...this.#closed());
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      chunks.push({
        type: 'tool-input-available',
        toolCallId: block.id,
        toolName: block.name,
        input: block.input,
        dynamic: true,
      });
    }
    return chunks;
  }
}

function idOf(replyId: string, kind: 'text' | 'reasoning'): string {
  return kind === 'text' ? replyId : `${replyId}:reasoning`;
}
