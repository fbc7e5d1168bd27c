import type { CheckpointStatistics, RewindOptions, RewindResult } from '@x/checkpoint';
import { type AgentEvent, type Message, type StreamMessage, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue } from '@x/errors/option-rules';
import type { PermissionMode } from '@x/handlers';
import { checkMode } from '@x/handlers/internal';
import type { McpCompletion, McpItem, McpServerStatus, McpToolInfo } from '@x/mcp';
import { type ModelInfo, supportedModels } from '@x/models';
import type { SessionCheckpoints } from './checkpoints/session-checkpoints.ts';
import { listCommands } from './commands/list-commands.ts';
import type { SlashCommand } from './commands/slash-command.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import type { Diagnosis } from './diagnose/diagnosis.ts';
import type { SessionEvent } from './follow/session-event.ts';
import { EVENTS, type EventsOptions, eventsOf } from './follow/watch-session.ts';
import { ownRecord } from './host/own-record.ts';
import type { SessionState } from './log/fold.ts';
import type { SessionStore } from './log/session-store.ts';
import { METADATA, TITLE, titleEntry } from './log/title.ts';
import { type SessionUsage, sessionUsage } from './log/usage.ts';
import type { SessionServers } from './mcp/session-servers.ts';
import { checkModelName } from './options/check-options.ts';
import { FORK } from './options/known-options.ts';
import type { ISession } from './options/session-interface.ts';
import type {
  ForkOptions,
  ForkSessionOptions,
  SendOptions,
  SendOutcome,
  SessionRewindOptions,
  SessionRewindResult,
  StreamOptions,
} from './options/types.ts';
import type { UserContent } from './options/user-content.ts';
import { answerQuestion, type QuestionAnswer } from './questions/answer-question.ts';
import { admitSessionOptions } from './run/admitted-options.ts';
import { allowRules } from './run/allowed-rules.ts';
import type { Settings } from './run/assemble.ts';
import { modelOf } from './run/models.ts';
import { RestingState } from './run/resting-state.ts';
import { rewindFiles } from './run/rewind-files.ts';
import { rewindSession } from './run/rewind-session.ts';
import { approve, serversFor } from './run/server-tools.ts';
import { endHooks } from './run/session-hooks.ts';
import { SessionFacts } from './run/title-and-metadata.ts';
import { isWaitedForBy } from './run/within-run.ts';

export interface SessionParts {
  readonly sessionId: string;
  readonly store: SessionStore;
  /** True when the store was opened for this session alone and is closed with it. */
  readonly ownsStore: boolean;
  readonly settings: Settings;
  readonly fork: (
    options: ForkOptions,
    known: { readonly isRun: boolean; readonly checkpoints?: SessionCheckpoints | undefined },
  ) => Promise<ISession>;
  /** Absent, it is read when needed; the store must have `now`. */
  readonly state?: SessionState | undefined;
}

/** The public session; every method is a line or two. */
export class Session implements ISession {
  readonly sessionId: string;
  readonly #parts: Omit<SessionParts, 'state'> & ConversationOptions;
  readonly #conversation: Conversation;
  /** The name that the host gave last: a custom provider's model may have another one. */
  #model: string;
  #closing: Promise<void> | undefined;
  /** Ends the events that are read here when the session is closed; made for the first reader. */
  #readers: AbortController | undefined;

  constructor({ state, ...parts }: SessionParts) {
    this.sessionId = parts.sessionId;
    const resting = { ...parts, state: new RestingState(parts.store, parts.sessionId, state) };
    this.#parts = { ...resting, facts: new SessionFacts(resting) };
    this.#conversation = new Conversation(this.#parts);
    this.#model = parts.settings.options.model;
  }

  get messages(): Message[] {
    return this.#parts.state.messages();
  }

  get title(): string | undefined {
    return this.#parts.state.state.title;
  }

  get metadata(): Readonly<Record<string, string>> {
    return { ...this.#parts.state.state.metadata };
  }

  send(message: string | readonly UserContent[], options?: SendOptions): Promise<SendOutcome> {
    return this.#conversation.send(message, options);
  }

  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void> {
    return this.#conversation.stream(options);
  }

  retry(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void> {
    return this.#conversation.stream(options, true);
  }

  events(options: EventsOptions = {}): AsyncGenerator<SessionEvent, void, void> {
    return eventsOf(() => {
      this.#conversation.assertOpen();
      checkOptions('The options', options, EVENTS);
      const { signal: closed } = (this.#readers ??= new AbortController());
      const signal = options.signal ? AbortSignal.any([options.signal, closed]) : closed;
      return { store: this.#parts.store, sessionId: this.sessionId, from: options.from, signal };
    });
  }

  async answer(callId: string, answer: QuestionAnswer): Promise<void> {
    this.#conversation.assertOpen();
    const { store, sessionId } = this.#parts;
    await answerQuestion({ store, sessionId, callId, answer });
  }

  abort(): void {
    this.#conversation.abort();
  }

  close(): Promise<void> {
    const isUnderWay = this.#conversation.isReading || this.#closing !== undefined;
    const closing = (this.#closing ??= this.#close());
    if (!isUnderWay || !isWaitedForBy(this.sessionId)) return closing;
    closing.catch(() => undefined); // whoever closes from outside is told
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#conversation.assertOpen();
    this.#parts.settings.policy.mode = checkMode(mode);
  }

  async allow(rules: string | readonly string[]): Promise<void> {
    this.#conversation.assertOpen();
    const list = typeof rules === 'string' ? [rules] : rules;
    if (!Array.isArray(list)) throw new ValidationError('allow takes a rule, or a list of them', 'rule');
    await allowRules(list, this.#parts);
  }

  async setModel(model: string): Promise<void> {
    this.#conversation.assertOpen();
    checkModelName(model);
    const { settings } = this.#parts;
    const next = modelOf(settings.options.provider, model);
    admitSessionOptions({ ...settings, model: next });
    settings.model = next;
    this.#model = model;
  }

  setMaxTurns(maxTurns: number): void {
    this.#conversation.assertOpen();
    checkValue('maxTurns', maxTurns, is.required(is.count()));
    this.#parts.settings.maxTurns = maxTurns;
  }

  async setTitle(title: string): Promise<void> {
    this.#conversation.assertOpen();
    checkValue('title', title, is.required(TITLE));
    await this.#parts.facts.record(() => titleEntry(title));
  }

  async setMetadata(metadata: Readonly<Record<string, string>>): Promise<void> {
    this.#conversation.assertOpen();
    const own = ownRecord(metadata);
    checkValue('metadata', own, is.required(METADATA));
    await this.#parts.facts.record(() => ({ type: 'metadata', metadata: own }));
  }

  async fork(options: ForkSessionOptions = {}): Promise<ISession> {
    this.#conversation.assertOpen();
    checkOptions('The options', options, FORK);
    const { settings, sessionId, fork } = this.#parts;
    const { title: _title, metadata: _metadata, ...own } = settings.options; // the log's hold
    const { policy, maxTurns, cwd } = settings;
    const now = { model: this.#model, permissionMode: policy.mode, maxTurns, ...(own.workspace ? {} : { cwd }) };
    const { checkpoints } = settings;
    return await fork({ ...own, ...now, ...options, sessionId }, { isRun: this.#parts.facts.isRun, checkpoints });
  }

  async rewindFiles(messageId: string, options: RewindOptions = {}): Promise<RewindResult> {
    this.#conversation.assertOpen();
    return await rewindFiles(messageId, options, this.#parts);
  }

  async rewind(options: SessionRewindOptions): Promise<SessionRewindResult> {
    this.#conversation.assertOpen();
    return await rewindSession(options, this.#parts);
  }

  getCheckpointStatistics(): CheckpointStatistics | null {
    return this.#parts.settings.checkpoints?.statistics ?? null;
  }

  async mcpServerStatus(): Promise<McpServerStatus[]> {
    this.#conversation.assertOpen();
    return this.#parts.settings.servers?.status() ?? [];
  }

  async mcpListTools(): Promise<McpToolInfo[]> {
    this.#conversation.assertOpen();
    return this.#parts.settings.servers?.listTools() ?? [];
  }

  async mcpConnect(serverName: string): Promise<void> {
    await (await this.#servers(serverName)).connect(serverName);
  }

  async mcpDisconnect(serverName: string): Promise<void> {
    await (await this.#servers(serverName)).disconnect(serverName);
  }

  async mcpReconnect(serverName: string): Promise<void> {
    await (await this.#servers(serverName)).reconnect(serverName);
  }

  async mcpApprove(serverName: string, name?: string): Promise<void> {
    await approve(await this.#servers(serverName), this.#parts.facts, serverName, name);
  }

  async mcpReadResource(...of: Parameters<ISession['mcpReadResource']>): Promise<readonly McpItem[]> {
    return await (await this.#servers(of[0])).readResource(...of);
  }

  async mcpSubscribe(...of: Parameters<ISession['mcpSubscribe']>): Promise<() => Promise<void>> {
    return await (await this.#servers(of[0])).subscribe(...of);
  }

  async mcpComplete(...of: Parameters<ISession['mcpComplete']>): Promise<McpCompletion> {
    return await (await this.#servers(of[0])).complete(...of);
  }

  async #servers(serverName: string): Promise<SessionServers> {
    this.#conversation.assertOpen();
    return await serversFor(serverName, this.#parts.settings.servers);
  }

  async supportedCommands(): Promise<SlashCommand[]> {
    this.#conversation.assertOpen();
    const { commandDirectories, servers } = this.#parts.settings;
    const own = listCommands(commandDirectories);
    const prompts = (await servers?.commands()) ?? [];
    return [...own, ...prompts.filter(({ name }) => own.every((one) => one.name !== name))];
  }

  async supportedModels(options: { readonly signal?: AbortSignal } = {}): Promise<ModelInfo[]> {
    this.#conversation.assertOpen();
    checkOptions('The options', options, { signal: is.abortSignal });
    const { provider } = this.#parts.settings.options;
    if (provider.type !== 'custom') return await supportedModels(provider, options);
    const { name, contextWindow } = this.#parts.settings.model;
    return [{ id: name, name, provider: 'custom', maxTokens: contextWindow }];
  }

  async usage(): Promise<SessionUsage> {
    this.#conversation.assertOpen();
    const { store, sessionId, settings } = this.#parts;
    const { prices } = settings.options;
    return await sessionUsage(store, sessionId, prices ? { prices } : {});
  }

  diagnosis(): Diagnosis {
    for (const notice of this.#parts.settings.servers?.notices ?? []) this.#conversation.note(notice);
    return { ok: true, checks: this.#conversation.notices };
  }

  /** The error that ended the last run. */
  get failure(): unknown {
    return this.#conversation.failure;
  }

  async #close(): Promise<void> {
    const { store, settings } = this.#parts;
    this.#readers?.abort();
    try {
      await this.#conversation.close();
    } finally {
      await settings.servers?.close();
    }
    try {
      const emit = (event: AgentEvent) => {
        if (event.type === 'notification') this.#conversation.note(event);
      };
      await endHooks(settings, { store, sessionId: this.sessionId, failed: this.failure !== undefined, emit });
    } finally {
      await this.#parts.state.close();
      if (this.#parts.ownsStore) await store[Symbol.asyncDispose]();
    }
  }
}
