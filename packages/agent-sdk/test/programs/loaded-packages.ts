// Prints the names of the packages from outside whose code was loaded by the import of the umbrella, as JSON.
import { registerHooks } from 'node:module';

const names = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name) names.add(name);
    return next(url, context);
  },
});
await import('@x/agent-sdk');
process.stdout.write(JSON.stringify([...names]));
