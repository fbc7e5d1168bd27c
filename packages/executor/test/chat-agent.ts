import { type Script, scriptedModel } from '@x/core/testing';
import { type ChatModelAgentOptions, createChatModelAgent } from '../src/index.ts';
import { echo } from './run-options.ts';

/** An agent over a script, and the model that plays it. */
export function agentOf(script: Script, more: Partial<ChatModelAgentOptions> = {}) {
  const model = scriptedModel(script);
  const options = {
    name: 'assistant',
    description: 'Helps.',
    model,
    instruction: 'Be short.',
    tools: [echo()],
    ...more,
  };
  return { agent: createChatModelAgent(options), model };
}
