// The model's service in a process of its own, so that its time is not the SDK's. Run by main.ts; argument: `paced` for a terminal.
import { subscribe } from 'node:diagnostics_channel';
import { startFakeProvider } from 'fake-provider';
import { script } from './script.ts';

const [pace] = process.argv.slice(2);
let busyMs = 0;
const since = new WeakMap<object, number>();
// Safe: the documented messages of these channels of node:http.
subscribe('http.server.request.start', (message) => {
  since.set((message as { readonly request: object }).request, performance.now());
});
subscribe('http.server.response.finish', (message) => {
  busyMs += performance.now() - (since.get((message as { readonly request: object }).request) ?? 0);
});

const shown = await startFakeProvider(script, pace === 'paced' ? { firstWordMs: 250, wordsPerSecond: 40 } : undefined);
const quick = await startFakeProvider(script);
process.on('message', () => process.send?.({ busyMs }));
process.once('disconnect', () => process.exit());
process.send?.({ url: shown.url, quickUrl: quick.url });
