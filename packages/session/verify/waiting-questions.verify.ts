// Questions that wait: three workers run sessions whose every payment waits for an answer, two processes answer at random what waits, and all of
// them are killed with -9 and replaced meanwhile. Some workers change the input, so that an answer given before is about another call.
// Of each call at most one payment; no refusal that nobody has given; none without an answer that allows exactly this amount; of each question one answer is taken; every
// run comes to its end. Controls must fail: a worker that asks nobody, and a store that takes every answer.
// QUESTIONS=1000, KILLS=30, FIRST=1 (the first seed)
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSession, type ISession, listSessions, pendingQuestions, sqliteStore } from '../src/index.ts';
import { bodiesOf, faultsOf, scriptedProvider } from '../test/support/makers.ts';
import { finishedIn, resumed } from '../test/support/resumed.ts';
import { end, startWorker } from './support/served-process.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const QUESTIONS = amountFrom('QUESTIONS', 1000);
const KILLS = amountFrom('KILLS', 30);
const FIRST = numberFrom('FIRST', 1);
const SESSIONS = 12;

const tally = new Tally();
const startedAt = performance.now();
const whole = await asked({ questions: QUESTIONS, kills: KILLS, withinMs: 300_000 });
tally.check(`${QUESTIONS} questions`, whole.faults);
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${whole.answered} questions answered while ${KILLS} processes were killed with -9: ${whole.paid} payments, ` +
    `${whole.refused} refusals, ${whole.again} calls asked about again (${seconds} s)`,
);
tally.check('calls were asked about again', whole.again > 0 || KILLS === 0 ? [] : ['none']);
for (const [control, settings] of [
  ['a worker that asks nobody', { worker: 'allowing' }],
  ['a store that takes every answer', { answerer: 'twice' }],
] as const) {
  const { faults } = await asked({ questions: 60, kills: 0, withinMs: 30_000, ...settings }); // what went wrong may never end
  tally.check(`control, ${control}`, faults.length > 0 ? [] : ['the harness saw nothing wrong']);
  console.log(`control, ${control}: ${faults[0] ?? 'nothing noticed'}`);
}
tally.end();

interface Asking {
  readonly questions: number;
  readonly kills: number;
  readonly withinMs: number;
  readonly worker?: 'asking' | 'allowing';
  readonly answerer?: 'once' | 'twice';
}

async function asked({ questions, kills, withinMs, worker = 'asking', answerer = 'once' }: Asking) {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [path, effects, answers] = [join(folder, 'sessions.db'), join(folder, 'effects'), join(folder, 'answers')];
  for (const file of [effects, answers]) await writeFile(file, '');
  const store = sqliteStore({ path });
  const random = randomFrom(FIRST);
  const { provider } = scriptedProvider([]);
  const make = () => createSession({ provider, model: 'm', store });
  const sessions: ISession[] = await Promise.all(Array.from({ length: SESSIONS }, make));
  const startRunner = () => startWorker([path, effects, random() < 0.3 ? '1' : '0', worker], 'question-worker.ts');
  const startAnswerer = () =>
    startWorker([path, answers, `${Math.floor(random() * 1e6)}`, answerer], 'question-answerer.ts');
  const runners = await Promise.all([startRunner(), startRunner(), startRunner()]);
  const answerers = await Promise.all([startAnswerer(), startAnswerer()]);
  let killed = 0;
  const limit = performance.now() + withinMs;
  for (;;) {
    const taken = linesOf(answers, 'taken').length;
    const wanted = worker === 'allowing' ? linesOf(effects).length : taken;
    const { sessions: idle } = await listSessions({ store, state: 'idle' });
    if (wanted >= questions && idle.length === SESSIONS && (await isEmpty())) break;
    if (performance.now() > limit) break;
    if (wanted < questions) for (const { sessionId } of idle) await send(sessionId);
    if (killed < kills && wanted > ((killed + 1) * questions) / (kills + 1)) {
      killed += 1;
      const [all, start] = random() < 0.6 ? [runners, startRunner] : [answerers, startAnswerer];
      await end(all.shift()!);
      all.push(await start());
    }
    await sleep(10);
  }
  await Promise.all([...runners, ...answerers].map(end));
  const faults: string[] = [...(await faultsOfLogs()), ...faultsOfAnswers(effects, answers)];
  const taken = linesOf(answers, 'taken');
  const keysOf = (callId: string | undefined) => new Set(taken.filter(([id]) => id === callId).map(([, key]) => key));
  const facts = {
    faults,
    answered: taken.length,
    paid: linesOf(effects).length,
    refused: taken.filter(([, , behavior]) => behavior === 'deny').length,
    again: [...new Set(taken.map(([id]) => id))].filter((id) => keysOf(id).size > 1).length,
  };
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  return facts;

  async function send(sessionId: string): Promise<void> {
    if ((await store.inbox(sessionId)).length > 0) return;
    await sessions.find((one) => one.sessionId === sessionId)!.send('Pay.');
  }
  async function isEmpty(): Promise<boolean> {
    const inboxes = await Promise.all(sessions.map(({ sessionId }) => store.inbox(sessionId)));
    return inboxes.every((items) => items.length === 0);
  }
  async function faultsOfLogs(): Promise<string[]> {
    const found: string[] = [];
    for (const { sessionId } of sessions) {
      const { session } = await resumed(store, sessionId, []);
      found.push(...faultsOf(session.messages));
      await session.close();
      const bodies = await bodiesOf(store, sessionId);
      const denied = new Set(
        linesOf(answers, 'gives').flatMap(([id, , behavior]) => (behavior === 'deny' ? [id] : [])),
      );
      for (const { callId, result } of finishedIn(bodies)) {
        const isKnown = result.output === 'Paid.' || result.interrupted === 'unknown' || denied.has(callId);
        if (!isKnown) found.push(`${callId} was refused by nobody: ${result.output}`);
      }
      const last = bodies.findLast(({ type }) => type.startsWith('run_'));
      if (last && last.type !== 'run_ended') found.push(`the run of ${sessionId} has not ended`);
    }
    const open = await pendingQuestions(store);
    return [...found, ...open.map(({ callId }) => `the question about ${callId} is still open`)];
  }
}

/** The lines of a file, without the word that they begin with, if it is asked for. */
function linesOf(file: string, first?: string): string[][] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '));
  return first === undefined ? lines : lines.flatMap(([word, ...rest]) => (word === first ? [rest] : []));
}

function faultsOfAnswers(effects: string, answers: string): string[] {
  const paid = linesOf(effects).map((line) => line.join(' '));
  const twice = paid.map((line) => line.split(' ')[0]).filter((id, index, all) => all.indexOf(id) !== index);
  const allowed = new Set(
    linesOf(answers, 'gives').flatMap(([callId, , behavior, euros]) =>
      behavior === 'allow' ? [`${callId} ${euros}`] : [],
    ),
  );
  const keys = linesOf(answers, 'taken').map(([callId, key]) => `${callId} ${key}`);
  const both = keys.filter((key, index) => keys.indexOf(key) !== index);
  return [
    ...twice.map((callId) => `${callId} was paid twice`),
    ...paid.filter((line) => !allowed.has(line)).map((line) => `${line} was paid, and nobody has allowed it`),
    ...both.map((key) => `two answers to ${key} were taken`),
    ...linesOf(answers, 'wrongly-taken').map(([callId]) => `an answer to another question about ${callId} was taken`),
  ];
}
