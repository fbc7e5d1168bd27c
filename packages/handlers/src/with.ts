import {
  type AgentConfig,
  AgentError,
  type AgentHandler,
  type Message,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolMeta,
  type ToolNext,
  type ToolResult,
  type ToolStream,
  ValidationError,
} from '@x/core';
import { checkKeys, isTool } from '@x/core/internal';

type Awaitable<T> = T | Promise<T>;
type HistoryRewriter = (messages: readonly Message[], run: RunContext) => Awaitable<readonly Message[]>;

/** Appends a line feed and `text` to the instruction. */
export function withInstruction(text: string): AgentHandler {
  if (typeof text !== 'string') throw new ValidationError('withInstruction needs a text', 'text');
  return {
    name: 'with-instruction',
    beforeAgent: (config) => ({ ...config, instruction: `${config.instruction}\n${text}` }),
  };
}

/** Replaces the instruction by the result of `rewrite`. */
export function withInstructionFunc(
  rewrite: (instruction: string, run: RunContext) => Awaitable<string>,
): AgentHandler {
  checkFunction('withInstructionFunc', rewrite);
  return {
    name: 'with-instruction-func',
    async beforeAgent(config, run) {
      const instruction: unknown = await rewrite(config.instruction, run);
      if (typeof instruction !== 'string') throw forgotten('withInstructionFunc', 'the instruction');
      return { ...config, instruction };
    },
  };
}

/** Options of `withTools`. */
export interface WithToolsOptions {
  /** Replaces a tool of the same name; its `returnDirectly` stays. */
  readonly replace: true;
}

/**
 * Appends tools. Two tools of the same name end the run with an error, unless the first argument is `{ replace: true }`.
 * @throws ValidationError when an item is not a tool
 */
export function withTools(...tools: readonly Tool[]): AgentHandler;
export function withTools(options: WithToolsOptions, ...tools: readonly Tool[]): AgentHandler;
export function withTools(...given: readonly (Tool | WithToolsOptions)[]): AgentHandler {
  const replace = isOptions(given[0]);
  const tools = (replace ? given.slice(1) : [...given]) as readonly Tool[]; // checked next
  checkTools('withTools', tools);
  return {
    name: 'with-tools',
    beforeAgent: (config) => ({
      ...config,
      tools: replace ? replaced(config.tools, tools) : appended(config.tools, tools),
    }),
  };
}

/** Replaces the list of tools by the result of `rewrite`. */
export function withToolsFunc(
  rewrite: (tools: ToolMeta[], run: RunContext) => Awaitable<readonly ToolMeta[]>,
): AgentHandler {
  checkFunction('withToolsFunc', rewrite);
  return {
    name: 'with-tools-func',
    async beforeAgent(config, run) {
      const tools: unknown = await rewrite(config.tools, run);
      if (!Array.isArray(tools)) throw forgotten('withToolsFunc', 'the tools');
      return { ...config, tools: [...(tools as ToolMeta[])] };
    },
  };
}

/** Runs before each run; may change the config in place or return another. */
export function withBeforeAgent(
  change: (config: AgentConfig, run: RunContext) => Awaitable<AgentConfig | void>,
): AgentHandler {
  checkFunction('withBeforeAgent', change);
  return { name: 'with-before-agent', beforeAgent: (config, run) => change(config, run) };
}

/** Rewrites the history before every model call. */
export function withBeforeModelRewriteHistory(rewrite: HistoryRewriter): AgentHandler {
  checkFunction('withBeforeModelRewriteHistory', rewrite);
  return {
    name: 'with-before-model-rewrite-history',
    beforeModelRewriteHistory: (messages, run) => rewrite(messages, run),
  };
}

/** Rewrites the history, which ends with the reply, after every model call. */
export function withAfterModelRewriteHistory(rewrite: HistoryRewriter): AgentHandler {
  checkFunction('withAfterModelRewriteHistory', rewrite);
  return {
    name: 'with-after-model-rewrite-history',
    afterModelRewriteHistory: (messages, run) => rewrite(messages, run),
  };
}

/** Wraps tool calls as promises of their result; streaming tools are wrapped too. */
export function withInvokableToolWrapper(
  wrap: (call: ToolCall, next: (call: ToolCall) => Promise<ToolResult>, run: RunContext) => Promise<ToolResult>,
): AgentHandler {
  checkFunction('withInvokableToolWrapper', wrap);
  return { name: 'with-invokable-tool-wrapper', wrapInvokableToolCall: (call, next, run) => wrap(call, next, run) };
}

/** Wraps tool calls as streams; tools that do not stream are wrapped too. */
export function withStreamableToolWrapper(
  wrap: (call: ToolCall, next: ToolNext, run: RunContext) => ToolStream,
): AgentHandler {
  checkFunction('withStreamableToolWrapper', wrap);
  return { name: 'with-streamable-tool-wrapper', wrapStreamableToolCall: (call, next, run) => wrap(call, next, run) };
}

/** The tools followed by others. */
export function appended(metas: readonly ToolMeta[], tools: readonly Tool[]): ToolMeta[] {
  return [...metas, ...tools.map((tool) => ({ tool, returnDirectly: false }))];
}

/** @throws ValidationError naming the place of the list */
export function checkTools(where: string, tools: readonly Tool[]): void {
  const index = tools.findIndex((tool) => !isTool(tool));
  if (index < 0) return;
  const name: unknown = tools[index]?.name;
  const which = typeof name === 'string' ? name : `item ${index + 1}`;
  throw new ValidationError(`${where}: ${which} is not a tool; make one with defineTool(...)`, 'tools');
}

function replaced(metas: readonly ToolMeta[], tools: readonly Tool[]): ToolMeta[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const known = new Set(metas.map((meta) => meta.tool.name));
  const kept = metas.map((meta) => ({ ...meta, tool: byName.get(meta.tool.name) ?? meta.tool }));
  return appended(
    kept,
    tools.filter((tool) => !known.has(tool.name)),
  );
}

function isOptions(first: Tool | WithToolsOptions | undefined): first is WithToolsOptions {
  if (typeof first !== 'object' || first === null || !Object.hasOwn(first, 'replace')) return false;
  checkKeys('withTools options', first, ['replace']);
  if ((first as WithToolsOptions).replace === true) return true;
  throw new ValidationError('withTools: the only options are { replace: true }', 'replace');
}

function checkFunction(where: string, value: unknown): void {
  if (typeof value !== 'function') throw new ValidationError(`${where} needs a function`);
}

function forgotten(where: string, what: string): AgentError {
  return new AgentError(`The function given to ${where} must return ${what}`, { code: 'HANDLER_ERROR' });
}
