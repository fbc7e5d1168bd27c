import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

interface LabelledTool {
  readonly name: string;
  readonly description: string;
}
/** A wish in other words than those of the tool, and the tools that fulfil it. */
export interface LabelledQuery {
  readonly query: string;
  readonly tools: readonly string[];
}

const SERVERS = 40;
const PER_SERVER = 50;

export const TOOLS: readonly LabelledTool[] = [...read('tools.json'), ...read('own-tools.json')];
export const QUERIES: readonly LabelledQuery[] = read('queries.json');

/** The server that has a labelled tool. */
export const serverOf = (place: number) => `server${place % SERVERS}`;

/** 2,000 tools on 40 servers: those of the labelled set, and others that only look like tools. */
export function labelledServers() {
  const made = Array.from({ length: SERVERS }, (_, at) => new McpServer({ name: `server${at}`, version: '1' }));
  for (let place = 0; place < SERVERS * PER_SERVER; place++) {
    const { name, description } = TOOLS[place] ?? filler(place);
    const inputSchema = {
      id: z.string().describe('What to work on, by the id that the service has given to it.'),
      dryRun: z.boolean().optional().describe('True to be told what would happen, and change nothing.'),
      fields: z.array(z.string()).optional().describe('The parts of the answer that are wanted; all without it.'),
    };
    const run = async () => ({ content: [{ type: 'text' as const, text: `${name} is done` }] });
    made[place % SERVERS]!.registerTool(name, { description, inputSchema }, run);
  }
  return Object.fromEntries(made.map((instance, at) => [`server${at}`, { type: 'sdk' as const, instance }]));
}

function filler(place: number): LabelledTool {
  return { name: `item_${place}_read`, description: `Reads the item with the number ${place} of the collection.` };
}

function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../../../../benchmarks/search/${name}`, import.meta.url), 'utf8'));
}
