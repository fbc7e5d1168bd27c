import { type AgentEvent, type AssistantMessage, isAgentError, type RunRecord, textOf, toolUsesOf } from '@x/core';
import { askedBy, present, type QuestionFacts } from '@x/core/internal';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import { forward } from '../log/log-format.ts';
import { damaged } from '../store/refusals.ts';
import type { Cursors } from './cursor.ts';
import type { FollowedEvent, SessionEvent } from './session-event.ts';

/** An event while a run is under way, after the entry `after`. */
export interface LiveEvent {
  readonly after: number;
  readonly at: number;
  readonly event: AgentEvent;
}
/** Where an event belongs. */
type Place = Pick<SessionEvent, 'agentPath' | 'messageId' | 'callId'>;
interface Run {
  readonly runId: string;
  readonly messageId: string;
  /** Replies of the session's own agent. */
  turns: number;
  reply?: AssistantMessage;
}

const OWN: readonly string[] = [];
/** Live events that a record tells too, later or now. */
const RECORDED: ReadonlySet<string> = new Set([
  'user_message',
  'message',
  'tool_use',
  'tool_started',
  'tool_result',
  'compaction',
  'result',
  'error',
  'question',
]);

/** Makes events of entries, given in their order: an entry leaves out its run, and a result its tool. */
export class Teller {
  readonly #sessionId: string;
  readonly #cursors: Cursors;
  readonly #forward = forward();
  #run: Run | undefined;
  /** Names of the tools of open calls. */
  readonly #names = new Map<string, string>();

  constructor(sessionId: string, cursors: Cursors) {
    this.#sessionId = sessionId;
    this.#cursors = cursors;
  }

  /** The event of an entry; undefined for one that tells nothing. Large bodies are in place. @throws SessionError `LOG_DAMAGED`, `LOG_TOO_NEW` */
  tell(entry: SessionEntry): SessionEvent | undefined {
    try {
      return this.#eventOf(entry);
    } catch (error) {
      throw isAgentError(error) ? error : damaged(`Entry ${entry.seq}`, this.#sessionId, error);
    }
  }

  #eventOf({ seq, at, body: stored }: SessionEntry): SessionEvent | undefined {
    const body = this.#forward(stored);
    const told = this.#toldBy(body);
    const run = this.#run;
    if (body.type === 'run_ended') this.#run = undefined;
    return told && this.#envelope({ seq, at: Date.parse(at), run }, ...told);
  }

  /** A live event, that of a subagent out of its wrapping; undefined for one that a record tells. */
  live({ after, at, event }: LiveEvent): SessionEvent | undefined {
    const agentPath: string[] = [];
    let inner = event;
    for (; inner.type === 'subagent'; inner = inner.event) agentPath.push(inner.callId);
    if (RECORDED.has(inner.type) || (inner.type === 'permission' && inner.decision !== 'ask')) return undefined;
    const callId = 'id' in inner ? { callId: inner.id } : {};
    return this.#envelope({ seq: after, at, run: this.#run }, { ...inner }, { agentPath, ...callId });
  }

  #envelope(
    { seq, at, run }: { readonly seq: number; readonly at: number; readonly run: Run | undefined },
    event: FollowedEvent,
    place: Place,
  ): SessionEvent {
    const ofRun = run && { runId: run.runId, messageId: run.messageId };
    return { cursor: this.#cursors.at(seq), at, sessionId: this.#sessionId, ...ofRun, ...place, event };
  }

  #toldBy(body: EntryBody): [FollowedEvent, Place] | undefined {
    if (body.type === 'run_started') {
      const { runId, messageId, model } = body;
      this.#run = { runId, messageId, turns: 0 };
      return [{ type: 'run_started', runId, messageId, model }, { agentPath: OWN }];
    }
    if (body.type === 'run_resumed') return [{ type: 'run_resumed', runId: body.runId }, { agentPath: OWN }];
    if (body.type === 'record') return this.#ofRecord(body.record, body.scope);
    if (body.type === 'run_left' && body.waits)
      return [{ type: 'run_waiting', runId: body.runId, ...body.waits }, { agentPath: OWN }];
    return body.type === 'run_ended' ? [this.#resultOf(body), { agentPath: OWN }] : undefined;
  }

  #ofRecord(record: RunRecord, agentPath: readonly string[]): [FollowedEvent, Place] | undefined {
    if (record.type === 'message') {
      const { message } = record;
      const place = { agentPath, messageId: message.id };
      if (message.role === 'user')
        return [{ type: 'user_message', messageId: message.id, content: textOf(message) }, place];
      this.#learn(message, agentPath);
      return [{ type: 'message', message }, place];
    }
    if (record.type === 'tool_started') {
      return [
        { type: 'tool_started', id: record.callId },
        { agentPath, callId: record.callId },
      ];
    }
    if (record.type === 'tool_finished') {
      const { callId: id, result } = record;
      const name = this.#names.get(id) ?? '';
      this.#names.delete(id);
      const { output, isError } = result;
      return [
        { type: 'tool_result', id, name, output, isError },
        { agentPath, callId: id },
      ];
    }
    if (record.type === 'compaction') {
      const { createdAt: _, ...event } = record;
      return [event, { agentPath, messageId: record.id }];
    }
    return questionIn(record, agentPath) ?? decisionOf(record, agentPath);
  }

  #learn(reply: AssistantMessage, agentPath: readonly string[]): void {
    for (const { id, name } of toolUsesOf(reply)) this.#names.set(id, name);
    if (!this.#run || agentPath.length > 0) return;
    this.#run.turns += 1;
    this.#run.reply = reply;
  }

  /** The end of a run as its entry has it, with the facts of its last reply. */
  #resultOf({ subtype, usage, error }: Extract<EntryBody, { type: 'run_ended' }>): FollowedEvent {
    const { messageId = '', turns = 0, reply } = this.#run ?? {};
    this.#names.clear();
    const { message, ...facts } = error ?? {};
    return {
      type: 'result',
      subtype,
      messageId,
      usage,
      turns,
      ...present({ model: reply?.model, stopReason: reply?.stopReason }),
      ...(error ? { error: message ?? '', ...facts } : present({ content: reply && textOf(reply) })),
    };
  }
}

/** The question about a call that a note holds. */
function questionIn(
  { name, data }: Extract<RunRecord, { type: 'note' }>,
  agentPath: readonly string[],
): [FollowedEvent, Place] | undefined {
  const id = askedBy(name);
  if (id === undefined) return undefined;
  return [
    { type: 'question', id, ...(data as QuestionFacts) }, // safe: the handlers' own
    { agentPath, callId: id },
  ];
}

const PERMISSION = 'permission:';

/** The decision about a call that a note holds. */
function decisionOf(
  { name, data }: Extract<RunRecord, { type: 'note' }>,
  agentPath: readonly string[],
): [FollowedEvent, Place] | undefined {
  if (!name.startsWith(PERMISSION) || typeof data !== 'object' || data === null) return undefined;
  const id = name.slice(PERMISSION.length);
  const { decision, step, reason, matchedRule, input } = data as Extract<AgentEvent, { type: 'permission' }>; // the handlers' own
  return [
    { type: 'permission', id, decision, step, reason, ...present({ matchedRule, input }) },
    { agentPath, callId: id },
  ];
}
