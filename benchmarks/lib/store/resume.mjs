import { DatabaseSync } from 'node:sqlite';
import { ONE_WORD, openOurs } from './our-store.mjs';

const ALL = "select body from messages where session = 's' order by seq";
const LAST = "select body from messages where session = 's' order by seq desc limit 100";

/** A session of many messages in a process that has just begun; what it takes until there is something to work with. */
export async function resume({ who, path, messages }) {
  return await (who === 'bare' ? resumeBare({ path, messages }) : resumeOurs({ path, messages }));
}

function resumeBare({ path, messages }) {
  const clock = startClock();
  const database = new DatabaseSync(path);
  const all = database
    .prepare(ALL)
    .all()
    .map(({ body }) => JSON.parse(body));
  const done = clock();
  if (all.length !== messages) throw new Error(`${all.length} messages instead of ${messages}`);
  const again = startClock();
  database
    .prepare(LAST)
    .all()
    .map(({ body }) => JSON.parse(body));
  return { ...done, lastMs: again().wallMs };
}

/** `promptMs`: from the open file until the session takes a message; `againMs`: the same once more, in a process that has done it. */
async function resumeOurs({ path, messages }) {
  const { resumeSession } = await import('@x/agent-sdk');
  const clock = startClock();
  const store = await openOurs(path);
  await store.inbox('s');
  const resumed = () => resumeSession({ sessionId: 's', store, provider: ONE_WORD, model: 'm', tools: [] });
  const promptClock = startClock();
  const session = await resumed();
  const prompt = promptClock();
  const found = session.messages.length;
  const done = clock();
  if (found < messages) throw new Error(`${found} messages instead of ${messages}`);
  const again = startClock();
  await resumed();
  return { ...done, promptMs: prompt.wallMs, againMs: again().wallMs, rssMB: process.memoryUsage.rss() / 1024 / 1024 };
}

function startClock() {
  const start = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
  };
}
