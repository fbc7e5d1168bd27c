// What works on this host, found out by trying it. Ends with code 1 where sessions cannot work.
import { diagnose, formatDiagnosis } from '@x/agent-sdk';

const diagnosis = await diagnose({ signal: AbortSignal.timeout(60_000) });
console.log(formatDiagnosis(diagnosis));
if (!diagnosis.ok) process.exitCode = 1;
