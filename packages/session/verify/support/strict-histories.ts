import { defineTool, objectSchema, type Tool } from '@x/core';
import type { STRICT } from '../../../models/test/strict/rules.ts';
import { createSession, type ISession, memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';

/** A service, and the model asked there. */
export type Place = Pick<SessionOptions, 'provider' | 'model'>;
interface Service {
  readonly rules: keyof typeof STRICT;
  readonly place: (url: string) => Place;
}

const apiKey = 'key-of-a-strict-service';
const chat = (rules: 'openai' | 'deepseek' | 'mistral', model: string): Service => ({
  rules,
  place: (url) => ({ provider: { type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, model }),
});

/** By the first part of the path under which they are asked. */
export const SERVICES = {
  openai: chat('openai', 'gpt-5'),
  deepseek: chat('deepseek', 'deepseek-v4-pro'),
  mistral: chat('mistral', 'mistral-medium-latest'),
  anthropic: {
    rules: 'anthropic',
    place: (baseUrl) => ({ provider: { type: 'anthropic', apiKey, baseUrl }, model: 'claude-sonnet-4-5' }),
  },
  responses: {
    rules: 'responses',
    place: (url) => ({
      provider: { type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' },
      model: 'gpt-5',
    }),
  },
} as const satisfies Readonly<Record<string, Service>>;
export type ServiceName = keyof typeof SERVICES;

/** What has happened in a history. */
export interface Told {
  aborted: number;
  steered: number;
  compacted: number;
  handedOver: number;
  readonly errors: string[];
}

interface World {
  readonly random: () => number;
  readonly placeOf: (name: ServiceName) => Place;
}

const PICTURE = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
const NAMES = Object.keys(SERVICES) as ServiceName[]; // safe: all keys
const MOST_STEPS = 6;

/** Plays a random history of a session that begins at this service, and ends there. */
export async function playHistory(name: ServiceName, { random, placeOf }: World): Promise<Told> {
  const told: Told = { aborted: 0, steered: 0, compacted: 0, handedOver: 0, errors: [] };
  const store = memoryStore();
  const look: Tool = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: objectSchema({ at: { type: 'string', description: 'At what.' } }),
    kind: 'readonly',
    async execute({ at }) {
      if (at === 'nothing') throw new Error('there is nothing');
      return at === 'a picture' ? { output: '', images: [PICTURE] } : 'seen';
    },
  });
  const usual = { store, tools: [look], allowedTools: ['look'], maxTurns: 6 };
  let session: ISession = await createSession({ ...placeOf(name), ...usual });
  const steps = 2 + Math.floor(random() * MOST_STEPS);
  for (let step = 0; step < steps; step++) {
    const kind = random();
    const { sessionId } = session;
    if (kind < 0.1) {
      await session.send('/compact');
      for await (const event of session.stream()) if (event.type === 'result') told.compacted += 1;
    } else if (kind < 0.25) {
      await session.close();
      const next = step === steps - 1 ? name : NAMES[Math.floor(random() * NAMES.length)]!; // below its length
      told.handedOver += next === name ? 0 : 1;
      session = await resumeSession({ ...placeOf(next), ...usual, sessionId });
    } else if (kind < 0.3) {
      const fork = await session.fork();
      await session.close();
      session = fork;
    }
    await oneRun(session, { random, told });
  }
  await session.close();
  const last = await resumeSession({ ...placeOf(name), ...usual, sessionId: session.sessionId });
  await oneRun(last, { random: () => 0.99, told });
  await last.close();
  return told;
}

/** A message and its run, in which another may be sent, or which may be aborted after some events. */
async function oneRun(session: ISession, { random, told }: { random: () => number; told: Told }): Promise<void> {
  const words = { type: 'text', text: random() < 0.05 ? ' ' : 'Look at it.' } as const;
  await session.send(random() < 0.2 ? [words, PICTURE] : [words]);
  const [steerAt, abortAt] = [
    random() < 0.2 ? 1 + random() * 8 : Infinity,
    random() < 0.2 ? 1 + random() * 12 : Infinity,
  ];
  let [at, isSteered, isAborted] = [0, false, false];
  for await (const event of session.stream()) {
    at += 1;
    if (event.type === 'error' && !isAborted) told.errors.push(event.message);
    if (at > steerAt && !isSteered) {
      isSteered = true;
      told.steered += 1;
      await session.send('And quick, please.');
    }
    if (at > abortAt && !isAborted) {
      isAborted = true;
      told.aborted += 1;
      session.abort();
    }
  }
}
