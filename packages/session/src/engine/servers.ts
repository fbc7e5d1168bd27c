import type { SessionWork } from './run-engine.ts';

/** One call of `serve`. */
export interface Server {
  readonly work: SessionWork;
  readonly jobs: Set<Job>;
}

/** Work under way. */
export interface Job {
  readonly abort: AbortController;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/** The one with the fewest jobs; undefined when nobody serves. */
export function leastBusy(servers: ReadonlySet<Server>): Server | undefined {
  let found: Server | undefined;
  for (const server of servers) if (!found || server.jobs.size < found.jobs.size) found = server;
  return found;
}

/** Aborts the work of a server and waits until it has ended; safe to call twice. */
export async function stopJobs(server: Server): Promise<void> {
  for (const { abort } of server.jobs) abort.abort();
  await Promise.all([...server.jobs].map(({ done }) => done));
}
