import { ToolExecutor } from '../../src/index.ts';
import { type Execute } from '../../test/execution-script.ts';

const executor = new ToolExecutor();

/** The executor, and three with a fault each that the suite must notice. */
export const executors: Readonly<Record<string, Execute>> = {
  ours: (work, options) => executor.execute(work, {}, options),
  'a leaked timer': async (work, options) => {
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('out of time')), 30_000);
    });
    late.catch(() => undefined);
    return await Promise.race([executor.execute(work, {}, options), late]);
  },
  'a lost retry': async (work, options) => {
    const retry = Math.max(0, (options.retry ?? 0) - 1);
    return await executor.execute(work, {}, { ...options, retry });
  },
  'a doubled attempt': async (work, options) => {
    const twice: typeof work = async (parameters, context) => {
      await work(parameters, context).catch(() => undefined);
      return await work(parameters, context);
    };
    return await executor.execute(twice, {}, options);
  },
};
