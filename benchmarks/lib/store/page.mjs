import { DatabaseSync } from 'node:sqlite';
import { median } from '../statistics.mjs';
import { openOurs } from './our-store.mjs';

const PAGE = 50;
const SELECT = `select id, title, updated_at from sessions
  where updated_at < ? or (updated_at = ? and id > ?) order by updated_at desc, id limit ${PAGE}`;

/** The first page of a list of sessions, its file not yet open, and what each further one takes. */
export async function page({ who, path, sessions }) {
  await import('@x/agent-sdk');
  const start = performance.now();
  const next = await (who === 'bare' ? barePages(path) : ourPages(path));
  let found = await next();
  const firstMs = performance.now() - start;
  const times = [];
  for (;;) {
    const before = performance.now();
    const count = await next();
    if (count === 0) break;
    times.push(performance.now() - before);
    found += count;
  }
  if (found !== sessions) throw new Error(`${found} sessions instead of ${sessions}`);
  return { wallMs: median(times), firstMs };
}

function barePages(path) {
  const select = new DatabaseSync(path).prepare(SELECT);
  let [time, id] = [Number.MAX_SAFE_INTEGER, ''];
  return () => {
    const rows = select.all(time, time, id);
    const last = rows.at(-1);
    if (last) [time, id] = [last.updated_at, last.id];
    return rows.length;
  };
}

async function ourPages(path) {
  const store = await openOurs(path);
  let cursor;
  let isOver = false;
  return async () => {
    if (isOver) return 0;
    const { sessions, cursor: behind } = await store.list({ limit: PAGE, ...(cursor && { cursor }) });
    cursor = behind;
    isOver = behind === undefined;
    return sessions.length;
  };
}
