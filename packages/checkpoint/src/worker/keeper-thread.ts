import { parentPort, workerData } from 'node:worker_threads';
import { isAgentError, messageOf } from '@x/errors';
import { Keeper } from '../store/keeper.ts';
import type { KeeperAnswer, KeeperQuestion } from './keeper-client.ts';

// A keeper in a thread of its own: a look at many files holds up nobody. Questions are answered in their order.
let keeper: Keeper | undefined;

parentPort?.on('message', ({ id, method, values }: KeeperQuestion) => {
  parentPort?.postMessage(answerTo(id, method, values));
});

function answerTo(id: number, method: KeeperQuestion['method'], values: readonly unknown[]): KeeperAnswer {
  try {
    keeper ??= new Keeper(workerData);
    const act = keeper[method] as (...values: readonly unknown[]) => unknown; // safe: the client's types bind the values
    return { id, value: act.call(keeper, ...values) };
  } catch (error) {
    const code = isAgentError(error) ? error.code : 'CHECKPOINT_FILE';
    return { id, error: { message: messageOf(error), code } };
  }
}
