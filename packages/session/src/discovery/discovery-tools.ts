import { defineTool, objectSchema, type RunContext, type Tool } from '@x/core';
import type { DeferredTools } from './deferred-tools.ts';

export const TOOL_SEARCH = 'ToolSearch';
export const CALL_TOOL = 'CallTool';

const SEARCH_TEXT = [
  'Finds further tools by what they do, and returns their names, descriptions and input schemas.',
  `Call a tool that was found with ${CALL_TOOL}. Search before you say that something cannot be done.`,
  'The query is a few words such as "create issue", or the exact names of tools.',
].join('\n');

/** The tool that finds the deferred tools of its run. */
export function toolSearchTool(
  deferredIn: (run: RunContext) => DeferredTools | undefined,
  maxResults: number,
): Tool<{ readonly query: string }> {
  return defineTool({
    name: TOOL_SEARCH,
    description: SEARCH_TEXT,
    inputSchema: objectSchema({ query: { type: 'string', description: 'Words, or exact names.' } }),
    kind: 'readonly',
    async *execute({ query }, { run }) {
      const found = (await deferredIn(run)?.search(query, maxResults)) ?? [];
      if (found.length === 0) return `No tool was found for ${JSON.stringify(query)}. Try other words.`;
      const lines = found.map(({ name, description, inputSchema }) =>
        JSON.stringify({ name, description, input: inputSchema.json }),
      );
      return [`Call these with ${CALL_TOOL}:`, ...lines].join('\n');
    },
  });
}

/** The search tool as the model sees it: with the names that it may ask for. */
export function withNames(search: Tool, deferred: DeferredTools): Tool {
  return { ...search, description: `${search.description}\n\n${deferred.overview}` };
}

/** Calls with this name are calls of the tool they name; so nothing but a call that names none is executed. */
export const callTool: Tool = defineTool({
  name: CALL_TOOL,
  description: `Calls a tool that ${TOOL_SEARCH} has found.`,
  inputSchema: {
    json: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The exact name of the tool.' },
        input: { type: 'object', description: "The tool's input, as its schema says.", additionalProperties: true },
      },
      required: ['name', 'input'],
    },
    parse: (value: unknown) => value,
  },
  kind: 'readonly',
  async *execute() {
    return {
      output: `Nothing was called: ${CALL_TOOL} needs the name of a tool and its input, { "name": "…", "input": { … } }`,
      isError: true,
    };
  },
});
