import type { RunContext, ToolCall, ToolResult } from '@x/agent-sdk';
import { BaseAgentHandler } from '@x/agent-sdk';

/** A handler with state: a call that was answered before is answered from memory, also in a later run. */
export class Remembering extends BaseAgentHandler {
  readonly #answers = new Map<string, ToolResult>();

  constructor() {
    super('remembering');
  }

  override async wrapInvokableToolCall(
    call: ToolCall,
    next: (call: ToolCall) => Promise<ToolResult>,
    run: RunContext,
  ): Promise<ToolResult> {
    const key = `${call.name} ${JSON.stringify(call.input)}`;
    const known = this.#answers.get(key);
    console.log(`  ${run.agentName}: ${key}${known ? ' (remembered)' : ''}`);
    if (known) return known;
    const result = await next(call);
    if (!result.isError) this.#answers.set(key, result);
    return result;
  }
}
