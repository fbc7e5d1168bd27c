import type { Message, StreamMessage } from '@x/core';
import { checkMode, type PermissionMode } from '@x/handlers';
import { type ModelInfo, supportedModels } from '@x/models';
import type { Settings } from './assemble.ts';
import { checkCount, checkModelName } from './check-options.ts';
import { Conversation } from './conversation.ts';
import type { SessionState } from './log/fold.ts';
import type { SessionStore } from './log/session-store.ts';
import { modelOf } from './models.ts';
import { RestingState } from './resting-state.ts';
import { endHooks } from './session-hooks.ts';
import type { ISession, SendOptions, SendOutcome, StreamOptions } from './types.ts';
import { type SessionUsage, sessionUsage } from './usage.ts';

export interface SessionParts {
  readonly sessionId: string;
  readonly store: SessionStore;
  /** Whether the store was opened for this session alone and is closed with it. */
  readonly ownsStore: boolean;
  readonly settings: Settings;
  readonly state: SessionState;
}

/** The face of a session; every method is a line or two. */
export class Session implements ISession {
  readonly sessionId: string;
  readonly #parts: Omit<SessionParts, 'state'>;
  readonly #state: RestingState;
  readonly #conversation: Conversation;
  #closing: Promise<void> | undefined;

  constructor({ state, ...parts }: SessionParts) {
    this.sessionId = parts.sessionId;
    this.#parts = parts;
    this.#state = new RestingState(parts.store, state);
    this.#conversation = new Conversation({ ...parts, state: this.#state });
  }

  get messages(): Message[] {
    return this.#state.messages();
  }

  send(message: string, options?: SendOptions): Promise<SendOutcome> {
    return this.#conversation.send(message, options);
  }

  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void> {
    return this.#conversation.stream(options);
  }

  abort(): void {
    this.#conversation.abort();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#conversation.assertOpen();
    this.#parts.settings.policy.mode = checkMode(mode);
  }

  async setModel(model: string): Promise<void> {
    this.#conversation.assertOpen();
    checkModelName(model);
    const { settings } = this.#parts;
    settings.model = modelOf(settings.options.provider, model);
  }

  setMaxTurns(maxTurns: number): void {
    this.#conversation.assertOpen();
    checkCount(maxTurns, 'maxTurns');
    this.#parts.settings.maxTurns = maxTurns;
  }

  async supportedModels(): Promise<ModelInfo[]> {
    this.#conversation.assertOpen();
    const { provider } = this.#parts.settings.options;
    if (provider.type !== 'custom') return await supportedModels(provider);
    const { name, contextWindow } = this.#parts.settings.model;
    return [{ id: name, name, provider: 'custom', maxTokens: contextWindow }];
  }

  async usage(): Promise<SessionUsage> {
    this.#conversation.assertOpen();
    const { store, sessionId, settings } = this.#parts;
    const { prices } = settings.options;
    return await sessionUsage(store, sessionId, prices ? { prices } : {});
  }

  /** What made the last run end with an error. */
  get failure(): unknown {
    return this.#conversation.failure;
  }

  async #close(): Promise<void> {
    const { store, settings } = this.#parts;
    await this.#conversation.close();
    try {
      await endHooks(settings, { store, sessionId: this.sessionId, failed: this.failure !== undefined });
    } finally {
      this.#state.close();
      if (this.#parts.ownsStore) await store[Symbol.asyncDispose]();
    }
  }
}
