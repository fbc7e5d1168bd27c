import { type Logger, type StreamMessage, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { RoleStore, RuntimeOptions } from '@x/tool-groups';
import type { SessionStore } from '../log/session-store.ts';
import { SESSION } from '../options/check-options.ts';
import { checkKey } from '../options/known-options.ts';
import type { CustomProvider } from '../options/session-models.ts';
import type { SessionOptions } from '../options/types.ts';
import { STORE } from '../store/using-store.ts';

/** Options that the organisation sets for each session. */
type Given = 'store' | 'role' | 'toolGroups' | 'title' | 'metadata';
/** Options without effect: `Task` is in no group of an organisation, whose agents start others by `spawn_agent`. */
type Idle = 'agents' | 'maxSubagentDepth' | 'maxParallelSubagents';
/** Options of the sessions of all agents, root's included: model, guards, directory, handlers, tools of the host. */
export type AgentSessionOptions = Omit<SessionOptions, Given | Idle>;

/** The model of a service that a role names. */
export interface ModelChoice {
  readonly model: string;
  /** Default: that of the other agents. */
  readonly provider?: SessionOptions['provider'] | CustomProvider;
}

/** Options of an organisation. */
export interface OrganizationOptions {
  /** The name in the store: the same id finds the same agents again. 1 to 200 characters. */
  readonly id: string;
  /** Holds the sessions of all agents; the host closes it after the organisation. */
  readonly store: SessionStore;
  readonly session: AgentSessionOptions;
  /** Part of the instruction of the root agent. Default: a short one. */
  readonly rootPrompt?: string;
  /** Default: in memory, lost with the process: agents whose role is gone can do nothing. Closed by the host. */
  readonly roles?: RoleStore;
  readonly modules?: NonNullable<RuntimeOptions['config']>['modules'];
  /** Groups of the host's tools, by id and by the names in `session.tools`, in addition to the built-in ones. */
  readonly toolGroups?: NonNullable<RuntimeOptions['toolGroups']>;
  /** Groups of a role without `toolGroups`; default `all`. */
  readonly defaultToolGroups?: 'all' | readonly string[];
  /** The number of agents, their depth, and the time that starting or ending one may take. */
  readonly limits?: NonNullable<RuntimeOptions['limits']>;
  /** The model of a role's `llmServiceId`. Undefined, or absent: the service is unknown, and no agent of the role can be spawned. */
  readonly modelFor?: (llmServiceId: string) => ModelChoice | undefined;
  /** Agents other than root that run at a time; default 4. */
  readonly concurrency?: number;
  /** Called with the events of agents other than root; their runs wait for it. */
  readonly onEvent?: (event: StreamMessage, agentId: string) => void | Promise<void>;
  /** Called with errors that are retried, and for agents that could not be found again. An error that it throws is uncaught. */
  readonly onError?: (error: unknown, agentId: string) => void;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Closes the organisation when aborted. */
  readonly signal?: AbortSignal;
}

const GIVEN: Readonly<Record<Given, true>> = { store: true, role: true, toolGroups: true, title: true, metadata: true };
const IDLE: Readonly<Record<Idle, true>> = { agents: true, maxSubagentDepth: true, maxParallelSubagents: true };
const MAX_ID = 200;

const OWN = Object.fromEntries(
  Object.entries(SESSION).filter(([key]) => !Object.hasOwn(GIVEN, key) && !Object.hasOwn(IDLE, key)),
);

function checkSession(session: unknown, path: string): void {
  for (const key of Object.keys(session as object)) {
    // safe: `ORGANIZATION` has checked that it is an object
    const why = Object.hasOwn(GIVEN, key)
      ? 'is chosen by the organisation'
      : Object.hasOwn(IDLE, key) && 'has no effect: agents of an organisation start others by spawn_agent';
    if (why) throw new ValidationError(`${path}.${key} ${why}; leave it out`, `${path}.${key}`);
    checkKey(key, { resuming: false }, path);
  }
  checkOptions(path, session, OWN, path);
}

export const ORGANIZATION: OptionRules<OrganizationOptions> = {
  id: is.required(
    is.rule(
      `a text of 1 to ${MAX_ID} characters`,
      (value) => typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ID,
    ),
  ),
  store: is.required(STORE),
  session: is.required(
    is.rule(
      'the options of the sessions: provider, model and more',
      (value) => typeof value === 'object' && value !== null,
      checkSession,
    ),
  ),
  rootPrompt: is.text,
  roles: is.anything, // these are checked by the runtime
  modules: is.anything,
  toolGroups: is.anything,
  defaultToolGroups: is.anything,
  limits: is.anything,
  modelFor: is.callback,
  concurrency: is.count(),
  onEvent: is.callback,
  onError: is.callback,
  logger: is.anything, // by the runtime too
  signal: is.abortSignal,
};
