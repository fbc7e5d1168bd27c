import { AgentError, faultsText } from '@x/core';
import type { McpCallTool, McpServerOptions, McpToolSource } from '@x/mcp/server';
import { toMcpResult } from '@x/registry/internal';
import { shownFailure } from '../answers/error-answer.ts';
import { runTool, writable } from '../routes/run-tool.ts';
import type { Settings } from '../settings/http-options.ts';

type Served = Pick<Settings, 'registry' | 'executor' | 'log' | 'isProduction'>;
/** Facts of the request for the log; `requestId` is in the answer when the words of an error are not. */
export interface RequestFacts {
  readonly requestId: string;
  readonly url?: string;
  readonly method?: string;
}

/** The registry for MCP: its calls run, and fail, as those of `POST /v1/tools/call` do. */
export function mcpSource(settings: Served): McpToolSource {
  const { registry } = settings;
  return {
    mcpTools: () => registry.mcpTools(),
    callMcpTool: (call, context) => mcpCalls(settings, { requestId: crypto.randomUUID() })(call, context),
    onChange: (listener) => registry.onChange(listener),
  };
}

/** Writes what resources and prompts of the host throw to the log. */
export function mcpFailures({ log }: Pick<Served, 'log'>): NonNullable<McpServerOptions['onError']> {
  return (error, request) => log.error(error, request, 'a request has failed');
}

/** Runs the calls of one request. A failure is a result, but for a tool that is not known, which is an error of the protocol. */
export function mcpCalls(settings: Served, facts: RequestFacts): McpCallTool {
  return async ({ name, arguments: parameters = {} }, following) => {
    try {
      const result = await runTool(settings, { name, parameters }, following);
      return writable(name, () => toMcpResult(result));
    } catch (thrown) {
      const { code, statusCode, error, isHidden } = shownFailure(settings, thrown, { ...facts, tool: name });
      // A tool that is known may itself ask for one that is not.
      const isUnknown = code === 'TOOL_NOT_FOUND' && settings.registry.get(name) === undefined;
      if (isUnknown) throw new AgentError(error, { code, statusCode });
      // The model corrects all faults of its input at once.
      const text = isHidden ? error : settings.log.redacted(faultsText(thrown));
      const shown = {
        code,
        statusCode,
        ...(isHidden ? { requestId: facts.requestId } : {}),
        ...(statusCode === 408 ? { outcome: 'unknown' } : {}), // the effect may have happened
      };
      return { content: [{ type: 'text', text }], isError: true, _meta: { 'agent-sdk/error': shown } };
    }
  };
}
