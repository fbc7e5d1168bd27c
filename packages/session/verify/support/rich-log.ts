import { createHash } from 'node:crypto';
import { type AssistantMessage, type RunRecord, toolUsesOf, type UserMessage } from '@x/core';
import type { EntryBody } from '../../src/index.ts';
import { answersForOpenCalls, apply, emptyState, type SessionState, scopeOf } from '../../src/log/fold.ts';
import { bodyIn } from '../../src/log/large-body.ts';

/** A log, and the bytes that its blob entries stand for. */
export interface RichLog {
  readonly bodies: readonly EntryBody[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}
type Scope = readonly string[];
type Step = readonly [scope: Scope, record: RunRecord];

/** The body of an entry, as the fold wants it. */
export function unpacked(body: EntryBody, { blobs }: RichLog): EntryBody {
  return body.type === 'blob' ? bodyIn(body, blobs.get(body.sha256)) : body;
}

/**
 * A log as sessions write them: runs that end, are aborted or crash and are taken up; replies with several calls at once, some of them
 * subagents with calls of their own; replies cut off; messages steered in; compactions; notes; results of nobody; titles; large
 * bodies; and now and then everything behind a fork.
 */
export function richLog(random: () => number): RichLog {
  const writer = new LogWriter(random);
  writer.write({ type: 'session_created', format: 1, cwd: '/work' });
  const runs = 1 + writer.dice(3);
  for (let run = 0; run < runs; run++) writer.run();
  if (writer.dice(4) === 0) {
    writer.fork();
    writer.run();
  }
  return writer;
}

class LogWriter implements RichLog {
  bodies: EntryBody[] = [];
  readonly blobs = new Map<string, Uint8Array>();
  readonly #random: () => number;
  #state: SessionState = emptyState();
  #made = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A whole number below `sides`. */
  dice(sides: number): number {
    return Math.floor(this.#random() * sides);
  }

  write(body: EntryBody): void {
    apply(this.#state, body);
    this.bodies.push(this.#maybeBlob(body));
  }

  /** Everything up to a place behind which no call is open, as the log of another session. */
  fork(): void {
    const places: number[] = [];
    const state = emptyState();
    this.bodies.forEach((body, index) => {
      apply(state, unpacked(body, this));
      if ([...state.scopes.values()].every(({ calls }) => !calls)) places.push(index + 1);
    });
    const upTo = places[this.dice(places.length)]!;
    const copied = this.bodies.slice(1, upTo);
    this.bodies = [];
    this.#state = emptyState();
    this.write({ type: 'session_created', format: 1, cwd: '/work', forkedFrom: { sessionId: 'source', seq: upTo } });
    for (const body of copied) {
      apply(this.#state, unpacked(body, this));
      this.bodies.push(body);
    }
  }

  /** One run, or the rest of one that was left open. */
  run(): void {
    const open = this.#state.run;
    const runId = open?.runId ?? this.#id('r');
    if (!open) {
      this.write({ type: 'run_started', runId, messageId: this.#id('m'), model: 'm' });
      this.#records([[[], this.#userRecord()]]);
    }
    const turns = 1 + this.dice(4);
    for (let turn = 0; turn < turns; turn++) {
      this.#turn([], 0);
      if (this.dice(6) === 0) this.#takeUp();
    }
    this.#answerAll();
    if (this.dice(5) === 0) return; // a crash at the last moment; the next run is the rest of this one
    const subtype = (['success', 'error', 'max_turns', 'aborted'] as const)[this.dice(4)]!;
    const error = subtype === 'error' ? { error: { code: 'INTERNAL_ERROR', message: 'broken' } } : {};
    this.write({ type: 'run_ended', runId, subtype, usage: this.#state.runUsage, ...error });
    if (this.dice(5) === 0) this.write({ type: 'title', title: 'A title' });
    if (this.dice(8) === 0) this.write({ type: 'metadata', metadata: { of: this.#id('x') } });
  }

  /** A crash, with answers that the next owner writes first. */
  #takeUp(): void {
    this.#answerAll();
    this.#records([[[], note('resumed', { at: this.#made })]]);
  }

  #answerAll(): void {
    for (const answer of answersForOpenCalls(this.#state)) this.write(answer);
  }

  #turn(scope: Scope, depth: number): void {
    if (this.dice(10) === 0) this.#compact(scope);
    for (let steered = this.dice(3); steered > 0; steered--) this.#records([[scope, this.#userRecord()]]);
    if (this.dice(8) === 0)
      this.#records([[scope, note('usage', { provider: 'p', model: 'm', usage: this.#usage() })]]);
    const reply = this.#reply();
    this.#records([[scope, { type: 'message', message: reply }]]);
    // Abandoned calls, those of subagents too, are answered before anything else of the scope.
    const abandoned = this.dice(12) === 0;
    this.#records(this.#merged(toolUsesOf(reply).map(({ id }) => this.#call(scope, id, depth))), abandoned);
    if (abandoned) this.#answerAll();
    if (this.dice(15) === 0) this.#records([[scope, finished('nobody', 'nothing')]]);
  }

  /** What one call writes: a permission, its start (twice after a crash), what its subagent writes, its result. */
  #call(scope: Scope, callId: string, depth: number): Step[] {
    if (this.dice(10) === 0) return [[scope, finished(callId, 'not run')]];
    const effect = (['pure', 'idempotent', 'non_idempotent'] as const)[this.dice(3)]!;
    const facts = { callId, name: 'work', input: { tag: callId }, effect, idempotencyKey: `s:${callId}` };
    const started: Step = [scope, { type: 'tool_started', ...facts }];
    const steps: Step[] = this.dice(5) === 0 ? [[scope, note(`permission:${callId}`, { behavior: 'allow' })]] : [];
    steps.push(started);
    if (this.dice(8) === 0) steps.push(started);
    if (depth < 2 && this.dice(4) === 0) steps.push(...this.#subagent([...scope, callId], depth + 1));
    return [...steps, [scope, finished(callId, `out-${callId}-${'x'.repeat(this.dice(6) === 0 ? 300 : 3)}`)]];
  }

  #subagent(scope: Scope, depth: number): Step[] {
    const steps: Step[] = [[scope, this.#userRecord()]];
    const turns = 1 + this.dice(2);
    for (let turn = 0; turn < turns; turn++) {
      const reply = this.#reply();
      steps.push([scope, { type: 'message', message: reply }]);
      steps.push(...this.#merged(toolUsesOf(reply).map(({ id }) => this.#call(scope, id, depth))));
    }
    return steps;
  }

  /** Several lists as one, each in its own order: calls of one reply run at the same time. */
  #merged(lists: readonly (readonly Step[])[]): Step[] {
    const rests = lists.map((list) => [...list]).filter((list) => list.length > 0);
    const merged: Step[] = [];
    while (rests.length > 0) {
      const at = this.dice(rests.length);
      merged.push(rests[at]!.shift()!);
      if (rests[at]!.length === 0) rests.splice(at, 1);
    }
    return merged;
  }

  /** `abandoned`: some of the last steps never happen. */
  #records(steps: readonly Step[], abandoned = false): void {
    const kept = abandoned ? steps.slice(0, this.dice(steps.length + 1)) : steps;
    for (const [scope, record] of kept) this.write({ type: 'record', scope, record });
  }

  /** Cuts where compaction may: before a message of the user, or before a reply. */
  #compact(scope: Scope): void {
    const { messages } = scopeOf(this.#state, scope);
    const places = messages.filter(({ role }, index) => role !== 'tool' && index > 0);
    const from = places[this.dice(places.length)];
    if (!from) return;
    const pinned = messages.filter(({ role }) => role === 'user' && this.dice(4) === 0).map(({ id }) => id);
    const facts = { id: crypto.randomUUID(), createdAt: AT, summary: 'What was before.', tokensBefore: 1000 };
    this.#records([[scope, { type: 'compaction', ...facts, keptFrom: from.id, pinned }]]);
  }

  #userRecord(): RunRecord {
    const content = [{ type: 'text' as const, text: `said ${this.#id('u')}` }];
    const message: UserMessage = { id: crypto.randomUUID(), createdAt: AT, role: 'user', content };
    return { type: 'message', message };
  }

  #reply(): AssistantMessage {
    const facts = { id: crypto.randomUUID(), createdAt: AT, provider: 'p', model: 'm', usage: this.#usage() };
    const text = { type: 'text' as const, text: `answer ${this.#id('a')}` };
    if (this.dice(8) === 0) return { ...facts, role: 'assistant', content: [text], stopReason: 'interrupted' };
    const uses = Array.from({ length: this.dice(4) }, () => {
      const id = this.#id('c');
      return { type: 'tool_use' as const, id, name: 'work', input: { tag: `in-${id}-` } };
    });
    const thought = this.dice(3) === 0 ? [{ type: 'thinking' as const, text: 'Hm.' }] : [];
    const said = uses.length === 0 || this.dice(2) === 0 ? [text] : [];
    const stopReason = uses.length > 0 ? 'tool_use' : 'end';
    return { ...facts, role: 'assistant', content: [...thought, ...said, ...uses], stopReason };
  }

  #usage(): { inputTokens: number; outputTokens: number; totalTokens: number } {
    const [inputTokens, outputTokens] = [this.dice(100), this.dice(100)];
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  #id(kind: string): string {
    return `${kind}${++this.#made}`;
  }

  #maybeBlob(body: EntryBody): EntryBody {
    const json = JSON.stringify(body);
    if (body.type !== 'record' || json.length < 350) return body;
    const bytes = new TextEncoder().encode(json);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.blobs.set(sha256, bytes);
    return { type: 'blob', of: body.type, sha256 };
  }
}

const AT = new Date(0).toISOString();

function note(name: string, data: unknown): RunRecord {
  return { type: 'note', name, data };
}

function finished(callId: string, output: string): RunRecord {
  return { type: 'tool_finished', callId, result: { output, isError: false }, durationMs: 1 };
}
