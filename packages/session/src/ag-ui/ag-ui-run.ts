import { type AssistantMessage, type Message, type Question, type ResultMessage, textOf, toolUsesOf } from '@x/core';
import { present } from '@x/core/internal';
import type { RunTranslator } from '../follow/run-stream.ts';
import type { SessionEvent } from '../follow/session-event.ts';
import type { AGUIEvent, AGUIUsage } from './ag-ui-event.ts';
import { historyOf, interruptOf } from './ag-ui-history.ts';

/** Something that has begun and not ended: what of it was told. */
interface Open {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly path: string;
  told: string;
}

/** Makes the events of one run, that of the first run it is given an event of. */
export class AGUIRun implements RunTranslator<AGUIEvent> {
  hasEnded = false;
  isWaiting = false;
  readonly #asked: string | undefined;
  #history: readonly Message[] | undefined;
  #runId: string | undefined;
  #result: ResultMessage | undefined;
  /** By the id of the message or call. */
  readonly #open = new Map<string, Open>();
  /** The agents at work below the session's own, by `subagentRunId`. */
  readonly #agents = new Set<string>();
  /** The agents that calls have started, or the names of their tools. */
  readonly #names = new Map<string, string>();

  /** `asked`: the user message that the interface shows already. */
  constructor(asked: string | undefined) {
    this.#asked = asked;
  }

  beginWith(history: readonly Message[]): void {
    this.#history = history;
  }

  chunksOf({ event, runId, agentPath, messageId, sessionId, at }: SessionEvent): AGUIEvent[] {
    if (runId === undefined || (this.#runId !== undefined && runId !== this.#runId)) return [];
    this.isWaiting = event.type === 'run_waiting';
    const chunks: AGUIEvent[] = [];
    if (this.#runId === undefined) {
      chunks.push({ type: 'RUN_STARTED', threadId: sessionId, runId });
      if (this.#history) chunks.push({ type: 'MESSAGES_SNAPSHOT', messages: historyOf(this.#history) });
      this.#runId = runId;
    }
    if (event.type === 'result') {
      this.#result = event;
      this.hasEnded = true;
    }
    const path = agentPath.join('/');
    const own = this.#told(event, path, messageId);
    if (own.length > 0) chunks.push(...this.#agentsOf(agentPath));
    return [...chunks, ...own.map((one) => (path === '' ? one : { ...one, subagentRunId: path }))].map((one) => ({
      ...one,
      timestamp: at,
    }));
  }

  #told(event: SessionEvent['event'], path: string, messageId = ''): AGUIEvent[] {
    switch (event.type) {
      case 'user_message':
        if (event.messageId === this.#asked) return [];
        return [...this.#piece(event.messageId, 'text', path, event.content, 'user'), ...this.#close(event.messageId)];
      case 'content':
        return this.#piece(messageId, 'text', path, event.delta);
      case 'thinking':
        return this.#piece(`${messageId}:reasoning`, 'reasoning', path, event.delta);
      case 'tool_input_start':
        return this.#beginCall(idOf(path, event.id), event.name, path, messageId);
      case 'tool_input_delta': {
        const id = idOf(path, event.id);
        return this.#open.has(id) ? this.#piece(id, 'call', path, event.delta) : [];
      }
      case 'message':
        return event.message.role === 'assistant' ? this.#reply(event.message, path) : [];
      case 'tool_progress':
        return [
          { type: 'CUSTOM', name: 'tool_progress', value: { toolCallId: idOf(path, event.id), delta: event.delta } },
        ];
      case 'tool_result': {
        const toolCallId = idOf(path, event.id);
        const messageOf = `${toolCallId}:result`;
        const ended: AGUIEvent[] = [];
        for (const agent of [...this.#agents].toReversed()) {
          if (agent !== toolCallId && !agent.startsWith(`${toolCallId}/`)) continue;
          this.#agents.delete(agent);
          ended.push(...this.#closeAll(agent), {
            type: 'SUBAGENT_FINISHED',
            subagentRunId: agent,
            outcome: { type: 'success' },
          });
        }
        return [
          ...ended,
          { type: 'TOOL_CALL_RESULT', messageId: messageOf, toolCallId, content: event.output, role: 'tool' },
        ];
      }
      case 'notification':
        return [{ type: 'CUSTOM', name: 'notification', value: { kind: event.kind, message: event.message } }];
      case 'run_resumed':
        return this.#closeAll();
      default:
        return [];
    }
  }

  end({ sessionId: threadId, at }: SessionEvent, questions: readonly Question[]): AGUIEvent[] {
    const outcome = { type: questions.length > 0 ? 'suspended' : 'success' } as const;
    const ended = [...this.#agents]
      .toReversed()
      .map<AGUIEvent>((subagentRunId) => ({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome }));
    const chunks = [...this.#closeAll(), ...ended, this.#last({ threadId, runId: this.#runId ?? '' }, questions)];
    return chunks.map((one) => ({ ...one, timestamp: at }));
  }

  #last(run: { readonly threadId: string; readonly runId: string }, questions: readonly Question[]): AGUIEvent {
    if (!this.#result)
      return { type: 'RUN_FINISHED', ...run, outcome: { type: 'interrupt', interrupts: questions.map(interruptOf) } };
    const { subtype, error, code, content, cost, durationMs } = this.#result;
    const usage = [usageOf(this.#result)];
    if (subtype === 'error')
      return { type: 'RUN_ERROR', message: error ?? 'The run has failed', ...present({ code }), usage };
    if (subtype === 'aborted') return { type: 'RUN_FINISHED', ...run, outcome: { type: 'cancelled' }, usage };
    const result = { subtype, ...present({ content, cost, durationMs }) };
    return { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' }, result, usage };
  }

  /** The beginnings of the agents around an event that have told nothing before. */
  #agentsOf(agentPath: readonly string[]): AGUIEvent[] {
    return agentPath.flatMap((callId, depth): AGUIEvent[] => {
      const [id, parent] = [agentPath.slice(0, depth + 1).join('/'), agentPath.slice(0, depth).join('/')];
      if (this.#agents.has(id)) return [];
      this.#agents.add(id);
      const name = this.#names.get(idOf(parent, callId)) ?? 'subagent';
      const around = parent === '' ? {} : { parentSubagentRunId: parent };
      return [{ type: 'SUBAGENT_STARTED', subagentRunId: id, name, parentToolCallId: idOf(parent, callId), ...around }];
    });
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

  #beginCall(toolCallId: string, toolCallName: string, path: string, parentMessageId: string): AGUIEvent[] {
    this.#open.set(toolCallId, { kind: 'call', path, told: '' });
    return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }];
  }

  #piece(id: string, kind: Open['kind'], path: string, delta: string, role?: 'user'): AGUIEvent[] {
    const begun = kind === 'call' ? [] : this.#begin(id, kind, path, role);
    if (delta === '') return begun; // the protocol knows no empty delta
    this.#open.get(id)!.told += delta; // begun by now
    if (kind === 'call') return [{ type: 'TOOL_CALL_ARGS', toolCallId: id, delta }];
    return [
      ...begun,
      { type: kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', messageId: id, delta },
    ];
  }

  /** A finished reply: what was not told of it, which is the end of each part, or all. */
  #reply(reply: AssistantMessage, path: string): AGUIEvent[] {
    const { id } = reply;
    const thought = reply.content.flatMap((block) => (block.type === 'thinking' ? [block.text] : [])).join('');
    const chunks = [
      ...this.#rest(`${id}:reasoning`, 'reasoning', path, thought),
      ...this.#rest(id, 'text', path, textOf(reply)),
    ];
    for (const { id: callId, name, input } of toolUsesOf(reply)) {
      const toolCallId = idOf(path, callId);
      const { subagent_type: agent } = (input ?? {}) as { readonly subagent_type?: unknown }; // safe: looked at as unknown
      this.#names.set(toolCallId, typeof agent === 'string' ? agent : name);
      const told = this.#open.get(toolCallId)?.told;
      if (told === undefined) chunks.push(...this.#beginCall(toolCallId, name, path, id));
      if (!isJson(told)) chunks.push(...this.#rest(toolCallId, 'call', path, JSON.stringify(input)));
      chunks.push(...this.#close(toolCallId));
    }
    return chunks;
  }

  /** What an open part does not have yet. A reply that a handler has changed cannot be taken back: its new text follows as another message. */
  #rest(id: string, kind: Open['kind'], path: string, whole: string): AGUIEvent[] {
    const told = this.#open.get(id)?.told ?? '';
    if (whole === '' && told === '') return this.#close(id);
    if (whole.startsWith(told)) return [...this.#piece(id, kind, path, whole.slice(told.length)), ...this.#close(id)];
    if (kind !== 'text') return this.#close(id);
    return [...this.#close(id), ...this.#piece(`${id}:changed`, kind, path, whole), ...this.#close(`${id}:changed`)];
  }

  #close(id: string): AGUIEvent[] {
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
  #closeAll(path?: string): AGUIEvent[] {
    return [...this.#open].flatMap(([id, open]) => {
      if (path !== undefined && open.path !== path) return [];
      const agent = open.path === '' ? {} : { subagentRunId: open.path };
      return this.#close(id).map((one) => ({ ...one, ...agent }));
    });
  }
}

/** The calls of subagents may have ids that others have too. */
function idOf(path: string, callId: string): string {
  return path === '' ? callId : `${path}/${callId}`;
}

function isJson(text: string | undefined): boolean {
  try {
    return text !== undefined && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

function usageOf({ usage, model }: ResultMessage): AGUIUsage {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cached = present({
    reasoningTokens,
    cachedInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  });
  return { ...present({ model }), inputTokens, outputTokens, totalTokens, ...cached };
}
