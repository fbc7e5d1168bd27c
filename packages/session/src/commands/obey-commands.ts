import { type AgentEvent, type Inbox, type Message, type RunRecord, textOf, type UserMessage } from '@x/core';
import type { ScopeState } from '@x/core/internal';
import type { LiveRun, RunResult } from '@x/executor';
import { type CompactionOptions, compactNow, type Pipeline } from '@x/handlers';
import type {} from '../log/fold.ts';
import type { InboxItem } from '../log/session-store.ts';

/** Everything that carries out the commands of a run. */
export interface CommandRun {
  readonly run: LiveRun;
  readonly pipeline: Pipeline;
  readonly compaction: CompactionOptions;
  readonly inbox: Inbox;
  /** The other messages that the run starts with. */
  readonly input: readonly UserMessage[];
}
/** The continuation of the run after its commands. */
export type Obeyed =
  /** The model has something to do; `told` belongs to its first turn. */
  | { readonly input: readonly UserMessage[]; readonly told: readonly AgentEvent[] }
  /** The run is over, with this. */
  | { readonly ended: AsyncGenerator<AgentEvent, RunResult, void> };

type Outcome = 'compacted' | 'nothing_to_replace' | 'blocked' | 'aborted' | 'failed';

/** The note that takes a command out of the inbox and records its outcome, in the same step as its effect. */
const COMMAND = 'command';
/** The note that a run which began with commands alone continues with messages. */
const GOES_ON = 'commands_done';

/** True when an interrupted run has carried out its commands and had nothing else to do. */
export function isObeyed({ notes, turns }: ScopeState): boolean {
  const note = notes.get(COMMAND) as { readonly alone?: unknown } | null | undefined; // of our own making, but read from a log
  return note?.alone === true && turns === 0 && !notes.has(GOES_ON);
}

/**
 * Carries out the commands that a run starts with, before its messages; several requests for a compaction make one. Without `items`, those
 * of an interrupted run are done. A run without messages ends here, unless some have arrived in the meantime.
 */
export async function obeyCommands(items: readonly InboxItem[], options: CommandRun): Promise<Obeyed> {
  const { run, inbox, input } = options;
  const before = run.journal.past.messages;
  if (run.signal.aborted) return endedWith({ subtype: 'aborted', messages: before }, options);
  let done: Done = { messages: before, content: 'The conversation was compacted' };
  try {
    if (items.length > 0) done = await compactAsAsked(items, options);
  } catch (failure) {
    return endedWith(run.signal.aborted ? { subtype: 'aborted', messages: before } : { failure }, options);
  }
  if (run.signal.aborted) return endedWith({ subtype: 'aborted', messages: done.messages }, options);
  if (input.length > 0) return { input, told: run.takeEmitted() };
  const late = await inbox.take({ last: true });
  if (late.length === 0) return endedWith({ subtype: 'success', ...done }, options);
  await run.journal.write({ type: 'note', name: GOES_ON, data: true });
  return { input: late, told: run.takeEmitted() };
}

interface Done {
  readonly messages: readonly Message[];
  readonly content: string;
}

async function compactAsAsked(items: readonly InboxItem[], { run, compaction, input }: CommandRun): Promise<Done> {
  const { journal } = run;
  const before = journal.past.messages;
  const wishes = items.flatMap(({ command }) => command?.instructions ?? []);
  const notes = (outcome: Outcome) => items.map(({ message }) => noteOf(message, outcome, input.length === 0));
  // The compaction and the end of the command are one step: a crash leaves both or neither.
  const write = (...records: readonly RunRecord[]) =>
    journal.write(...records, ...(records.some(({ type }) => type === 'compaction') ? notes('compacted') : []));
  try {
    const options = { ...compaction, ...(wishes.length > 0 ? { instructions: wishes.join('\n') } : {}) };
    const outcome = await compactNow(before, { ...run, journal: { ...journal, write } }, options);
    if (outcome.compacted) {
      const { messages } = outcome;
      return {
        messages,
        content: `The conversation was compacted: ${before.length} messages became ${messages.length}`,
      };
    }
    await journal.write(...notes(outcome.reason));
    return { messages: before, content: unchanged(outcome.reason, run) };
  } catch (failure) {
    // A command is tried once; it does not come back with every run.
    await journal.write(...notes(run.signal.aborted ? 'aborted' : 'failed'));
    throw failure;
  }
}

function noteOf(message: UserMessage, outcome: Outcome, alone: boolean): RunRecord {
  return { type: 'note', name: COMMAND, data: { messageId: message.id, text: textOf(message), outcome, alone } };
}

function unchanged(reason: 'nothing_to_replace' | 'blocked', run: LiveRun): string {
  if (reason === 'nothing_to_replace') return 'There is nothing to compact yet';
  const message = 'A hook has blocked the compaction';
  run.emit({ type: 'notification', kind: 'compaction_blocked', message });
  return message;
}

function endedWith(end: RunResult | { readonly failure: unknown }, options: CommandRun): Obeyed {
  return { ended: compactionTold(end, options) };
}

/** Yields what the commands have told, as a turn of its own; observers see it first. */
async function* compactionTold(
  end: RunResult | { readonly failure: unknown },
  { run, pipeline }: CommandRun,
): AsyncGenerator<AgentEvent, RunResult, void> {
  const emitted = run.takeEmitted();
  if (emitted.length > 0) {
    const { sessionId, messageId } = run;
    yield* shownContext([{ type: 'turn_start', turn: 1, sessionId, messageId }], { run, pipeline });
    try {
      yield* shownContext(emitted, { run, pipeline });
    } catch (error) {
      yield { type: 'turn_end', turn: 1 };
      throw error;
    }
    yield* shownContext([{ type: 'turn_end', turn: 1 }], { run, pipeline });
  }
  if ('failure' in end) throw end.failure;
  return end;
}

async function* shownContext(
  events: readonly AgentEvent[],
  { run, pipeline }: Pick<CommandRun, 'run' | 'pipeline'>,
): AsyncGenerator<AgentEvent, void, void> {
  for (const event of events) {
    await pipeline.notify(event, run);
    yield event;
  }
}
