import type { AgentConfig, Message, ModelOptions, ModelRequest, Tool } from '@x/core';
import type { ComingTools } from './coming-tools.ts';
import type { RequestSignal } from './request-signal.ts';
import type { RunOptions } from './run-options.ts';

/** Requests of one run share the tool list and, until an urgent message arrives, the signal: adapters cache by identity. */
export function requestMaker(
  { config, coming }: { readonly config: AgentConfig; readonly coming: ComingTools | undefined },
  signal: RequestSignal,
  { inbox, model }: RunOptions,
): (messages: readonly Message[], options: ModelOptions | undefined) => ModelRequest {
  const { instruction } = config;
  let of = config.tools;
  let tools: readonly Tool[] = of.map(({ tool }) => tool);
  return (messages, options) => {
    coming?.update(config);
    if (config.tools !== of) {
      of = config.tools;
      tools = of.map(({ tool }) => tool);
    }
    const request = { instruction, messages, tools, signal: signal.with(inbox.urgent), model };
    return options ? { ...request, options } : request;
  };
}
