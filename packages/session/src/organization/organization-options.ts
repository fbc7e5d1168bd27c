import { type Logger, type StreamMessage, ValidationError } from '@x/core';
import type { RoleStore, RuntimeOptions } from '@x/tool-groups';
import { checkKeys } from '../host/check-keys.ts';
import type { SessionStore } from '../log/session-store.ts';
import type { CustomProvider, SessionOptions } from '../options/types.ts';

/** What the organisation gives each session itself. */
type Given = 'store' | 'role' | 'toolGroups' | 'title' | 'metadata';
/** `Task` is in no group of an organisation, whose agents start others by `spawn_agent`. */
type Idle = 'agents' | 'maxSubagentDepth' | 'maxParallelSubagents';
/** What the sessions of all agents are made of, root's included: model, guards, directory, handlers, tools of the host. */
export type AgentSessionOptions = Omit<SessionOptions, Given | Idle>;

/** The model of a service that a role names. */
export interface ModelChoice {
  readonly model: string;
  /** Default: that of the other agents. */
  readonly provider?: SessionOptions['provider'] | CustomProvider;
}

/** Options of an organisation. */
export interface OrganizationOptions {
  /** Names it in the store: the same id finds the same agents again. 1 to 200 characters. */
  readonly id: string;
  /** Where the sessions of all agents are; the host's to close, after the organisation. */
  readonly store: SessionStore;
  readonly session: AgentSessionOptions;
  /** Part of the instruction of the root agent. Default: a short one. */
  readonly rootPrompt?: string;
  /** Default: in memory, which does not outlive the process: agents whose role is gone can do nothing. The host's to close. */
  readonly roles?: RoleStore;
  readonly modules?: NonNullable<RuntimeOptions['config']>['modules'];
  /** Groups of the host's tools, by id and by the names in `session.tools`, beside the built-in ones. */
  readonly toolGroups?: NonNullable<RuntimeOptions['toolGroups']>;
  /** What a role without `toolGroups` gets; default `all`. */
  readonly defaultToolGroups?: 'all' | readonly string[];
  /** How many agents there may be, how deep, and how long starting or ending one may take. */
  readonly limits?: NonNullable<RuntimeOptions['limits']>;
  /** The model of a role's `llmServiceId`. Undefined, and absent: there is no such service, and no agent of the role can be spawned. */
  readonly modelFor?: (llmServiceId: string) => ModelChoice | undefined;
  /** Agents beside root that run at a time; default 4. */
  readonly concurrency?: number;
  /** Sees what the agents beside root do; their runs wait for it. */
  readonly onEvent?: (event: StreamMessage, agentId: string) => void | Promise<void>;
  /** Told of what has to be tried again, and of agents that could not be found again. What it throws is uncaught. */
  readonly onError?: (error: unknown, agentId: string) => void;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Aborted, the organisation is closed. */
  readonly signal?: AbortSignal;
}

const KNOWN: Readonly<Record<keyof OrganizationOptions, true>> = {
  id: true,
  store: true,
  session: true,
  rootPrompt: true,
  roles: true,
  modules: true,
  toolGroups: true,
  defaultToolGroups: true,
  limits: true,
  modelFor: true,
  concurrency: true,
  onEvent: true,
  onError: true,
  logger: true,
  signal: true,
};
const GIVEN: Readonly<Record<Given, true>> = { store: true, role: true, toolGroups: true, title: true, metadata: true };
const IDLE: Readonly<Record<Idle, true>> = { agents: true, maxSubagentDepth: true, maxParallelSubagents: true };
const MAX_ID = 200;

/** @throws ValidationError naming the option that does not fit */
export function checkOrganizationOptions(options: OrganizationOptions): void {
  checkKeys(options, Object.keys(KNOWN));
  const { id, store, session, rootPrompt, signal } = options;
  if (typeof id !== 'string' || id.trim() === '' || id.length > MAX_ID) {
    throw new ValidationError(`id must be a text of 1 to ${MAX_ID} characters`, 'id');
  }
  if (typeof store?.append !== 'function') throw new ValidationError('store must be a SessionStore', 'store');
  if (typeof session !== 'object' || session === null) {
    throw new ValidationError('session must be the options of the sessions: provider, model and more', 'session');
  }
  const given = Object.keys(session).find((key) => Object.hasOwn(GIVEN, key));
  if (given !== undefined) {
    throw new ValidationError(`session.${given} is chosen by the organisation; leave it out`, `session.${given}`);
  }
  const idle = Object.keys(session).find((key) => Object.hasOwn(IDLE, key));
  if (idle !== undefined) {
    throw new ValidationError(
      `session.${idle} has no effect: agents of an organisation start others by spawn_agent; leave it out`,
      `session.${idle}`,
    );
  }
  if (rootPrompt !== undefined && typeof rootPrompt !== 'string') {
    throw new ValidationError('rootPrompt must be a text', 'rootPrompt');
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new ValidationError('signal must be an AbortSignal', 'signal');
  }
  for (const key of ['modelFor', 'onEvent', 'onError'] as const) {
    if (options[key] === undefined || typeof options[key] === 'function') continue;
    throw new ValidationError(`${key} must be a function`, key);
  }
}
