// Which official clients are loaded, after the import, after a model was made, and after its first call.
// node loaded-clients.ts '{"config":{...},"model":"..."}'; prints { imported, made, asked } as JSON.
import { registerHooks } from 'node:module';

const urls = new Set<string>();
registerHooks({
  load(url, context, next) {
    urls.add(url);
    return next(url, context);
  },
});
const CLIENT = /node_modules\/(openai|@anthropic-ai|@google)\//;
const clients = () => [...new Set([...urls].flatMap((url) => CLIENT.exec(url)?.[1] ?? []))];

const { createModel } = await import('@x/models');
const imported = clients();
const { config, model: name } = JSON.parse(process.argv[2] ?? '{}');
const model = createModel(config, name);
const made = clients();
const { signal } = new AbortController();
await model
  .stream({ instruction: '', messages: [], tools: [], signal })
  .next()
  .catch(() => undefined); // the service refuses
console.log(JSON.stringify({ imported, made, asked: clients() }));
