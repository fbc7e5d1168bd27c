export type { SessionHost } from '../settings/session-host.ts';
export type { ProfileCaller, ProfileOptions, SessionProfile } from './profiles.ts';
export { type SessionHostOptions, sessionHost } from './session-host.ts';
export type { SessionRow } from './session-row.ts';
