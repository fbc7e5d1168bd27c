// Prints the names of what the import of the umbrella loads from outside, packages and modules of Node, as JSON.
import { registerHooks } from 'node:module';

const names = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name ?? url.startsWith('node:')) names.add(name ?? url);
    return next(url, context);
  },
});
await import('@x/agent-sdk');
process.stdout.write(JSON.stringify([...names]));
