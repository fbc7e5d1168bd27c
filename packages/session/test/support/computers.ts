import type { ComputerAction } from '@x/models/computer';
import { computerTool } from '@x/models/computer';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { type ComputerService, serving, type Wanted } from './computer-services.ts';
import { say } from './makers.ts';
import { expiring } from './resumed.ts';

/** A picture, as far as anybody looks at it. */
export const PNG = 'iVBORw0KGgo=';

/** A computer of a test: the tool, and what was done on it. */
export function computer(fails: (action: ComputerAction) => boolean = () => false) {
  const done: ComputerAction[] = [];
  const tool = computerTool({
    display: { width: 1024, height: 768 },
    async execute(action) {
      done.push(action);
      if (fails(action)) throw new Error('the window is gone');
      return action.type === 'screenshot' ? { screenshot: { mediaType: 'image/png', data: PNG } } : undefined;
    },
  });
  return { tool, done };
}

/** A session on a service whose model wants these things, after its first message. Close the server. */
export async function acting(
  service: ComputerService,
  turns: readonly (readonly Wanted[])[],
  { fails, ...options }: Partial<SessionOptions> & { readonly fails?: (action: ComputerAction) => boolean } = {},
) {
  const server = await serving(service, turns);
  const { tool, done } = computer(fails);
  const store = options.store ?? memoryStore();
  const given = {
    provider: service.config(server.url),
    model: service.model,
    store,
    tools: [tool],
    allowedTools: ['computer'],
    ...options,
  };
  const session = await createSession(given);
  const events = await say(session, 'Search for penguins.');
  return { server, session, events, done, store, given };
}

/** A session whose process ended while a click was done: it has started, and nothing was recorded since. Close the server. */
export async function abandonedCall(service: ComputerService, wanted: readonly Wanted[] = ['click']) {
  const server = await serving(service, [wanted, ['done']]);
  const store = expiring(memoryStore());
  const started = Promise.withResolvers<void>();
  const tool = computerTool({
    display: { width: 1024, height: 768 },
    async execute() {
      started.resolve();
      return await new Promise<undefined>(() => undefined);
    },
  });
  const provider = service.config(server.url);
  const given = { provider, model: service.model, store, tools: [tool], allowedTools: ['computer'] };
  const session = await createSession({ ...given, autoApprove: ['computer'] });
  await session.send('Search for penguins.');
  const stream = session.stream();
  void Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) });
  await started.promise;
  return { server, store, sessionId: session.sessionId };
}
