// The front: takes requests, and runs nothing. DATABASE_URL, HTTP_TOKEN, HOST, PORT and LOG_LEVEL are its settings; it ends with SIGTERM or Ctrl-C.
import { loadConfig, serve } from '@x/agent-sdk/http';
import { sessionHost } from '@x/agent-sdk/http/sessions';
import { serviceOr } from 'fake-provider';
import { profilesOf, script } from './agent.ts';
import { ended } from './ended.ts';
import { closePlace, openPlace } from './place.ts';

const { stop, ...service } = await serviceOr(script);
const place = openPlace();
const sessions = sessionHost({ ...place, profiles: profilesOf(service), runs: false });
const server = await serve({ ...loadConfig(process.env), sessions });
console.log(`The front listens at ${server.url}; it runs nothing.`);
process.send?.(server.url);
await ended();
await server.close();
await closePlace(place);
await stop();
