export type { SessionMeter } from '../engine/serve-metrics.ts';
export type { OwnerProcess } from '../log/owner-name.ts';
export { retrySession } from './retry-session.ts';
export { type RunningSession, releaseSession, runningSessions } from './running-sessions.ts';
