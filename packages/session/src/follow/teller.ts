import { type AssistantMessage, isAgentError, type RunRecord, textOf, toolUsesOf } from '@x/core';
import { messageFacts, present } from '@x/core/internal';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import { forward } from '../log/log-format.ts';
import { damaged } from '../store/refusals.ts';
import type { Cursors } from './cursor.ts';
import { innermost, isLive, type LiveEvent, OF_REPLY } from './live-event.ts';
import type { FollowedEvent, SessionEvent } from './session-event.ts';
import { type Place, type Told, toldByNote } from './told-by-note.ts';

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

const OWN: readonly string[] = [];
const NONE: readonly SessionEvent[] = [];

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
  tell(entry: SessionEntry): readonly SessionEvent[] {
    try {
      return this.#eventsOf(entry);
    } catch (error) {
      throw isAgentError(error) ? error : damaged(`Entry ${entry.seq}`, this.#sessionId, error);
    }
  }

  #eventsOf({ seq, at: time, epoch, body: stored }: SessionEntry): readonly SessionEvent[] {
    if (epoch > this.#epoch) this.#replied.clear(); // nothing more is told of the owner before
    this.#epoch = epoch;
    const body = this.#forward(stored);
    const at = Date.parse(time);
    const before = this.#endedBy(body, seq);
    const told = this.#toldBy(body, at);
    const run = this.#run;
    if (body.type === 'run_ended') this.#run = undefined;
    const events = before && before.map((one) => this.#envelope({ seq: seq - 1, at, run }, ...one));
    if (!told) return events ?? NONE;
    const own = this.#envelope({ seq, at, run }, ...told);
    return events ? [...events, own] : [own];
  }

  /** The ends of the texts that this entry ends; undefined for nearly every entry. */
  #endedBy(body: EntryBody, seq: number): Told[] | undefined {
    const isReply =
      body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'assistant';
    if (!isReply && !['run_ended', 'run_resumed', 'run_left'].includes(body.type)) return undefined;
    if (isReply) this.#replied.set(body.scope.join(), seq);
    const ended = [...this.#replies].filter(([path]) => !isReply || path === body.scope.join());
    for (const [path] of ended) this.#replies.delete(path);
    if (ended.length === 0) return undefined;
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
      return [this.#envelope({ seq, at: now, run }, { type: 'tool_running', id, seconds }, { agentPath, callId: id })];
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
    const path = agentPath.length === 0 ? '' : agentPath.join();
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
    const own = this.#envelope({ seq, at, run: this.#run }, live, { agentPath, ...messageId, ...callId });
    if (!reply || reply.hasText === (inner.type === 'content')) return [own];
    if (inner.type !== 'content' && inner.type !== 'tool_input_start') return [own];
    reply.hasText = !reply.hasText;
    const edge = textEvent(reply.hasText ? 'text_start' : 'text_end', reply);
    return [this.#envelope({ seq, at, run: this.#run }, ...edge), own];
  }

  #envelope(
    { seq, at, run }: { readonly seq: number; readonly at: number; readonly run: Run | undefined },
    event: FollowedEvent,
    place: Place,
  ): SessionEvent {
    const ofRun = run && { runId: run.runId, messageId: run.messageId };
    const cursor = this.#cursors.at(seq);
    return Object.freeze({
      cursor,
      at,
      sessionId: this.#sessionId,
      ...ofRun,
      ...place,
      event: Object.freeze(event), // readers share it
    });
  }

  #toldBy(body: EntryBody, at: number): Told | undefined {
    if (body.type.startsWith('run_')) this.#running.clear();
    if (body.type === 'run_started') {
      const { runId, messageId, model } = body;
      this.#run = { runId, messageId, turns: 0 };
      return [{ type: 'run_started', runId, messageId, model }, { agentPath: OWN }];
    }
    if (body.type === 'run_resumed') return [{ type: 'run_resumed', runId: body.runId }, { agentPath: OWN }];
    if (body.type === 'files_rewound') {
      const event: FollowedEvent = { ...body, type: 'rewound' };
      return [event, { agentPath: OWN, messageId: body.messageId }];
    }
    if (body.type === 'conversation_rewound') {
      const { type, messageId } = body;
      return [
        { type, messageId },
        { agentPath: OWN, messageId },
      ];
    }
    if (body.type === 'record') return this.#ofRecord(body.record, body.scope, at);
    if (body.type === 'run_left' && body.waits)
      return [{ type: 'run_waiting', runId: body.runId, ...body.waits }, { agentPath: OWN }];
    return body.type === 'run_ended' ? [this.#resultOf(body), { agentPath: OWN }] : undefined;
  }

  #ofRecord(record: RunRecord, agentPath: readonly string[], at: number): Told | undefined {
    if (record.type === 'message') {
      const { message } = record;
      const place = { agentPath, messageId: message.id };
      if (message.role === 'user') return [{ type: 'user_message', ...messageFacts(message) }, place];
      this.#learn(message, agentPath);
      return [{ type: 'message', message }, place];
    }
    if (record.type === 'tool_started') {
      this.#running.set(record.callId, { agentPath, since: at, seconds: 0 });
      return [
        { type: 'tool_started', id: record.callId },
        { agentPath, callId: record.callId },
      ];
    }
    if (record.type === 'tool_finished') {
      const { callId: id, result, durationMs } = record;
      this.#running.delete(id);
      const name = this.#names.get(id) ?? '';
      this.#names.delete(id);
      const { output, isError } = result;
      return [
        { type: 'tool_result', id, name, output, isError, durationMs },
        { agentPath, callId: id },
      ];
    }
    if (record.type === 'compaction') {
      const { createdAt: _, ...event } = record;
      return [event, { agentPath, messageId: record.id }];
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
    const { message, ...facts } = error ?? {};
    return {
      type: 'result',
      subtype,
      messageId,
      usage,
      turns,
      ...present({ model: reply?.model, stopReason: reply?.stopReason, durationMs, cost }),
      ...(error
        ? { error: message ?? '', ...facts }
        : present({ content: ended.content ?? (reply && textOf(reply)), structured })),
    };
  }
}

function textEvent(type: 'text_start' | 'text_end', { id, agentPath }: Reply): Told {
  return [
    { type, id },
    { agentPath, messageId: id },
  ];
}
