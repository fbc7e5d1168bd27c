import { defineTool, objectSchema } from '@x/core';
import { type FunctionDefinition, Runtime, type RuntimeOptions, type ToolModule } from '../src/index.ts';

/** A module with the tools `navigate` and `click`; one named `two` has none. */
export function chrome(name = 'chrome', executeToolCall: ToolModule['executeToolCall'] = () => 'done'): ToolModule {
  return {
    name,
    toolGroupDescription: 'Chrome 浏览器控制工具',
    getToolDefinitions: () => (name === 'two' ? [] : ['navigate', 'click'].map(definition)),
    executeToolCall,
    init: () => undefined,
    shutdown: () => undefined,
  };
}

export function definition(name: string): FunctionDefinition {
  return { type: 'function', function: { name, description: `does ${name}`, parameters: { type: 'object' } } };
}

/** A tool that says its text again. */
export function echo(name: string) {
  return defineTool({
    name,
    description: 'says it again',
    inputSchema: objectSchema({ text: { type: 'string', description: 'the text' } }),
    execute: async ({ text }) => text,
  });
}

/** A runtime after `init`. */
export async function started(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = new Runtime(options);
  await runtime.init();
  return runtime;
}

export async function role(runtime: Runtime, more: { readonly name?: string; readonly createdBy?: string } = {}) {
  return runtime.createRole({ name: 'some', rolePrompt: '', ...more });
}

/** The id of an agent whose role has these groups; without them, the role names none. */
export async function agentOf(runtime: Runtime, toolGroups?: readonly string[]): Promise<string> {
  const { id } = await runtime.createRole({ name: 'a', rolePrompt: '', ...(toolGroups ? { toolGroups } : {}) });
  return runtime.createAgent({ roleId: id }).id;
}

export function roleOf(runtime: Runtime, agentId: string): string {
  return runtime.getAgent(agentId)?.roleId ?? '';
}

/** The names of the tools that the agent is shown. */
export function namesFor(runtime: Runtime, agentId: string): string[] {
  return runtime.getToolDefinitionsForAgent(agentId).map((one) => one.function.name);
}

export function call(runtime: Runtime, id: string, toolName: string, args: unknown = {}): Promise<unknown> {
  return runtime.executeToolCall({ agent: { id } }, toolName, args);
}
