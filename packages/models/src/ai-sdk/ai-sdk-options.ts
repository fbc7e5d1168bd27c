import type { ModelOptions } from '@x/core';
import { type Fields, fieldsFor, refusedOption } from '../wire/option-fields.ts';
import type { SpokenModel } from './spoken-model.ts';

const ELSEWHERE =
  'the AI SDK has no such setting; say it in providerOptions of fromAiSdk, in the words of the provider';

/** The fields of a call for options of the model. @throws ValidationError naming what the AI SDK cannot say */
export function aiSdkOptions({ source, version }: SpokenModel, options: ModelOptions): Fields {
  const refused = (option: string, advice: string): never => {
    throw refusedOption(option, source.modelId, advice);
  };
  return fieldsFor(options, {
    maxOutputTokens: (maxOutputTokens) => ({ maxOutputTokens }),
    temperature: (temperature) => ({ temperature }),
    topP: (topP) => ({ topP }),
    stopSequences: (stopSequences) => ({ stopSequences }),
    seed: (seed) => ({ seed }),
    reasoning(reasoning) {
      if (version !== 'v4') {
        return refused('reasoning', `models of the AI SDK have it from AI SDK 7 on; install that, or ${ELSEWHERE}`);
      }
      if (reasoning === 'off') return { reasoning: 'none' };
      return 'effort' in reasoning ? { reasoning: reasoning.effort } : refused('reasoning.budgetTokens', ELSEWHERE);
    },
    toolChoice: (choice) => ({
      toolChoice: typeof choice === 'object' ? { type: 'tool', toolName: choice.tool } : { type: choice },
    }),
    parallelToolCalls: () => refused('parallelToolCalls', ELSEWHERE),
    serviceTier: () => refused('serviceTier', ELSEWHERE),
    logprobs: () => refused('logprobs', 'the AI SDK has no place for them in a reply; leave it out'),
    cache: () => refused('cache', ELSEWHERE),
    serviceTools: () => refused('serviceTools', ELSEWHERE),
  });
}
