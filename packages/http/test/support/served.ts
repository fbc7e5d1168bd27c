import { AgentError, type Logger, TimeoutError } from '@x/core';
import { ToolRegistry, type ToolRegistryOptions } from '@x/registry';
import { createServer, type HttpOptions, type InjectableServer, type InjectedAnswer } from '../../src/index.ts';

export const SECRET = 'sk-secret-0123456789';
const number = { name: 'a', type: 'number', description: 'a number', required: true } as const;

/** Tools for every way in which a call can end. */
export function toolsOf(
  more: Readonly<Record<string, () => unknown>> = {},
  options: ToolRegistryOptions = {},
): ToolRegistry {
  const registry = new ToolRegistry(options);
  const bodies: Record<string, () => unknown> = {
    'fails-foreign': () => {
      throw new Error(`at /home/me/${SECRET}`);
    },
    'fails-with-status': () => {
      throw new AgentError(`upstream /etc/${SECRET}`, 'UPSTREAM', 502);
    },
    'claims-success': () => {
      throw new AgentError('no', 'ODD', 200);
    },
    'gives-bigint': () => ({ big: 1n }),
    'gives-nothing': () => undefined,
    'is-slow': () => new Promise(() => undefined),
    'is-late': () => {
      throw new TimeoutError('late', 1);
    },
    ...more,
  };
  registry.register(
    {
      name: 'add-one',
      description: 'Adds one to a number',
      parameters: [number],
      tags: ['math', 'units'],
      author: 'me',
    },
    async ({ a }) => a + 1,
    { category: 'numbers', version: '2.0.0' },
  );
  registry.register(
    { name: 'add-two', description: 'Adds two to a number', parameters: [number], tags: ['math'] },
    async ({ a }) => a + 2,
    { category: 'sums' },
  );
  for (const [name, body] of Object.entries(bodies)) {
    registry.register({ name, description: `Is ${name}`, parameters: [] }, async () => body());
  }
  registry.register({ name: 'is-off', description: 'Cannot be run', parameters: [number] }, async () => 1);
  registry.disable('is-off');
  return registry;
}

export async function served(options: HttpOptions = {}): Promise<InjectableServer> {
  return await createServer({ registry: toolsOf(), ...options });
}

/** The answer to a GET. */
export async function got(server: InjectableServer, url: string, headers = {}): Promise<InjectedAnswer> {
  return await server.inject({ method: 'GET', url, headers });
}

/** The answer to a POST of a value as JSON. */
export async function posted(server: InjectableServer, url: string, payload: unknown): Promise<InjectedAnswer> {
  return await server.inject({ method: 'POST', url, payload });
}

export async function called(server: InjectableServer, payload: unknown): Promise<InjectedAnswer> {
  return await posted(server, '/v1/tools/call', payload);
}

/** One entry of a log. */
interface KeptLine {
  readonly level: string;
  readonly fields: { readonly requestId?: string };
  readonly message?: string | undefined;
}

/** A logger that keeps what it is given. */
export function keptLog(): { logger: Logger; lines: KeptLine[] } {
  const lines: KeptLine[] = [];
  const at = (level: string) => (fields: object, message?: string) => void lines.push({ level, fields, message });
  const logger = { fatal: at('fatal'), error: at('error'), warn: at('warn'), info: at('info') };
  return { logger: { ...logger, debug: at('debug'), trace: at('trace') }, lines };
}
