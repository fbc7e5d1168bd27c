import { fsyncSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ResultMessage, StreamMessage } from '@x/core';

/** What somebody outside was told, and what must therefore be in the log. The rest is only told. */
export type Acknowledgement =
  | { readonly kind: 'saying' | 'said' }
  | { readonly kind: 'sent'; readonly messageId: string }
  | { readonly kind: 'user_message'; readonly messageId: string }
  | { readonly kind: 'reply'; readonly number: number }
  | { readonly kind: 'tool_result'; readonly callId: string; readonly output: string }
  | { readonly kind: 'result'; readonly messageId: string; readonly subtype: string; readonly content?: string }
  | { readonly kind: 'asked'; readonly callId: string }
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'failure'; readonly code: string };
export type Acknowledge = (acknowledgement: Acknowledgement) => void;

/** Writes one line each, outside of the database; on disk when it returns, if `sync`. */
export function acknowledgeTo(path: string, { sync }: { readonly sync: boolean }): Acknowledge {
  const file = openSync(path, 'a');
  return (acknowledgement) => {
    writeSync(file, `${JSON.stringify(acknowledgement)}\n`);
    if (sync) fsyncSync(file);
  };
}

/** Everything acknowledged so far; a last line that the kill has torn was not told to anybody. */
export async function acknowledgedIn(path: string): Promise<Acknowledgement[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Acknowledgement);
}

/** What a reader learns from an event that he has seen complete. */
export function learntFrom(event: StreamMessage): Acknowledgement | undefined {
  switch (event.type) {
    case 'user_message':
      return { kind: 'user_message', messageId: event.messageId };
    case 'usage':
      return { kind: 'reply', number: event.usage.inputTokens };
    case 'tool_result':
      return { kind: 'tool_result', callId: event.id, output: event.output };
    case 'result':
      return { kind: 'result', ...resultIn(event) };
    case 'error':
      return { kind: 'failure', code: event.code ?? 'none' };
    default:
      return undefined;
  }
}

function resultIn({ messageId, subtype, content }: ResultMessage) {
  return { messageId, subtype, ...(content === undefined ? {} : { content }) };
}
