import { parentPort, workerData } from 'node:worker_threads';
import { Keeper } from '../store/keeper.ts';
import { answerWith } from './answer-with.ts';
import type { KeeperQuestion } from './keeper-client.ts';

// A keeper in a thread of its own: a look at many files holds up nobody. Questions are answered in their order.
let keeper: Keeper | undefined;

parentPort?.on('message', (question: KeeperQuestion) => {
  parentPort?.postMessage(answerWith(() => (keeper ??= new Keeper(workerData)), question));
});
