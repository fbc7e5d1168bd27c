/** The process that owns a session, as its lease names it. */
export interface OwnerProcess {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601, by the clock of that process: when it took the session. */
  readonly since: string;
}

const NAME = /^(.+):(\d+):(\d{1,15}):[0-9a-f-]{36}$/s;

/** A name for an owner, used once, by which people find its process. Stores and older versions read nothing in it. */
export function ownerName(): string {
  const { hostname } = process.getBuiltinModule('node:os');
  return `${hostname()}:${process.pid}:${Date.now()}:${crypto.randomUUID()}`;
}

/** Undefined for the name of an owner of an older version. */
export function processIn(owner: string): OwnerProcess | undefined {
  const [, host, pid, time] = NAME.exec(owner) ?? [];
  if (host === undefined) return undefined;
  return { host, pid: Number(pid), since: new Date(Number(time)).toISOString() };
}
