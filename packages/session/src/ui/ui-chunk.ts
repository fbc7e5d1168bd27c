import type { ResultMessage } from '@x/core';

/** The chunks that are made here, of the UI message stream of the `ai` package (version 7, `UIMessageChunk`). */
export type UIChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' | 'reset-step' | 'abort' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  /** `url` has the bytes: `data:image/png;base64,...`. */
  | { type: 'file'; mediaType: string; url: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; dynamic: true }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic: true;
      /** A tool of the service. */
      providerExecuted?: true;
    }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string; reason: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean }
  | {
      type: 'tool-output-available';
      toolCallId: string;
      output: unknown;
      preliminary?: true;
      dynamic: true;
      providerExecuted?: true;
    }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true; providerExecuted?: true }
  | { type: 'data-question' | 'data-notification'; id?: string; data: object; transient?: true }
  | { type: 'error'; errorText: string }
  | { type: 'finish'; finishReason: 'stop' | 'length' | 'error' | 'other'; messageMetadata: UIMetadata };
/** What a message of an interface is told at the end of its run. */
export interface UIMetadata extends Partial<Pick<ResultMessage, 'usage' | 'cost' | 'durationMs'>> {
  readonly sessionId: string;
  /** Where to go on: the `from` of the next reader. */
  readonly cursor: string;
}
