import { describe, expect, it } from 'vitest';
import { codeOf } from '../../test/support/makers.ts';
import { entriesOf, title, titlesOf } from '../../test/support/store-values.ts';
import { memoryStore } from '../store/memory-store.ts';
import { type EntryBody, LOG_FORMAT } from './entry.ts';
import { loadState } from './load-state.ts';
import { FORMAT_STEPS, type FormatStep, forward, inNewestFormat, newestFormat } from './log-format.ts';
import { readState, SessionLog } from './session-log.ts';

/** Made up: titles were written in capitals once, and with a number before that. */
const lowerCase: FormatStep = (body) => (body.type === 'title' ? { ...body, title: body.title.toLowerCase() } : body);
const withoutNumber: FormatStep = (body) =>
  body.type === 'title' ? { ...body, title: body.title.replace(/^\d+ /, '') } : body;
const steps = [withoutNumber, lowerCase];

/** A log of this format with one title; its owner knows the two made-up formats behind it. */
async function olderLog() {
  const store = memoryStore();
  await store.create('s', { type: 'session_created', format: 1, cwd: '/work' });
  const old = await SessionLog.open({ store, sessionId: 's', onLost: () => undefined });
  await old.append([title('7 OLD')]);
  await old.close();
  const newer = () => SessionLog.open({ store, sessionId: 's', onLost: () => undefined, steps });
  return { store, newer };
}

describe('the formats of a log', () => {
  it('count the steps between them', () => {
    expect(newestFormat(FORMAT_STEPS)).toBe(LOG_FORMAT);
  });
});

describe('inNewestFormat', () => {
  it('takes a body through every step that its format has not seen, and leaves the given one as it is', () => {
    const body = title('7 OLD');

    expect([1, 2, 3].map((format) => inNewestFormat(body, format, steps))).toEqual([
      title('old'),
      title('7 old'),
      title('7 OLD'),
    ]);
    expect(body).toEqual(title('7 OLD'));
  });
});

describe('forward', () => {
  it('brings each body of a log on from the format that the log has there', () => {
    const bodies: EntryBody[] = [
      { type: 'session_created', format: 1, cwd: '/' },
      title('7 OLD'),
      { type: 'format_raised', format: 2 },
      title('7 OLDER'),
    ];

    const brought = bodies.map(forward(steps));

    expect(brought).toEqual([bodies[0], title('old'), bodies[2], title('7 older')]);
    expect(() => bodies.map(forward())).toThrow('format 2');
  });
});

describe('a log of an older format', () => {
  it('is read in the newest one, and stays as it is while nobody writes', async () => {
    const { store } = await olderLog();
    const before = await entriesOf(store, 's');

    const { state } = await loadState(store, 's', { steps });

    expect(state.title).toBe('old');
    expect(await entriesOf(store, 's')).toEqual(before);
  });

  it('is raised by the first append of its owner, in the same step, once', async () => {
    const { store, newer } = await olderLog();
    const log = await newer();

    await Promise.all([log.append([title('1 New')]), log.append([title('2 New')])]);

    expect((await entriesOf(store, 's')).map(({ body }) => body).slice(2)).toEqual([
      { type: 'format_raised', format: 3 },
      title('1 New'),
      title('2 New'),
    ]);
    expect(log.state).toMatchObject({ head: 5, title: '2 New', format: 3 });
    expect((await loadState(store, 's', { steps })).state).toEqual(log.state);
  });

  it('is refused afterwards by the version that wrote it, with an error that names the session', async () => {
    const { store, newer } = await olderLog();
    await (await newer()).append([title('New')]);

    const outcome = readState(store, 's');

    await expect(outcome).rejects.toMatchObject({
      code: 'LOG_TOO_NEW',
      message: expect.stringMatching(/session s .*format 3, this version reads 1/),
    });
    expect(await titlesOf(store, 's')).toHaveLength(2);
  });
});

describe('a log whose format this version does not know', () => {
  it.each<[unknown, string]>([
    [2, 'LOG_TOO_NEW'],
    ...[0, 1.5, '1', null, undefined].map((format): [unknown, string] => [format, 'LOG_DAMAGED']),
  ])('is refused, whatever it calls its format (%s: %s)', async (format, code) => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format, cwd: '/' } as unknown as EntryBody);

    expect(await codeOf(readState(store, 's'))).toBe(code);
  });
});

describe('entries of a type that this version does not know', () => {
  it('are passed over and stay in the log, and in its copies', async () => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format: 1, cwd: '/work' });
    const log = await SessionLog.open({ store, sessionId: 's', onLost: () => undefined });
    const unknown = [
      { type: 'mood', mood: 'fine' },
      { type: 'record', scope: [], record: { type: 'thought', name: 'n', data: 1 } },
    ] as unknown as EntryBody[];

    await log.append([title('a'), ...unknown]);
    await store.fork('s', 4, 'copy');

    const { state } = await loadState(store, 'copy');
    expect(state).toMatchObject({ head: 4, title: 'a' });
    expect(state.scopes.get('')?.notes.size).toBe(0);
    expect((await entriesOf(store, 'copy')).slice(2).map(({ body }) => body)).toEqual(unknown);
  });
});
