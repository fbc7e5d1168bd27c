import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AgentHandler, userMessage } from '@x/core';
import {
  createSession,
  type ISession,
  resumeSession,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { codeOf } from './do-work.ts';
import type { Action, Place, Schedule, SendAction } from './steering-schedule.ts';
import { Stage } from './steering-stage.ts';
import { newWorld, type Sent, stagedModel, stagedTools, type World } from './steering-world.ts';

/** The same sessions as two processes see them; leases run out at once, so that a dead owner need not be waited for. */
export interface Stores {
  readonly one: SessionStore;
  readonly other: SessionStore;
}
export interface Trial {
  readonly world: World;
  readonly sessionId: string;
}

/** Runs that one schedule may take. */
const MAX_RUNS = 60;

/** Plays a schedule until nothing waits any more. */
export async function steeringTrial(schedule: Schedule, stores: Stores): Promise<Trial> {
  const trial = new SteeringTrial(schedule, stores);
  await trial.play();
  return { world: trial.world, sessionId: trial.sessionId };
}

class SteeringTrial {
  readonly world: World;
  sessionId = '';
  readonly #schedule: Schedule;
  readonly #stores: Stores;
  readonly #stage: Stage;
  #sessions: { one: ISession; other: ISession } | undefined;
  #reading: 'one' | 'other' | undefined;
  #wanted: 'leave' | 'close' | undefined;
  #runs = 0;
  /** Sends of this life that have no answer yet. */
  #pending = new Set<Promise<void>>();

  constructor(schedule: Schedule, stores: Stores) {
    this.world = newWorld(schedule);
    this.#schedule = schedule;
    this.#stores = stores;
    this.#stage = new Stage(schedule, (action, place) => this.#act(action, place));
  }

  async play(): Promise<void> {
    for (;;) {
      const ended = this.#live().then(() => true);
      ended.catch(() => undefined); // of a life that is over
      if (await Promise.race([ended, this.#stage.crashed.then(() => false)])) break;
      this.world.crashes += 1;
      for (let turn = 0; turn < 8; turn++) await nextTurn(); // what was on its way to the file arrives
      this.#reading = undefined;
      this.#pending = new Set();
      this.#stage.rise();
    }
    const { one, other } = this.#sessions!; // every life opens them
    await Promise.all([one.close(), other.close()]);
  }

  async #live(): Promise<void> {
    const one = await this.#open('one');
    this.#sessions = { one, other: await this.#open('other') };
    for (;;) {
      if (!this.#stage.hasMore) await Promise.all(this.#pending);
      if (await this.#isWork()) await this.#read(this.#schedule.readers[this.#runs++ % 8]!);
      else if (!(await this.#stage.hasten('idle'))) return;
      if (this.#runs > MAX_RUNS) return void this.world.faults.push(`no end after ${MAX_RUNS} runs`);
    }
  }

  async #open(which: 'one' | 'other'): Promise<ISession> {
    const { turns, maxTurns } = this.#schedule;
    const last: AgentHandler = {
      name: 'last',
      beforeModelRewriteHistory: async (messages) => (await this.#stage.pass('handler'), messages),
      afterAgent: () => this.#stage.pass('handler').then(() => []),
      onEvent: (event) => (event.type === 'result' ? this.#stage.pass('handler') : undefined),
    };
    const options: SessionOptions = {
      provider: { type: 'custom', createModel: () => stagedModel(turns, this.#stage, this.world) },
      model: 'staged',
      permissionMode: 'bypassPermissions',
      tools: stagedTools(this.#stage),
      allowedTools: ['look', 'work'],
      handlers: [last],
      maxTurns,
      store: this.#stage.store(counting(this.#stores[which], this.world)),
    };
    const session = this.sessionId
      ? await resumeSession({ ...options, sessionId: this.sessionId })
      : await createSession(options);
    this.sessionId = session.sessionId;
    return session;
  }

  /** Looked up beside the processes. */
  async #isWork(): Promise<boolean> {
    const { one } = this.#stores;
    if ((await one.inbox(this.sessionId)).length > 0) return true;
    let open = false;
    for await (const { body } of one.read(this.sessionId)) {
      if (body.type === 'run_started' || body.type === 'run_ended') open = body.type === 'run_started';
    }
    return open;
  }

  async #read(which: 'one' | 'other'): Promise<void> {
    const { world } = this;
    this.#reading = which;
    this.#wanted = undefined;
    const session = this.#sessions![which]; // opened by this life
    const causes = world.causes;
    let results = 0;
    try {
      for await (const event of session.stream()) {
        if (results > 0) world.faults.push(`${event.type} after the result`);
        if (event.type === 'user_message') world.seen.push(event.messageId);
        if (event.type === 'result') {
          results += 1;
          if (event.subtype === 'aborted' && causes === world.causes && !this.#hasAborted())
            world.faults.push('aborted without a cause');
        }
        await this.#stage.pass('reader');
        const wanted = this.#wanted as 'leave' | 'close' | undefined; // set while it waited
        if (wanted === 'leave') break;
        if (wanted === 'close') await session.close();
      }
    } catch (error) {
      world.faults.push(`stream() threw ${codeOf(error)}`);
    }
    if (results !== 1 && this.#wanted !== 'leave') world.faults.push(`a run with ${results} results`);
    this.#reading = undefined;
    if (this.#wanted === 'close') this.#sessions = { ...this.#sessions!, [which]: await this.#open(which) };
  }

  #hasAborted(): boolean {
    return this.world.sent.some(({ controller }) => controller?.signal.aborted);
  }

  async #act(action: Action, place: Place): Promise<unknown> {
    const { world } = this;
    if (action.kind === 'send') {
      const pending = this.#pending;
      const sending = this.#send(action).finally(() => pending.delete(sending));
      pending.add(sending);
      return await sending;
    }
    if (action.kind === 'crash') return this.#stage.crash(action.applied);
    if (action.kind === 'fail') return void (world.failing = true);
    world.causes += 1;
    if (action.kind === 'abort') return this.#reading && this.#sessions?.[this.#reading].abort();
    if (action.kind === 'signal')
      return world.sent.findLast(({ controller }) => controller && !controller.signal.aborted)?.controller?.abort();
    if (place === 'reader' && this.#wanted !== 'close') this.#wanted = action.kind;
    return undefined;
  }

  async #send(action: SendAction): Promise<void> {
    const { world } = this;
    const text = `m${world.sent.length}`;
    const { by, priority, maxTurns } = action;
    const controller = action.signal && by !== 'store' ? new AbortController() : undefined;
    const whileReading = by !== 'store' && this.#reading === by;
    const sent: Sent = { ...action, text, calledAt: world.head, whileReading, ...(controller ? { controller } : {}) };
    world.sent.push(sent);
    const turns = maxTurns === undefined ? {} : { maxTurns };
    try {
      if (by === 'store') {
        const message = userMessage(text);
        await this.#stores.other.enqueue(this.sessionId, { message, priority, ...turns });
        sent.outcome = { status: 'queued', messageId: message.id };
      } else {
        const signal = controller ? { signal: controller.signal } : {};
        sent.outcome = await this.#sessions![by].send(text, { priority, ...turns, ...signal });
      }
    } catch (error) {
      sent.refusal = error;
    }
    sent.answeredAt = world.head;
  }
}

/** Notes how far the log has come. */
function counting(store: SessionStore, world: World): SessionStore {
  return {
    ...store,
    async append(sessionId, expected, entries, consume) {
      return (world.head = await store.append(sessionId, expected, entries, consume));
    },
  };
}
