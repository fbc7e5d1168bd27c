import { AgentError, isAgentError, ValidationError } from '@x/core';
import { type ISession, resumeSession, type SessionOptions, type SessionStore, type SessionSummary } from '@x/session';
import { clientMetadata, OWNER, PROFILE } from './owned-session.ts';

/** Options of the sessions of a profile; the store is that of the host, and the title the client's. */
export type ProfileOptions = Omit<SessionOptions, 'store' | 'title'>;

/** The client that a session belongs to. */
export interface ProfileCaller {
  /** The name of the token that made it. */
  readonly tokenName: string;
  /** The notes that its client has made about it. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Options, or a function that gives them: for a session that is made, and each time it is run again. */
export type SessionProfile = ProfileOptions | ((caller: ProfileCaller) => ProfileOptions | Promise<ProfileOptions>);

/** The profiles of a host. */
export class Profiles {
  readonly #profiles: ReadonlyMap<string, SessionProfile>;

  constructor(profiles: Readonly<Record<string, SessionProfile>>) {
    this.#profiles = new Map(Object.entries(profiles));
  }

  /** The name that was asked for, or that of the only profile. @throws ValidationError */
  nameFor(asked: string | undefined): string {
    const [only] = this.#profiles.keys();
    if (asked === undefined && this.#profiles.size === 1 && only !== undefined) return only;
    if (asked !== undefined && this.#profiles.has(asked)) return asked;
    throw new ValidationError('profile must be the name of a profile of this server', 'profile');
  }

  /** The options of a profile for one of its callers. @throws AgentError `PROFILE_FAILED` */
  async optionsFor(name: string, caller: ProfileCaller): Promise<ProfileOptions> {
    const profile = this.#profiles.get(name);
    if (!profile) {
      const message = `The session was made with the profile ${name}, which this server does not have any more`;
      throw new AgentError(message, 'PROFILE_FAILED', 500);
    }
    return typeof profile === 'function' ? await ofHost(async () => await profile(caller)) : profile;
  }

  /** The options of a session that exists. Its title and metadata are those in the log. @throws AgentError `PROFILE_FAILED` */
  async optionsOf(session: SessionSummary): Promise<Omit<ProfileOptions, 'metadata'>> {
    const { [OWNER]: tokenName = '', [PROFILE]: name = '' } = session.metadata ?? {};
    const { metadata: _, ...options } = await this.optionsFor(name, { tokenName, metadata: clientMetadata(session) });
    return options;
  }
}

/** Opens a session for one piece of work. @throws AgentError `PROFILE_FAILED`, and what the work throws */
export async function withSession<T>(
  { store, profiles }: { readonly store: SessionStore; readonly profiles: Profiles },
  summary: SessionSummary,
  work: (session: ISession) => T | Promise<T>,
  more: { readonly takeOver?: boolean } = {},
): Promise<T> {
  const options = await profiles.optionsOf(summary);
  const session = await ofHost(() => resumeSession({ ...options, ...more, store, sessionId: summary.sessionId }));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Faults in the options of the host are not the client's: a missing key would look like a wrong token. `asked`: the fields that are the client's. */
export async function ofHost<T>(work: () => Promise<T>, asked: readonly string[] = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAgentError(error) || !['VALIDATION_ERROR', 'AUTHENTICATION_ERROR'].includes(error.code)) throw error;
    const { field } = error as Partial<ValidationError>; // safe: only read
    if (field !== undefined && asked.includes(field)) throw error;
    throw Object.assign(new AgentError('The profile of the session does not work', 'PROFILE_FAILED', 500), {
      cause: error,
    });
  }
}
