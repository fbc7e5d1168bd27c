import { type LocalEngineOptions, localEngine, type RunEngine } from '../../src/index.ts';
import { pgBossEngine } from '../../src/pg-boss/index.ts';

/** The engine on the queue behind a URL; one in this process without a URL. */
export function engineAt(url: string | undefined, options: LocalEngineOptions = {}): RunEngine {
  if (url === undefined) return localEngine(options);
  return pgBossEngine({ connectionString: url, connections: 3, pollEveryMs: 50, ...options });
}
