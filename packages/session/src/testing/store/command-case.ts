import type { ContractCase } from '@x/core/testing';
import type FastCheck from 'fast-check';
import { broken } from '../broken.ts';
import { inTime } from '../in-time.ts';
import { compareList, compareSession } from './compare-with-model.ts';
import { ReferenceModel } from './reference-model.ts';
import {
  COMMAND_WEIGHTS,
  type Numbers,
  prepare,
  type StoreCommand,
  type Subject,
  storeCommand,
} from './store-commands.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Options of the random command sequences. */
export interface CommandOptions {
  readonly runs: number;
  readonly seed?: number;
  readonly patienceMs: number;
}

const NAMES: readonly string[] = Object.entries(COMMAND_WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name),
);

/** Applies random commands to the store and to a model of it; a failure is reported with the shortest sequence that shows it. */
export function commandCase(
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  options: CommandOptions,
): ContractCase {
  return {
    name: 'does what a model of it does, whatever is asked of it in whatever order',
    async run() {
      const fc = await loadFastCheck();
      const number = fc.nat({ max: 9 });
      const command = fc
        .tuple(fc.constantFrom(...NAMES), fc.tuple(number, number, number, number))
        .map(([name, numbers]) => storeCommand(name, numbers satisfies Numbers));
      const property = fc.asyncProperty(fc.commands([command], { size: 'max', maxCommands: 40 }), (commands) =>
        withSubject(make, (subject) => inTime(played(subject, commands), options.patienceMs)),
      );
      const played = async (subject: Subject, commands: Iterable<StoreCommand>) => {
        const model = new ReferenceModel();
        await prepare(model, subject);
        await fc.asyncModelRun(() => ({ model, real: subject }), commands);
        for (const id of model.sessions.keys()) await compareSession(model, subject.store, id);
        await compareList(model, subject.store, { limit: 2 });
      };
      const { runs: numRuns, seed } = options;
      await fc.assert(property, { numRuns, ...(seed === undefined ? {} : { seed }) });
    },
  };
}

async function withSubject(
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  work: (subject: Subject) => Promise<void>,
): Promise<void> {
  const under = await make();
  const subject: Subject = { store: under.store, under };
  try {
    await work(subject);
  } finally {
    await subject.store[Symbol.asyncDispose]();
    await under.dispose?.();
  }
}

async function loadFastCheck(): Promise<typeof FastCheck> {
  try {
    return (await import('fast-check')).default;
  } catch (cause) {
    throw broken(
      `Commands are made by the package fast-check; install it, or say \`commandRuns: 0\` (${String(cause)})`,
    );
  }
}
