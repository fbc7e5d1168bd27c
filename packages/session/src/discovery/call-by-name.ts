import { type AgentEvent, type AssistantMessage, type Message, type ModelStream, type ToolUseBlock } from '@x/core';
import { CALL_TOOL } from './discovery-tools.ts';

/**
 * The history for a model that is sent only some tools: calls of all others, and their results, under the name by which the model has made
 * them. What was said once is never said in another way, so services find it in their caches.
 */
export class SaidHistory {
  readonly #isSent: (name: string) => boolean;
  readonly #known = new WeakMap<Message, Message>();

  constructor(isSent: (name: string) => boolean) {
    this.#isSent = isSent;
  }

  of(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) => this.#one(message));
  }

  #one(message: Message): Message {
    if (message.role === 'user') return message;
    let said = this.#known.get(message);
    if (!said) this.#known.set(message, (said = this.#said(message)));
    return said;
  }

  #said(message: Exclude<Message, { role: 'user' }>): Message {
    const isOther = (block: { readonly type: string; readonly name?: string }) =>
      block.name !== undefined && !this.#isSent(block.name);
    if (!message.content.some(isOther)) return message;
    if (message.role === 'tool') {
      return { ...message, content: message.content.map((one) => (isOther(one) ? { ...one, name: CALL_TOOL } : one)) };
    }
    const content = message.content.map((block) =>
      block.type === 'tool_use' && isOther(block)
        ? { ...block, name: CALL_TOOL, input: { name: block.name, input: block.input } }
        : block,
    );
    return { ...message, content };
  }
}

/** The reply with its calls of `CallTool` as calls of the tools they name; a call that names none stays as it is. */
function named(reply: AssistantMessage): AssistantMessage {
  if (!reply.content.some((block) => block.type === 'tool_use' && block.name === CALL_TOOL)) return reply;
  return { ...reply, content: reply.content.map((block) => (block.type === 'tool_use' ? namedCall(block) : block)) };
}

function namedCall(block: ToolUseBlock): ToolUseBlock {
  const { name, input } = (block.name === CALL_TOOL ? (block.input ?? {}) : {}) as Record<string, unknown>; // safe: read as possibly absent
  if (typeof name !== 'string' || name === '') return block;
  return { ...block, name, input: parsed(input) };
}

/** Some models write the input as JSON in a text. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? value : input;
  } catch {
    return input;
  }
}

/** The stream of such a model, with the calls by their names in its events and its reply. */
export async function* namedStream(stream: ModelStream): ModelStream {
  const calls = new Map<string, CallInput>();
  let isDone = false;
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done) {
        isDone = true;
        const reply = named(step.value);
        for (const block of reply.content) if (block.type === 'tool_use') yield* calls.get(block.id)?.rest(block) ?? [];
        return reply;
      }
      const event = step.value;
      if (event.type === 'tool_input_start' && event.name === CALL_TOOL) calls.set(event.id, new CallInput(event.id));
      else if (event.type === 'tool_input_delta' && calls.has(event.id)) yield* calls.get(event.id)!.add(event.delta);
      else yield event;
    }
  } finally {
    if (!isDone) await stream.return(undefined as never);
  }
}

const BEGINNING = /^\s*\{\s*"name"\s*:\s*"([^"\\]+)"\s*,\s*"input"\s*:\s*(?=\{)/;

/** The input of one `CallTool` as it comes, told as that of the tool it names. */
class CallInput {
  readonly #id: string;
  #held = '';
  #begun = false;

  constructor(id: string) {
    this.#id = id;
  }

  *add(delta: string): Generator<AgentEvent> {
    this.#held += delta;
    if (!this.#begun) {
      const [all, name] = BEGINNING.exec(this.#held) ?? [];
      if (all === undefined) return;
      this.#begun = true;
      this.#held = this.#held.slice(all.length);
      yield { type: 'tool_input_start', id: this.#id, name: name! };
    }
    const end = this.#held.search(/\}\s*$/); // the last bracket may be that of `CallTool`
    const told = end === -1 ? this.#held : this.#held.slice(0, end);
    this.#held = this.#held.slice(told.length);
    if (told !== '') yield { type: 'tool_input_delta', id: this.#id, delta: told };
  }

  /** The input of a model that wrote the two parts in another order. */
  *rest({ name, input }: ToolUseBlock): Generator<AgentEvent> {
    if (this.#begun) return;
    yield { type: 'tool_input_start', id: this.#id, name };
    yield { type: 'tool_input_delta', id: this.#id, delta: JSON.stringify(input) };
  }
}
