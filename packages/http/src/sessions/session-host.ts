import { AgentError, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { localEngine, type RunEngine, type SessionStore } from '@x/session';
import { METER, measuredBacklog, type SessionMeter, serveOpened } from '@x/session/internal';
import { errorBodies } from '../answers/error-answer.ts';
import type { FailureLog } from '../log/failure-log.ts';
import type { Settings } from '../settings/http-options.ts';
import type { SessionHost } from '../settings/session-host.ts';
import { collectionRoutes } from './collection-routes.ts';
import { EventStreams } from './event-streams.ts';
import type { HostParts } from './host-parts.ts';
import { interfaceRoutes } from './interface-routes.ts';
import { LiveSessions } from './live-sessions.ts';
import { messageRoutes } from './message-routes.ts';
import { OWNER } from './owned-session.ts';
import { Profiles, type SessionProfile } from './profiles.ts';
import type { RoutedHost, SessionRoutes } from './routed-host.ts';
import { runRoutes } from './run-routes.ts';
import { sessionAnswers } from './session-schemas.ts';

/** Options of a host of sessions; all times are in milliseconds. */
export interface SessionHostOptions {
  /** Keeps the sessions; closed by you, after the host. Several hosts, and other workers, may share one. */
  readonly store: SessionStore;
  /** Options of sessions by name: a client chooses a name, and nothing else. Sessions made with a name that is not here are left alone. */
  readonly profiles: Readonly<Record<string, SessionProfile>>;
  /** Runs the sessions; one that is given is closed by you. Default: `localEngine()`, 8 at a time. */
  readonly engine?: RunEngine;
  /**
   * False: this host stores what is sent, asks `engine` for a run and tells events; other hosts of the store run the sessions. They find
   * messages by themselves where no engine is given. Not with `lookEveryMs`, `drainMs` and `onError`, which are of runs. Default: true.
   */
  readonly runs?: boolean;
  /** Between two looks for what other processes have sent. Default: 1000. */
  readonly lookEveryMs?: number;
  /** For which `close` waits for runs under way to end; then they are left where they are. Default: 0. */
  readonly drainMs?: number;
  /**
   * A meter of OpenTelemetry: counts sessions that this host has lost and taken up, and measures those of the store that wait for somebody to run
   * them, also with `runs: false`.
   */
  readonly meter?: SessionMeter;
  /** Between two signs of life on a stream on which nothing happens. Default: 15000. */
  readonly heartbeatMs?: number;
  /** Within which a client must take what is written to its stream, or is disconnected; `requestTimeout` of the server holds as well. Default: 30000. */
  readonly stallMs?: number;
  /** Event streams that one token may have open; a further one is 429. Default: 500. */
  readonly maxStreams?: number;
  /** Called with the reason why a session cannot be run now. Default: it goes to the log of the server. */
  readonly onError?: (error: unknown, sessionId: string) => void;
}

const OPTIONS: OptionRules<SessionHostOptions> = {
  store: is.required(is.having('a SessionStore', 'list', 'read', 'enqueue', 'acquire')),
  profiles: is.required(
    is.rule(
      'an object with at least one profile: options of sessions, or a function that gives them',
      (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
      (value, path) =>
        checkOptions(path, value, Object.fromEntries(Object.keys(Object(value)).map((name) => [name, PROFILE])), path),
    ),
  ),
  engine: is.having('a RunEngine', 'serve', 'submit'),
  runs: is.flag,
  lookEveryMs: is.count(),
  drainMs: is.finiteMilliseconds(),
  meter: METER,
  heartbeatMs: is.count(),
  stallMs: is.count(),
  maxStreams: is.count(),
  onError: is.callback,
};
const OF_RUNS = ['lookEveryMs', 'drainMs', 'onError'] as const;
const PROFILE = is.rule('options of sessions, or a function that gives them', (value) =>
  ['object', 'function'].includes(typeof value),
);

/** Serves sessions of a store over HTTP: the option `sessions` of `serve`, `createServer` and `createApp`. @throws ValidationError */
export function sessionHost(options: SessionHostOptions): SessionHost {
  checkOptions('Options of sessionHost', options, OPTIONS);
  const idle = options.runs === false ? OF_RUNS.find((name) => options[name] !== undefined) : undefined;
  if (idle !== undefined)
    throw new ValidationError(`${idle} goes with a host that runs sessions, not with runs: false`, idle);
  return new Host(options);
}

class Host implements RoutedHost {
  readonly #options: SessionHostOptions;
  /** Absent where others run the sessions, and look for messages themselves. */
  readonly #engine: RunEngine | undefined;
  readonly #parts: HostParts;
  #log: FailureLog | undefined;
  #serving: Promise<AsyncDisposable | undefined> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionHostOptions) {
    const { store, profiles, runs = true, engine = runs ? localEngine() : undefined } = options;
    const { heartbeatMs = 15_000, stallMs = 30_000, maxStreams = 500 } = options;
    this.#options = options;
    this.#engine = engine;
    this.#parts = {
      store,
      wake: (sessionId) => this.#wake(sessionId),
      profiles: new Profiles(profiles),
      live: new LiveSessions(),
      streams: new EventStreams({ heartbeatMs, stallMs, maxStreams }),
    };
  }

  routes(settings: Settings): SessionRoutes {
    this.#log = settings.log;
    const describe = errorBodies(settings);
    const parts = this.#parts;
    return {
      routes: [
        ...collectionRoutes(parts),
        ...messageRoutes(parts, describe),
        ...runRoutes(parts),
        ...interfaceRoutes(parts, describe),
      ],
      document: {
        schemas: sessionAnswers,
        tags: [{ name: 'sessions', description: 'Conversations of an agent; each belongs to the name of its token' }],
      },
    };
  }

  async start(): Promise<void> {
    if (this.#closing) throw new AgentError('The host of the sessions is closed; make another', 'SERVER_CLOSED', 503);
    this.#serving ??= this.#serve();
    try {
      await this.#serving;
    } catch (error) {
      this.#serving = undefined;
      throw error;
    }
  }

  async #serve(): Promise<AsyncDisposable | undefined> {
    const { lookEveryMs, drainMs, meter, onError, runs = true } = this.#options;
    const { store, live } = this.#parts;
    if (!this.#engine || !runs) {
      await store.list({ limit: 1 }); // a store that cannot be used is known at the start
      return meter && (await measuredBacklog(meter, store, async () => undefined));
    }
    const report = (error: unknown, sessionId: string) => this.#log?.error(error, { sessionId }, 'a session waits');
    return await serveOpened({
      store,
      engine: this.#engine,
      options: (sessionId) => this.#optionsOf(sessionId),
      onOpen: live.opened,
      onError: onError ?? report,
      ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
      ...(drainMs === undefined ? {} : { drainMs }),
      ...(meter === undefined ? {} : { meter }),
    });
  }

  /** Undefined for a session that is not of this host: another worker of the store runs it. */
  async #optionsOf(sessionId: string) {
    const { store, profiles } = this.#parts;
    const [found] = (await store.list({ sessionId, limit: 1 })).sessions;
    if (found?.sessionId !== sessionId || found.metadata?.[OWNER] === undefined) return undefined;
    return await profiles.optionsOf(found);
  }

  async #wake(sessionId: string): Promise<void> {
    try {
      await this.#engine?.submit(sessionId);
    } catch (error) {
      if (!this.#closing) throw error;
    }
  }

  async check(): Promise<void> {
    if (!this.#serving || this.#closing)
      throw new AgentError('The host of the sessions is not started', 'NOT_STARTED', 503);
    await this.#serving;
    await this.#parts.store.list({ limit: 1 });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#parts.streams.end();
    const serving = await this.#serving?.catch(() => undefined); // whoever began it was told
    await serving?.[Symbol.asyncDispose]();
    if (!this.#options.engine) await this.#engine?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
