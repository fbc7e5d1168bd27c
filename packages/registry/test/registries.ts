import { type ToolImplementation, type ToolMetadata, ToolRegistry } from '../src/index.ts';

/** Metadata of a tool without parameters, unless told otherwise. */
export const metadata = (name: string, more: Partial<ToolMetadata> = {}): ToolMetadata => ({
  name,
  description: `Does ${name}`,
  parameters: [],
  ...more,
});

/** An implementation that answers `ok`. */
export const ok: ToolImplementation = async () => 'ok';

/** A registry with a tool of each of these names. */
export const registryOf = (...names: string[]) => {
  const registry = new ToolRegistry();
  for (const name of names) registry.register(metadata(name), ok);
  return registry;
};

export const namesOf = (tools: readonly ToolMetadata[]) => tools.map((tool) => tool.name);

/** What `execute` rejects with; undefined when it resolves. */
export const fails = (registry: ToolRegistry, name: string, parameters: unknown = {}) =>
  registry.execute(name, parameters as Record<string, unknown>).then(
    () => undefined,
    (error: unknown) => error,
  );
