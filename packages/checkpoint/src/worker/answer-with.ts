import { isAgentError, messageOf } from '@x/errors';
import type { Keeper } from '../store/keeper.ts';
import type { KeeperAnswer, KeeperQuestion } from './keeper-client.ts';

/** The answer of a keeper, which `opened` opens at the first question; errors as data, for the other side of a thread. */
export function answerWith(opened: () => Keeper, { id, method, values }: KeeperQuestion): KeeperAnswer {
  try {
    const keeper = opened();
    const act = keeper[method] as (...values: readonly unknown[]) => unknown; // safe: the client's types bind the values
    return { id, value: act.call(keeper, ...values) };
  } catch (error) {
    const code = isAgentError(error) ? error.code : 'CHECKPOINT_FILE';
    return { id, error: { message: messageOf(error), code } };
  }
}
