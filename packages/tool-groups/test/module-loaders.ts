import { silentLogger } from '@x/core/internal';
import { type FunctionDefinition, ToolGroupManager, type ToolModule } from '../src/index.ts';
import { ModuleLoader } from '../src/module-loader.ts';

/** A loader, its groups, what it logs, and a list for the names of modules that were shut down. */
export function made(timeoutMs = 10_000) {
  const groups = new ToolGroupManager();
  const logged: object[] = [];
  const note = (fields: object) => void logged.push(fields);
  const logger = { ...silentLogger, error: note, warn: note };
  return { groups, logged, ended: [] as string[], loader: new ModuleLoader({ groups, logger, timeoutMs }) };
}

/** A module with the tool `click`, and with these parts. */
export function chrome(parts: Partial<ToolModule> = {}): ToolModule {
  return {
    name: 'chrome',
    getToolDefinitions: () => [tool('click')],
    executeToolCall: () => undefined,
    init: () => undefined,
    shutdown: () => undefined,
    ...parts,
  };
}

/** One that notes when it is shut down. */
export function ending(ended: string[], parts: Partial<ToolModule> = {}): ToolModule {
  const module = chrome(parts);
  return { ...module, shutdown: () => void ended.push(module.name) };
}

export function tool(name: string, description = name): FunctionDefinition {
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties: {} } } };
}

export function failing(): never {
  throw new Error('broken');
}
