// Runs one part of the suite `model-streams` in a thread of its own, so that a hang of it ends with the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { CONTRACT_SUBJECTS } from '../../test/contract-subjects.ts';
import { anthropicBetaOracle, anthropicOracle } from '../../test/oracle/anthropic.ts';
import { geminiOracle } from '../../test/oracle/gemini.ts';
import { azureOracle, chatOracle } from '../../test/oracle/openai-chat.ts';
import { responsesOracle } from '../../test/oracle/openai-responses.ts';
import type { Oracle } from '../../test/oracle/oracle.ts';
import { contractPart } from './contract-part.ts';
import { damagePart } from './damage-part.ts';
import { fixturePart } from './fixture-part.ts';
import type { StreamPart } from './stream-parts.ts';
import type { StreamReport } from './stream-report.ts';

const ORACLES: Readonly<Record<string, Oracle>> = {
  chat: chatOracle,
  responses: responsesOracle,
  azure: azureOracle,
  anthropic: anthropicOracle,
  'anthropic beta': anthropicBetaOracle,
  gemini: geminiOracle,
};

parentPort?.postMessage(await run(workerData as StreamPart)); // safe: what the suite hands over

async function run({ kind, name, count, seed }: StreamPart): Promise<StreamReport> {
  if (kind === 'contract') {
    const subject = Object.entries(CONTRACT_SUBJECTS).find(([key]) => key === name)?.[1];
    if (subject) return contractPart(name, subject);
  }
  const oracle = ORACLES[name];
  if (!oracle) throw new Error(`No such part: ${kind} ${name}`);
  return kind === 'fixtures' ? fixturePart(name, oracle) : damagePart(oracle, { count, seed });
}
