import { type AssistantMessage, type Message, type Question, type ResultMessage, textOf, toolUsesOf } from '@x/core';
import { shownMessage } from '@x/core/internal';
import type { RunTranslator } from '../follow/run-stream.ts';
import type { SessionEvent } from '../follow/session-event.ts';
import { lastOf } from './ag-ui-end.ts';
import type { AGUIEvent } from './ag-ui-event.ts';
import { historyOf } from './ag-ui-history.ts';
import { AGUIParts } from './ag-ui-parts.ts';

/** Makes the events of one run, that of the first run it is given an event of. */
export class AGUIRun implements RunTranslator<AGUIEvent> {
  hasEnded = false;
  isWaiting = false;
  readonly #asked: string | undefined;
  #history: readonly Message[] | undefined;
  #runId: string | undefined;
  #result: ResultMessage | undefined;
  readonly #parts = new AGUIParts();
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
        return this.#parts.whole(event.messageId, path, shownMessage(event), 'user');
      case 'content':
        return this.#parts.piece(messageId, 'text', path, event.delta);
      case 'thinking':
        return this.#parts.piece(`${messageId}:reasoning`, 'reasoning', path, event.delta);
      case 'tool_input_start':
        return this.#parts.beginCall(idOf(path, event.id), event.name, path, messageId);
      case 'tool_input_delta': {
        const id = idOf(path, event.id);
        return this.#parts.told(id) !== undefined ? this.#parts.piece(id, 'call', path, event.delta) : [];
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
          ended.push(...this.#parts.closeAll(agent), {
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
      case 'service_tool':
        return [{ type: 'CUSTOM', name: 'service_tool', value: { ...stepOf(event), messageId } }];
      case 'notification':
        return [{ type: 'CUSTOM', name: 'notification', value: { kind: event.kind, message: event.message } }];
      case 'run_resumed':
        return this.#parts.closeAll();
      default:
        return [];
    }
  }

  end({ sessionId: threadId, at }: SessionEvent, questions: readonly Question[]): AGUIEvent[] {
    const outcome = { type: questions.length > 0 ? 'suspended' : 'success' } as const;
    const ended = [...this.#agents]
      .toReversed()
      .map<AGUIEvent>((subagentRunId) => ({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome }));
    const chunks = [
      ...this.#parts.closeAll(),
      ...ended,
      lastOf(this.#result, { threadId, runId: this.#runId ?? '' }, questions),
    ];
    return chunks.map((one) => ({ ...one, timestamp: at }));
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

  /** A finished reply: what was not told of it, which is the end of each part, or all. */
  #reply(reply: AssistantMessage, path: string): AGUIEvent[] {
    const { id } = reply;
    const thought = reply.content.flatMap((block) => (block.type === 'thinking' ? [block.text] : [])).join('');
    const chunks = [
      ...this.#parts.rest(`${id}:reasoning`, 'reasoning', path, thought),
      ...this.#parts.rest(id, 'text', path, textOf(reply)),
    ];
    for (const block of reply.content) {
      if (block.type !== 'image') continue;
      const { mediaType, data } = block;
      chunks.push({ type: 'CUSTOM', name: 'image', value: { messageId: id, mediaType, data } });
    }
    for (const { id: callId, name, input } of toolUsesOf(reply)) {
      const toolCallId = idOf(path, callId);
      const { subagent_type: agent } = (input ?? {}) as { readonly subagent_type?: unknown }; // safe: looked at as unknown
      this.#names.set(toolCallId, typeof agent === 'string' ? agent : name);
      if (this.#parts.told(toolCallId) === undefined) chunks.push(...this.#parts.beginCall(toolCallId, name, path, id));
      chunks.push(...this.#parts.endCall(toolCallId, path, input));
    }
    return chunks;
  }
}

/** The calls of subagents may have ids that others have too. */
function idOf(path: string, callId: string): string {
  return path === '' ? callId : `${path}/${callId}`;
}

function stepOf({ type: _type, ...step }: Extract<SessionEvent['event'], { type: 'service_tool' }>): object {
  return step;
}
