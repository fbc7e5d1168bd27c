// A worker: runs what is sent to any front of the place, and serves no HTTP. DATABASE_URL, and OPENAI_API_KEY (OPENAI_BASE_URL, MODEL) for the
// real service, are its settings; it ends with SIGTERM or Ctrl-C, and another worker goes on with what it was running.
import { isAgentError } from '@x/agent-sdk';
import { sessionHost } from '@x/agent-sdk/http/sessions';
import { serviceOr } from 'fake-provider';
import { profilesOf, script } from './agent.ts';
import { ended } from './ended.ts';
import { closePlace, openPlace } from './place.ts';

const { stop, ...service } = await serviceOr(script);
const place = openPlace();
const host = sessionHost({
  ...place,
  profiles: profilesOf(service),
  drainMs: 5_000,
  onError(error) {
    if (isAgentError(error) && error.code === 'SESSION_BUSY') return; // comes again until the lease of its owner has run out
    console.error(`  worker ${process.pid}:`, error);
  },
});
await host.start();
console.log(`Worker ${process.pid} waits for messages.`);
process.send?.('serves');
await ended();
await host.close();
await closePlace(place);
await stop();
