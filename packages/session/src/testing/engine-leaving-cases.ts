import { broken } from './broken.ts';
import { type EngineCase, EngineWitness, expectSame, moment, timesIn, untilAborted } from './engine-witness.ts';

/** Cases about asks and work under way when somebody stops serving. */
export const leavingCases: readonly EngineCase[] = [
  [
    'aborts the work under way when serving is disposed of',
    async (engine) => {
      const witness = new EngineWitness();
      const serving = await engine.serve(witness.work((_, signal) => untilAborted(signal)));
      await engine.submit('one');
      await witness.until(() => witness.started.length === 1);

      await serving[Symbol.asyncDispose]();

      expectSame(witness.ended, ['one'], 'work ended');
    },
  ],
  [
    'waits for work that goes on after its signal',
    async (engine) => {
      const witness = new EngineWitness();
      const release = Promise.withResolvers<void>();
      const serving = await engine.serve(witness.work(() => release.promise));
      await engine.submit('one');
      await witness.until(() => witness.started.length === 1);

      let over = false;
      const leaving = Promise.resolve(serving[Symbol.asyncDispose]()).then(() => {
        over = true;
      });
      await moment();
      const tooEarly = over;
      release.resolve();
      await leaving;

      expectSame([tooEarly, witness.ended], [false, ['one']], 'disposed before the work ended, work ended');
    },
  ],
  [
    'takes no ask for one who has left, and keeps it for the next',
    async (engine) => {
      const [gone, next] = [new EngineWitness(), new EngineWitness()];
      const serving = await engine.serve(gone.work());
      await serving[Symbol.asyncDispose]();

      await engine.submit('one');
      await moment();
      await engine.serve(next.work());

      await next.untilEnded('one');
      expectSame(gone.started, [], 'sessions run by one who has left');
    },
  ],
  [
    'gives work that was cut off to whoever serves next',
    async (engine) => {
      const [cut, next] = [new EngineWitness(), new EngineWitness()];
      const serving = await engine.serve(cut.work((_, signal) => untilAborted(signal)));
      await engine.submit('one');
      await cut.until(() => cut.started.length === 1);

      await serving[Symbol.asyncDispose]();
      await engine.serve(next.work());

      await next.untilEnded('one');
    },
  ],
  [
    'does not bring back what was done while its signal was aborted',
    async (engine) => {
      const [last, next] = [new EngineWitness(), new EngineWitness()];
      const serving = await engine.serve(last.work((_, signal) => untilAborted(signal).catch(() => undefined)));
      await engine.submit('one');
      await last.until(() => last.started.length === 1);

      await serving[Symbol.asyncDispose]();
      await engine.serve(next.work());
      await engine.submit('two');
      await next.untilEnded('two');
      await moment();

      expectSame(timesIn(next.started, 'one'), 0, 'runs of a session that was done');
    },
  ],
  [
    'goes on with the others when one leaves',
    async (engine) => {
      const witness = new EngineWitness();
      const serving = await engine.serve(witness.work());
      await engine.serve(witness.work());

      await serving[Symbol.asyncDispose]();
      await engine.submit('one');

      await witness.untilEnded('one');
    },
  ],
  [
    'aborts the work under way when the engine is disposed of, and waits for it',
    async (engine) => {
      const witness = new EngineWitness();
      await engine.serve(witness.work((_, signal) => untilAborted(signal).catch(moment)));
      await engine.submit('one');
      await witness.until(() => witness.started.length === 1);

      await engine[Symbol.asyncDispose]();

      expectSame(witness.ended, ['one'], 'work ended');
    },
  ],
  [
    'refuses asks and work once it is disposed of',
    async (engine) => {
      await engine[Symbol.asyncDispose]();

      const outcomes = await Promise.allSettled([engine.submit('one'), engine.serve(async () => undefined)]);

      const taken = outcomes.filter(({ status }) => status === 'fulfilled').length;
      if (taken > 0) throw broken('a closed engine takes asks or work');
    },
  ],
  [
    'may be disposed of twice, and so may serving',
    async (engine) => {
      const serving = await engine.serve(async () => undefined);

      await Promise.all([serving[Symbol.asyncDispose](), serving[Symbol.asyncDispose]()]);
      await Promise.all([engine[Symbol.asyncDispose](), engine[Symbol.asyncDispose]()]);
    },
  ],
];
