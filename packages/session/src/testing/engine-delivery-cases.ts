import { type EngineCase, EngineWitness, expectSame, moment, timesIn } from './engine-witness.ts';

/** Cases about asks while somebody serves. */
export const deliveryCases: readonly EngineCase[] = [
  [
    'runs the work for an ask, with the id of the session and a signal that is not aborted',
    async (engine) => {
      const witness = new EngineWitness();
      const aborted: boolean[] = [];
      await engine.serve(witness.work(async (_, signal) => void aborted.push(signal.aborted)));

      await engine.submit('one');
      await witness.untilEnded('one');

      expectSame([witness.started, aborted], [['one'], [false]], 'sessions run, signals aborted');
    },
  ],
  [
    'takes an ask at once, whatever the work takes',
    async (engine) => {
      const witness = new EngineWitness();
      const release = Promise.withResolvers<void>();
      await engine.serve(witness.work(() => release.promise));

      await engine.submit('one');
      await witness.until(() => witness.started.length === 1);
      await engine.submit('two');
      release.resolve();

      await witness.untilEnded('two');
    },
  ],
  [
    'keeps asks until somebody serves',
    async (engine) => {
      const witness = new EngineWitness();
      await engine.submit('one');
      await engine.submit('two');

      await engine.serve(witness.work());

      await witness.until(() => witness.ended.length === 2);
      expectSame(witness.started.toSorted(), ['one', 'two'], 'sessions run');
    },
  ],
  [
    'runs every session that was asked for',
    async (engine) => {
      const witness = new EngineWitness();
      const asked = Array.from({ length: 30 }, (_, index) => `s${String(index).padStart(2, '0')}`);
      await engine.serve(witness.work());

      await Promise.all(asked.map((sessionId) => engine.submit(sessionId)));

      await witness.until(() => witness.ended.length >= asked.length);
      expectSame(witness.started.toSorted(), asked, 'sessions run');
    },
  ],
  [
    'takes a second ask while one waits for the same',
    async (engine) => {
      const witness = new EngineWitness();
      for (let ask = 0; ask < 3; ask++) await engine.submit('one');

      await engine.serve(witness.work());
      await witness.untilEnded('one');
      await engine.submit('two');
      await witness.untilEnded('two');
      await moment();

      expectSame(timesIn(witness.started, 'one'), 1, 'runs for three asks');
    },
  ],
  [
    'never runs a session twice at once, and once more for what was asked while it ran',
    async (engine) => {
      const witness = new EngineWitness();
      const release = Promise.withResolvers<void>();
      await engine.serve(witness.work(() => release.promise));
      await engine.submit('one');
      await witness.until(() => witness.started.length === 1);

      for (let ask = 0; ask < 3; ask++) await engine.submit('one');
      await moment();
      release.resolve();
      await witness.untilEnded('one', 2);
      await moment();

      expectSame(witness.overlapped, [], 'sessions that ran twice at once');
      expectSame(timesIn(witness.started, 'one'), 2, 'runs');
    },
  ],
  [
    'runs a session again that is asked for after it was done',
    async (engine) => {
      const witness = new EngineWitness();
      await engine.serve(witness.work());

      await engine.submit('one');
      await witness.untilEnded('one');
      await moment();
      await engine.submit('one');

      await witness.untilEnded('one', 2);
    },
  ],
  [
    'brings a session back after a rejection, as often as it takes',
    async (engine) => {
      const witness = new EngineWitness();
      const failing = async () => {
        if (witness.started.length < 5) throw new Error('not yet');
      };
      await engine.serve(witness.work(failing));

      await engine.submit('one');
      await witness.untilEnded('one', 5);
      await moment();

      expectSame([witness.started.length, witness.overlapped], [5, []], 'attempts, and those that overlapped');
    },
  ],
  [
    'runs others while a session fails again and again',
    async (engine) => {
      const witness = new EngineWitness();
      const failing = async (sessionId: string) => {
        if (sessionId === 'bad') throw new Error('never');
      };
      await engine.serve(witness.work(failing));
      await engine.submit('bad');
      await witness.untilEnded('bad');

      await engine.submit('good');

      await witness.untilEnded('good');
      await witness.untilEnded('bad', 2);
    },
  ],
  [
    'shares the asks among those who serve',
    async (engine) => {
      const witness = new EngineWitness();
      const asked = Array.from({ length: 10 }, (_, index) => `s${index}`);
      await engine.serve(witness.work());
      await engine.serve(witness.work());

      await Promise.all(asked.map((sessionId) => engine.submit(sessionId)));
      await witness.until(() => witness.ended.length >= asked.length);
      await moment();

      expectSame(witness.started.toSorted(), asked, 'sessions run');
    },
  ],
];
