import { type AgentConfig, type AgentEvent, SessionError, type UserMessage } from '@x/core';
import { messageOf, present } from '@x/core/internal';
import { flattened, inner, type Nested } from '@x/core/streams';
import { liveRun, type RunOptions, runAgent } from '@x/executor';
import { type ConcludedRun, concludeRun, type RunOutcome } from '@x/executor/internal';
import type { RunCheckpoints } from '../checkpoints/session-checkpoints.ts';
import { isObeyed, type Obeyed, obeyCommands } from '../commands/obey-commands.ts';
import type { Followers } from '../follow/followers.ts';
import { type OpenRun, type RunState, type SessionState, scopeOf } from '../log/fold.ts';
import { ownerEvent } from '../log/owner-events.ts';
import { sessionJournal } from '../log/session-journal.ts';
import { SessionLog } from '../log/session-log.ts';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { readWhileSlow } from '../log/slow-store.ts';
import { titleFrom } from '../log/title.ts';
import { takeAnswers } from '../questions/take-answers.ts';
import { allowRules, recallRules } from './allowed-rules.ts';
import { type Assembly, assemble, isThroughWorkspace, type Settings } from './assemble.ts';
import { compactionNotice } from './compaction-notice.ts';
import { endCommands } from './end-commands.ts';
import { recordEnd } from './record-end.ts';
import type { RestingState } from './resting-state.ts';
import { RunTally } from './run-tally.ts';
import { comingTools, pinRiders } from './server-tools.ts';
import type { SessionInbox } from './session-inbox.ts';
import { type Notice, RunSlowness } from './store-slow.ts';
import { takeUpRun } from './take-up-run.ts';
import { tracerOf } from './telemetry.ts';
import type { SessionFacts } from './title-and-metadata.ts';

export interface RunSessionOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly settings: Settings;
  /** State folded earlier in this process; used when the log has not grown since. */
  readonly known: RestingState;
  readonly abort: AbortController;
  readonly inbox: SessionInbox;
  /** Entries other than those of the run go through its log. */
  readonly facts: SessionFacts;
  /** True: what a failed run was asked is run again, without another message. */
  readonly retries: boolean;
  readonly followers: Followers;
  /** Called with the log before the first event. */
  readonly onOpened?: (log: SessionLog) => void;
  /** Called immediately with notices that the events carry later, or never. */
  readonly onNotice: (notice: Notice) => void;
}
/** The end of a run of a session. */
export interface SessionRun {
  readonly state: SessionState;
  readonly failure?: unknown;
}

/**
 * Runs a session once, by its id alone: lease, log, handlers, loop, end. The last event is the `result`.
 * @throws SessionError `SESSION_BUSY`, `NOTHING_TO_STREAM`, `SESSION_NOT_FOUND` before the first event
 */
export function runSession(options: RunSessionOptions): AsyncGenerator<AgentEvent, SessionRun, void> {
  return flattened(wholeRun(options));
}

async function* wholeRun(options: RunSessionOptions): Nested<AgentEvent, SessionRun> {
  const { store, sessionId, abort, known, inbox, facts } = options;
  const onLost = (reason: unknown) => abort.abort(reason);
  const slow = new RunSlowness({ sessionId, onNotice: options.onNotice, onFailed: onLost });
  const owning = { store, sessionId, onLost, signal: abort.signal, stretch: slow.stretch };
  const opening = facts.lend(() => SessionLog.open({ ...owning, known: known.wake() }));
  const log = await opening.catch((error: unknown) => {
    inbox.close();
    throw error;
  });
  options.onOpened?.(log);
  let ended: ConcludedRun;
  let files: RunCheckpoints | undefined;
  try {
    const started = await start(log, options);
    const { open } = started;
    const { settings } = options;
    recallRules(log.state, settings);
    settings.servers?.recall(log.state.mcpPins ?? []);
    files = await settings.checkpoints?.ofRun((error) => run.run.emit(notLookedAt(error)), isThroughWorkspace);
    const tally = new RunTally(settings.options.prices);
    await tally.addPast({ store, sessionId, signal: abort.signal }, log.state);
    const assembly = await assembledFor(log, options, { tally, files });
    const making = { ...started, options, assembly, tally };
    if (log.state.run) await endCommands(log.state, assembly.workspace);
    let run = runOptions(log, making);
    slow.showTo(run.pipeline, run.run);
    await settings.servers?.ready(abort.signal);
    for (const event of settings.servers?.takeNotices() ?? []) run.run.emit(event);
    if (run.isFollowed?.()) run.run.emit(sessionStarted(settings, assembly));
    for (const event of options.settings.start?.events.splice(0) ?? []) run.run.emit(event);
    for (const event of known.takeNotices()) run.run.emit(event);
    let outcome: RunOutcome;
    try {
      if (started.crashed) throw started.crashed;
      const obeyed = await obey(run, making);
      if (obeyed && 'input' in obeyed) {
        run = runOptions(log, { ...making, input: obeyed.input });
        for (const event of obeyed.told) run.run.emit(event);
      }
      const running = inner<AgentEvent, RunOutcome>(obeyed && 'ended' in obeyed ? obeyed.ended : runAgent(run));
      yield running;
      outcome = running.result;
    } catch (failure) {
      outcome = { subtype: 'error', failure };
    }
    inbox.close();
    await files?.close(); // before another process may go on with the session
    outcome = await recordEnd(log, { open, outcome, tally });
    ended = await concludeRun(outcome, { pipeline: run.pipeline, run: run.run, summary: tally.summary(log.state) });
  } finally {
    inbox.close();
    await files?.close();
    await log.close().finally(() => facts.returned());
  }
  for (const event of ended.events) yield event;
  return { state: log.state, ...('failure' in ended.outcome ? { failure: ended.outcome.failure } : {}) };
}

async function assembledFor(
  log: SessionLog,
  options: RunSessionOptions,
  { tally, files }: { readonly tally: RunTally; readonly files: RunCheckpoints | undefined },
): Promise<Assembly> {
  const { settings, facts, abort } = options;
  const tracer = await tracerOf(settings.options);
  const remember = (rules: readonly string[]) => allowRules(rules, { settings, facts });
  return assemble(settings, {
    tracer,
    remember,
    interrupt: () => abort.abort(),
    spent: () => tally.cost,
    onCompaction: compactionNotice(log, options.followers),
    ...present({ files }),
  });
}

function notLookedAt(error: unknown): AgentEvent {
  const message = `The files could not be looked at; what has changed meanwhile is a conflict for a rewind: ${messageOf(error)}`;
  return { type: 'notification', kind: 'checkpoint_failed', message };
}

function sessionStarted({ model, policy, cwd, servers }: Settings, { tools }: Assembly): AgentEvent {
  const names = [...tools, ...(servers?.tools() ?? [])].map(({ name }) => name);
  return { type: 'session_started', tools: names, model: model.name, permissionMode: policy.mode, cwd };
}

interface Started {
  readonly open: OpenRun;
  readonly input: readonly UserMessage[];
  readonly maxTurns: number;
  /** Commands to the session, carried out before the input; empty when an interrupted run has done them and had nothing else to do. */
  readonly commands?: readonly InboxItem[];
  /** The error of a run that was started too often, and ends with it. */
  readonly crashed?: SessionError;
}
interface Making extends Started {
  readonly options: RunSessionOptions;
  /** Covers everything in the run, including what comes before its turns. */
  readonly assembly: Assembly;
  readonly tally: RunTally;
}

/** The way in which the owner before has gone. */
function endBefore({ waits, attempts }: RunState): 'interrupted' | 'left' | 'waiting' {
  if (waits) return 'waiting';
  return attempts > 0 ? 'interrupted' : 'left';
}

/** Continues a run that a crash has left open, or starts one with all messages that wait or that no model has seen yet. */
async function start(log: SessionLog, options: RunSessionOptions): Promise<Started> {
  const { store, settings, inbox, sessionId, abort } = options;
  const open = log.state.run;
  const inWait = open ? await readWhileSlow(() => store.inbox(sessionId), abort.signal) : [];
  const first = inWait.find(({ message }) => message.id === open?.messageId);
  const waiting = first && (inWait.some(({ command }) => command) ? 'command' : 'message');
  const { maxCrashes } = settings.options;
  if (open) ownerEvent(store, { type: 'taken_up', after: endBefore(open) });
  const crashed = open && (await takeUpRun(log, open, { model: settings.model, waiting, maxCrashes }));
  await takeAnswers(log, inWait);
  if (crashed) {
    if (first) await refuseFirst(log, open, inbox);
    return { open, input: [], maxTurns: settings.maxTurns, crashed };
  }
  // Waiting messages join the unfinished run at its next turn, like any message sent during a run. If the crash came before the run's
  // first message was recorded, it begins with that one, whatever its priority.
  if (open && !first) {
    const done = isObeyed(scopeOf(log.state, [])) ? { commands: [] } : {};
    return { open, input: [], maxTurns: open.maxTurns ?? settings.maxTurns, ...done };
  }
  const all = await inbox.first();
  const items = all.filter(({ answer }) => !answer);
  if (items.length < all.length) await takeAnswers(log, all);
  const unseen = openMessage(log.state, options);
  if (items.length === 0 && unseen === undefined) throw nothingTo(`answer; send a message first`, sessionId);
  const named = items.findLast((item) => item.maxTurns !== undefined)?.maxTurns;
  const limit = named === undefined ? {} : { maxTurns: named };
  const commands = items.filter(({ command }) => command);
  const others = items.filter(({ command }) => !command);
  const messageId = (others[0] ?? items[0])?.message.id ?? unseen!; // one of them is there
  const run: OpenRun = open ?? { runId: crypto.randomUUID(), messageId, ...limit };
  const title = others[0] && log.state.title === undefined ? titleFrom(others[0].message) : [];
  if (!open) await log.append([...title, { type: 'run_started', ...run, model: settings.model.name }]);
  return {
    open: run,
    input: others.map((item) => item.message),
    maxTurns: run.maxTurns ?? settings.maxTurns,
    ...(commands.length > 0 ? { commands } : {}),
  };
}

/** The message without an answer that the next run takes up: none has seen it, or the run that has was a failure and is retried. */
function openMessage(
  { unseen, failed, scopes }: SessionState,
  { retries, sessionId }: RunSessionOptions,
): string | undefined {
  if (!retries) return unseen;
  if (failed === undefined) throw nothingTo('retry: its last run has not failed; use stream()', sessionId);
  const last = scopes.get('')?.messages.at(-1);
  if (!last) throw nothingTo('retry: its message was refused before it was recorded; send another', sessionId);
  if (last.role === 'assistant')
    throw nothingTo('retry: the model has answered; send a message that says what was wrong', sessionId);
  return failed;
}

function nothingTo(what: string, sessionId: string): SessionError {
  return new SessionError(`Session ${sessionId} has nothing to ${what}`, { code: 'NOTHING_TO_STREAM' });
}

/** Carries out the commands to the session; undefined without any. */
async function obey(run: RunOptions, { commands, input, assembly }: Making): Promise<Obeyed | undefined> {
  if (!commands) return undefined;
  return await obeyCommands(commands, { ...run, input, compaction: assembly.compaction });
}

/** Removes the message with which the run began from the inbox, so that the next run does not begin with it again. */
async function refuseFirst(log: SessionLog, { messageId }: OpenRun, inbox: SessionInbox): Promise<void> {
  await inbox.first();
  const journal = sessionJournal(log, (record) => inbox.consumedBy(record));
  await journal.write({ type: 'note', name: 'message_refused', data: { messageId } });
}

function runOptions(log: SessionLog, { options, open, input, maxTurns, assembly, tally }: Making): RunOptions {
  const { settings, inbox, abort, sessionId, followers } = options;
  const { pipeline, tools, instruction, workspace } = assembly;
  const { modelOptions, maxParallelTools, toolTimeout, onToolTimeout, maxToolOutputBytes, reconcile } =
    settings.options;
  const config: AgentConfig = {
    instruction,
    tools: tools.map((tool) => ({ tool, returnDirectly: false })),
    input: [...input],
    options: { maxTurns },
  };
  const journal = sessionJournal(
    log,
    (record) => {
      tally.add(record);
      followers.recording();
      return inbox.consumedBy(record);
    },
    settings.servers && pinRiders(settings.servers),
  );
  const { runId, messageId } = open;
  const facts = { sessionId, runId, messageId, agentName: 'main', depth: 0, signal: abort.signal, journal };
  const live = liveRun(facts);
  settings.servers?.serve(live);
  return {
    config,
    pipeline,
    run: live,
    model: settings.model,
    inbox,
    workspace,
    isFollowed: () => followers.areThere,
    costOf: (message) => tally.costOf(message),
    ...present({ comingTools: comingTools(settings.servers, live) }),
    ...present({ modelOptions, maxParallelTools, toolTimeout, onToolTimeout, maxToolOutputBytes, reconcile }),
  };
}
