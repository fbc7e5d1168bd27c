import { type AssistantMessage, isAgentError, textOf, toolUsesOf } from '@x/core';
import { messageFacts, present } from '@x/core/internal';
import type { EntryBody } from '../log/entry.ts';
import type { TimedEntry } from '../log/entry-pages.ts';
import { forward } from '../log/log-format.ts';
import { damaged } from '../store/refusals.ts';
import type { Cursors } from './cursor.ts';
import { innermost, isLive, type LiveEvent, OF_REPLY } from './live-event.ts';
import type { FollowedEvent, SessionEvent } from './session-event.ts';
import { type Told, toldByNote } from './told-by-note.ts';

interface Run {
  readonly runId: string;
  readonly messageId: string;
  /** Replies of the session's own agent. */
  turns: number;
  reply?: AssistantMessage;
}

/** The reply that is under way. */
interface Reply {
  readonly id: string;
  readonly agentPath: readonly string[];
  hasText: boolean;
  /** False once a piece was missed. */
  isWhole: boolean;
}
interface RunningCall {
  readonly agentPath: readonly string[];
  readonly since: number;
  seconds: number;
}

type RecordBody = Extract<EntryBody, { readonly type: 'record' }>;

const OWN: readonly string[] = [];
const NONE: readonly SessionEvent[] = [];
const NO_ENDS: readonly Told[] = [];

/** Makes events of entries, given in their order: an entry leaves out its run, and a result its tool. */
export class Teller {
  readonly #sessionId: string;
  readonly #cursors: Cursors;
  readonly #forward = forward();
  #run: Run | undefined;
  /** Names of the tools of open calls. */
  readonly #names = new Map<string, string>();
  /** By agent. */
  readonly #replies = new Map<string, Reply>();
  readonly #running = new Map<string, RunningCall>();
  /** Entries of the last replies of this owner that have a message, by agent. */
  readonly #replied = new Map<string, number>();
  #epoch = 0;

  constructor(sessionId: string, cursors: Cursors) {
    this.#sessionId = sessionId;
    this.#cursors = cursors;
  }

  /**
   * The events of an entry: at most one tells it, and has its cursor; live ones may stand around that. Large bodies are in place.
   * @throws SessionError `LOG_DAMAGED`, `LOG_TOO_NEW`
   */
  tell(entry: TimedEntry): readonly SessionEvent[] {
    try {
      return this.#eventsOf(entry);
    } catch (error) {
      throw isAgentError(error) ? error : damaged(`Entry ${entry.seq}`, this.#sessionId, error);
    }
  }

  #eventsOf(entry: TimedEntry): readonly SessionEvent[] {
    const { seq, at, epoch } = entry;
    if (epoch > this.#epoch) this.#replied.clear(); // nothing more is told of the owner before
    this.#epoch = epoch;
    const body = this.#forward(entry.body);
    const before = this.#replies.size > 0 ? this.#endedBy(body) : NO_ENDS;
    const told = body.type === 'record' ? this.#ofRecord(body, entry) : this.#toldBy(body);
    const run = this.#run;
    if (body.type === 'run_ended') this.#run = undefined;
    if (before.length === 0) return told ? [this.#envelope(seq, at, run, told)] : NONE;
    const events = before.map((one) => this.#envelope(seq - 1, at, run, one));
    return told ? [...events, this.#envelope(seq, at, run, told)] : events;
  }

  /** The ends of the texts that this entry ends. */
  #endedBy(body: EntryBody): Told[] {
    const isReply =
      body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'assistant';
    if (!isReply && !['run_ended', 'run_resumed', 'run_left'].includes(body.type)) return [];
    const ended = [...this.#replies].filter(([path]) => !isReply || path === pathOf(body.scope));
    for (const [path] of ended) this.#replies.delete(path);
    return ended.flatMap(([, reply]) => (reply.hasText ? [textEvent('text_end', reply)] : []));
  }

  /** The calls that run, whose next second has come. */
  ticks(now: number, seq: number): readonly SessionEvent[] {
    const run = this.#run;
    if (this.#running.size === 0) return NONE;
    return [...this.#running].flatMap(([id, call]) => {
      const seconds = Math.floor((now - call.since) / 1000);
      if (seconds <= call.seconds) return [];
      call.seconds = seconds;
      const { agentPath } = call;
      return [this.#envelope(seq, now, run, { agentPath, callId: id, event: { type: 'tool_running', id, seconds } })];
    });
  }

  /** The ids of the replies that have begun, and have no message yet. */
  get repliesUnderWay(): string[] {
    return [...this.#replies.values()].map(({ id }) => id);
  }

  /**
   * A live event behind the entry `seq`, that of a subagent out of its wrapping, after the beginning or the end of a text. None for one that a
   * record tells, or may have told by then, and for a piece of a reply of which another one is unknown.
   */
  live({ after, at, epoch, event }: LiveEvent, seq: number = after): readonly SessionEvent[] {
    if (epoch !== undefined && epoch < this.#epoch) return NONE; // of an owner that was followed by another
    const agentPath: string[] = [];
    const inner = innermost(event, agentPath);
    if (inner.type === 'missed') for (const reply of this.#replies.values()) reply.isWhole = false;
    if (inner.type === 'missed' || !isLive(inner)) return NONE;
    const path = pathOf(agentPath);
    const isLate = after < seq;
    if (inner.type === 'reply_started') {
      if (after < (this.#replied.get(path) ?? 0))
        this.#replies.delete(path); // its message may be told already
      else this.#replies.set(path, { id: inner.id, agentPath, hasText: false, isWhole: true });
      return NONE;
    }
    const reply = this.#replies.get(path);
    const isPiece = OF_REPLY.has(inner.type);
    if (isPiece && !reply?.isWhole) return NONE;
    if (isLate && !isPiece && !(inner.type === 'tool_progress' && this.#running.has(inner.id))) return NONE;
    const callId = 'id' in inner ? { callId: inner.id } : {};
    const messageId = reply && isPiece ? { messageId: reply.id } : {};
    const live = { ...inner } as FollowedEvent; // safe: the other types are told by a record
    const own = this.#envelope(seq, at, this.#run, { agentPath, ...messageId, ...callId, event: live });
    if (!reply || reply.hasText === (inner.type === 'content')) return [own];
    if (inner.type !== 'content' && inner.type !== 'tool_input_start') return [own];
    reply.hasText = !reply.hasText;
    const edge = textEvent(reply.hasText ? 'text_start' : 'text_end', reply);
    return [this.#envelope(seq, at, this.#run, edge), own];
  }

  #envelope(seq: number, at: number, run: Run | undefined, told: Told): SessionEvent {
    Object.freeze(told.event); // readers share it
    const cursor = this.#cursors.at(seq);
    const sessionId = this.#sessionId;
    if (!run) return Object.freeze({ cursor, at, sessionId, ...told });
    const { runId, messageId } = run;
    return Object.freeze({ cursor, at, sessionId, runId, messageId, ...told });
  }

  /** The event of an entry that is no record of the run. */
  #toldBy(body: EntryBody): Told | undefined {
    if (body.type.startsWith('run_')) this.#running.clear();
    if (body.type === 'run_started') {
      const { runId, messageId, model } = body;
      this.#run = { runId, messageId, turns: 0 };
      return { agentPath: OWN, event: { type: 'run_started', runId, messageId, model } };
    }
    if (body.type === 'run_resumed') return { agentPath: OWN, event: { type: 'run_resumed', runId: body.runId } };
    if (body.type === 'files_rewound')
      return { agentPath: OWN, messageId: body.messageId, event: { ...body, type: 'rewound' } };
    if (body.type === 'conversation_rewound') {
      const { type, messageId } = body;
      return { agentPath: OWN, messageId, event: { type, messageId } };
    }
    if (body.type === 'run_left' && body.waits)
      return { agentPath: OWN, event: { type: 'run_waiting', runId: body.runId, ...body.waits } };
    return body.type === 'run_ended' ? { agentPath: OWN, event: this.#resultOf(body) } : undefined;
  }

  #ofRecord({ record, scope: agentPath }: RecordBody, { seq, at }: TimedEntry): Told | undefined {
    if (record.type === 'message') {
      const { message } = record;
      const messageId = message.id;
      if (message.role === 'user')
        return { agentPath, messageId, event: { type: 'user_message', ...messageFacts(message) } };
      this.#replied.set(pathOf(agentPath), seq);
      this.#learn(message, agentPath);
      return { agentPath, messageId, event: { type: 'message', message } };
    }
    if (record.type === 'tool_started') {
      const { callId } = record;
      this.#running.set(callId, { agentPath, since: at, seconds: 0 });
      return { agentPath, callId, event: { type: 'tool_started', id: callId } };
    }
    if (record.type === 'tool_finished') {
      const { callId, result, durationMs } = record;
      this.#running.delete(callId);
      const name = this.#names.get(callId) ?? '';
      this.#names.delete(callId);
      const { output, isError } = result;
      return { agentPath, callId, event: { type: 'tool_result', id: callId, name, output, isError, durationMs } };
    }
    if (record.type === 'compaction') {
      const { createdAt: _, ...event } = record;
      return { agentPath, messageId: record.id, event };
    }
    return toldByNote(record, agentPath);
  }

  #learn(reply: AssistantMessage, agentPath: readonly string[]): void {
    for (const { id, name } of toolUsesOf(reply)) this.#names.set(id, name);
    if (!this.#run || agentPath.length > 0) return;
    this.#run.turns += 1;
    this.#run.reply = reply;
  }

  /** The end of a run as its entry has it, with the facts of its last reply. */
  #resultOf(ended: Extract<EntryBody, { type: 'run_ended' }>): FollowedEvent {
    const { subtype, usage, durationMs, cost, error, structured } = ended;
    const { messageId = '', turns = 0, reply } = this.#run ?? {};
    this.#names.clear();
    const known = present({ model: reply?.model, stopReason: reply?.stopReason, durationMs, cost });
    const facts = { type: 'result', messageId, usage, turns, ...known } as const;
    if (subtype === 'error') {
      const { message = '', ...failure } = error ?? {};
      return { ...facts, subtype, error: message, ...failure };
    }
    return { ...facts, subtype, ...present({ content: ended.content ?? (reply && textOf(reply)), structured }) };
  }
}

function textEvent(type: 'text_start' | 'text_end', { id, agentPath }: Reply): Told {
  return { agentPath, messageId: id, event: { type, id } };
}

/** The key of an agent. */
function pathOf(agentPath: readonly string[]): string {
  return agentPath.length === 0 ? '' : agentPath.join();
}
