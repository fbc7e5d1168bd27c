import type { AssistantMessage } from '@x/core';
import type { ServiceToolStep } from '@x/core/internal';
import type { UIChunk } from './ui-chunk.ts';

/** The reply that is being told, and what of it was. */
interface Step {
  readonly id: string;
  text: string;
  reasoning: string;
  open: 'text' | 'reasoning' | undefined;
}

/** The replies of a message, each a step. */
export class UISteps {
  #step: Step | undefined;
  readonly #service = new Map<string, ServiceToolStep['state']>();

  /** Begins another step, unless it is that of this reply. */
  begin(id: string): UIChunk[] {
    if (this.#step?.id === id) return [];
    const before: UIChunk[] = this.#step ? [...this.closed(), { type: 'finish-step' }] : [];
    this.#step = { id, text: '', reasoning: '', open: undefined };
    return [...before, { type: 'start-step' }];
  }

  /** Ends the last step, if there is one. */
  end(): UIChunk[] {
    const open = this.closed();
    return this.#step ? [...open, { type: 'finish-step' }] : open;
  }

  /** Ends the text or the thought that is open. */
  closed(): UIChunk[] {
    const step = this.#step;
    if (!step?.open) return [];
    const { id, open } = step;
    step.open = undefined;
    return [{ type: `${open}-end`, id: idOf(id, open) }];
  }

  piece(replyId: string, kind: 'text' | 'reasoning', delta: string): UIChunk[] {
    const begin = this.begin(replyId);
    const step = this.#step!; // just begun
    if (step.open !== kind) {
      begin.push(...this.closed(), { type: `${kind}-start`, id: idOf(replyId, kind) });
      step.open = kind;
    }
    step[kind] += delta;
    return [...begin, { type: `${kind}-delta`, id: idOf(replyId, kind), delta }];
  }

  /** A step of a tool of the service, told once; one without an id has no place in an interface. */
  serviceStep({ id: toolCallId, name: toolName, input, state, files }: ServiceToolStep): UIChunk[] {
    const told = toolCallId === undefined ? undefined : this.#service.get(toolCallId);
    if (toolCallId === undefined || (told === state && !files) || (told !== undefined && state === 'called')) return [];
    this.#service.set(toolCallId, state);
    const facts = { toolCallId, dynamic: true, providerExecuted: true } as const;
    const chunks: UIChunk[] = [...this.closed()];
    if (told === undefined || input !== undefined) {
      chunks.push({ type: 'tool-input-available', toolName, input: input ?? {}, ...facts });
    }
    if (state === 'done') chunks.push({ type: 'tool-output-available', output: files ? { files } : '', ...facts });
    if (state === 'failed') chunks.push({ type: 'tool-output-error', errorText: `${toolName} has failed`, ...facts });
    return chunks;
  }

  /** A finished reply: what of it was told live stays, if that was all; else it is told again. */
  reply({ id, content }: AssistantMessage): UIChunk[] {
    const chunks = this.begin(id);
    const textOf = (type: 'text' | 'thinking') =>
      content.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
    const said = { reasoning: textOf('thinking'), text: textOf('text') };
    const step = this.#step!; // just begun
    if (step.text !== said.text || step.reasoning !== said.reasoning) {
      if (step.text + step.reasoning !== '') chunks.push({ type: 'reset-step' });
      this.#service.clear(); // what was told of them is gone too
      Object.assign(step, { text: '', reasoning: '', open: undefined });
      for (const kind of ['reasoning', 'text'] as const)
        if (said[kind] !== '') chunks.push(...this.piece(id, kind, said[kind]));
    }
    chunks.push(...this.closed());
    for (const block of content)
      if (block.type === 'thinking' && block.serviceTool) chunks.push(...this.serviceStep(block.serviceTool));
    for (const block of content) {
      if (block.type === 'image') {
        const { mediaType, data } = block;
        chunks.push({ type: 'file', mediaType, url: `data:${mediaType};base64,${data}` });
      }
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
