import type { ModelOptions } from '@x/core';
import { type Fields, fieldsFor, type OptionFields, refusedOption } from '../wire/option-fields.ts';

const PLACES: OptionFields['places'] = {
  maxOutputTokens: ['inferenceConfig.maxTokens'],
  temperature: ['inferenceConfig.temperature'],
  topP: ['inferenceConfig.topP'],
  stopSequences: ['inferenceConfig.stopSequences'],
  seed: [],
  reasoning: ['outputConfig.effort'],
  toolChoice: ['toolConfig'],
  parallelToolCalls: [],
  serviceTier: ['serviceTier'],
  cache: [],
  serviceTools: [],
  logprobs: [],
};
const EFFORTS = 'additionalModelRequestFields of extraBody has the fields of each model';

/** Options of the model in the words of Converse; those that are no fields of a request are read where it is made. */
export function converseOptions(model: string): OptionFields {
  return { places: PLACES, fieldsOf: (options) => converseFields(options, model) };
}

function converseFields(options: ModelOptions, model: string): Fields {
  const lacking = (option: string, advice = 'leave it out'): never => {
    throw refusedOption(option, model, `Converse has no such field; ${advice}`);
  };
  const inference: Record<string, unknown> = {};
  const noted = (name: string) => (value: unknown) => {
    inference[name] = value;
    return {};
  };
  const fields = fieldsFor(options, {
    maxOutputTokens: noted('maxTokens'),
    temperature: noted('temperature'),
    topP: noted('topP'),
    stopSequences: noted('stopSequences'),
    seed: () => lacking('seed'),
    reasoning: (reasoning) =>
      typeof reasoning === 'object' && 'effort' in reasoning
        ? { outputConfig: { effort: reasoning.effort } }
        : lacking('reasoning', `${EFFORTS}; or use { effort }`),
    toolChoice: (choice) => (choice === 'none' ? lacking('toolChoice', 'leave out the tools') : {}),
    parallelToolCalls: () => lacking('parallelToolCalls'),
    serviceTier: (type) => ({ serviceTier: { type } }),
    cache: () => ({}),
    serviceTools: () => lacking('serviceTools'),
    logprobs: () => lacking('logprobs'),
  });
  return Object.keys(inference).length > 0 ? { ...fields, inferenceConfig: inference } : fields;
}
