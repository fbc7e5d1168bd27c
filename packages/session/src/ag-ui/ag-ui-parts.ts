import type { AGUIEvent } from './ag-ui-event.ts';

/** Something that has begun and not ended: what of it was told. */
interface Open {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly path: string;
  told: string;
}

/** The parts of a run that have begun: each is told to its end once, whatever is live of it. */
export class AGUIParts {
  /** By the id of the message or call. */
  readonly #open = new Map<string, Open>();

  /** The text of a part that was told by now; undefined unless it is open. */
  told(id: string): string | undefined {
    return this.#open.get(id)?.told;
  }

  #begin(id: string, kind: Open['kind'], path: string, role: 'assistant' | 'user' = 'assistant'): AGUIEvent[] {
    if (this.#open.has(id)) return [];
    this.#open.set(id, { kind, path, told: '' });
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId: id, role }];
    return [
      { type: 'REASONING_START', messageId: id },
      { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' },
    ];
  }

  beginCall(toolCallId: string, toolCallName: string, path: string, parentMessageId: string): AGUIEvent[] {
    this.#open.set(toolCallId, { kind: 'call', path, told: '' });
    return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }];
  }

  /** Ends a call whose input is known by now, after what was not told of that. */
  endCall(toolCallId: string, path: string, input: unknown): AGUIEvent[] {
    if (isJson(this.told(toolCallId))) return this.close(toolCallId);
    return this.rest(toolCallId, 'call', path, JSON.stringify(input));
  }

  piece(id: string, kind: Open['kind'], path: string, delta: string, role?: 'user'): AGUIEvent[] {
    const begun = kind === 'call' ? [] : this.#begin(id, kind, path, role);
    if (delta === '') return begun; // the protocol knows no empty delta
    this.#open.get(id)!.told += delta; // begun by now
    if (kind === 'call') return [{ type: 'TOOL_CALL_ARGS', toolCallId: id, delta }];
    return [
      ...begun,
      { type: kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', messageId: id, delta },
    ];
  }

  /** A text that is there at once. */
  whole(id: string, path: string, text: string, role?: 'user'): AGUIEvent[] {
    return [...this.piece(id, 'text', path, text, role), ...this.close(id)];
  }

  /** The rest of an open part. A reply that a handler has changed cannot be taken back: its new text follows as another message. */
  rest(id: string, kind: Open['kind'], path: string, whole: string): AGUIEvent[] {
    const told = this.#open.get(id)?.told ?? '';
    if (whole === '' && told === '') return this.close(id);
    if (whole.startsWith(told)) return [...this.piece(id, kind, path, whole.slice(told.length)), ...this.close(id)];
    if (kind !== 'text') return this.close(id);
    return [...this.close(id), ...this.whole(`${id}:changed`, path, whole)];
  }

  close(id: string): AGUIEvent[] {
    const open = this.#open.get(id);
    if (!open) return [];
    this.#open.delete(id);
    if (open.kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId: id }];
    if (open.kind === 'call') return [{ type: 'TOOL_CALL_END', toolCallId: id }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId: id },
      { type: 'REASONING_END', messageId: id },
    ];
  }

  /** Ends what nobody goes on with: that of one agent, or all. */
  closeAll(path?: string): AGUIEvent[] {
    return [...this.#open].flatMap(([id, open]) => {
      if (path !== undefined && open.path !== path) return [];
      const agent = open.path === '' ? {} : { subagentRunId: open.path };
      return this.close(id).map((one) => ({ ...one, ...agent }));
    });
  }
}

function isJson(text: string | undefined): boolean {
  try {
    return text !== undefined && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
