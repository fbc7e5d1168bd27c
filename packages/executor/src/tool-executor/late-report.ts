import type { ExecutionLog } from './execution-log.ts';
import type { LateSettlement } from './late-settlement.ts';

/** Reports to the listener and the log, if present. Does not throw, whatever the listener does. */
export function lateReport(
  listener: ((settlement: LateSettlement) => void) | undefined,
  tool: string | undefined,
  log: ExecutionLog | undefined,
): ((settlement: LateSettlement) => void) | undefined {
  if (!listener) return log && ((settlement) => log.late(settlement));
  return (settlement) => {
    log?.late(settlement);
    try {
      const answer: unknown = listener(tool === undefined ? settlement : { tool, ...settlement });
      if (answer instanceof Promise) answer.catch((error: unknown) => log?.listenerFailed(error));
    } catch (error) {
      log?.listenerFailed(error);
    }
  };
}
