import { ToolRegistry } from '@x/registry';

/** A tool that says when it begins, and ends when it is told to. */
export function held() {
  const begun = Promise.withResolvers<AbortSignal | undefined>();
  const ended = Promise.withResolvers<string>();
  const registry = new ToolRegistry();
  registry.register({ name: 'held', description: 'Waits', parameters: [] }, (_, context) => {
    begun.resolve(context?.signal);
    return ended.promise;
  });
  return { registry, begun: begun.promise, end: ended.resolve };
}
