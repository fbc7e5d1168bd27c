import { defineTool, type Tool, type ToolContext } from '@x/core';
import { z } from 'zod';
import type { ToolRegistry } from '../src/index.ts';

/** Metadata of a tool with a number `n`, which is 1 unless it is given. */
export const metadata = (name: string) => ({
  name,
  description: `Does ${name}`,
  parameters: [{ name: 'n', type: 'number' as const, description: '', default: 1 }],
});

export const context = (more: Partial<ToolContext> = {}): ToolContext =>
  ({ callId: 'c', idempotencyKey: 's:c', signal: new AbortController().signal, ...more }) as ToolContext; // what the tools read

/** A finished tool that yields the numbers up to `to`. */
export const counting = defineTool({
  name: 'count',
  description: 'Counts',
  inputSchema: z.object({ to: z.number() }),
  kind: 'readonly',
  subject: ({ to }) => ({ type: 'command', line: `count ${to}` }),
  async *execute({ to }) {
    for (let at = 1; at <= to; at++) yield `${at} `;
  },
});

/** The tool as a session has it. */
export const offered = (registry: ToolRegistry, name: string): Tool =>
  registry.tools().find((tool) => tool.name === name) as Tool;
