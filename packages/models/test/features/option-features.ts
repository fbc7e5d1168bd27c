import type { ModelOptions } from '@x/core';
import { createModel } from '@x/models';
import { expect } from 'vitest';
import { echo, exchange } from './exchange.ts';
import type { Feature } from './feature.ts';
import type { Provider } from './providers.ts';

/** The fields that one provider's service gets for an option; `model` where its usual one does not take it. */
interface Written {
  readonly model?: string;
  readonly fields: object;
}
interface OptionRow {
  readonly name: string;
  readonly options: ModelOptions;
  /** By provider; one that is absent refuses the option. */
  readonly written: Readonly<Record<string, Written>>;
}
const openai = (field: string, value: unknown, model?: string): Readonly<Record<string, Written>> => {
  const written = { fields: { [field]: value }, ...(model ? { model } : {}) };
  return { chat: written, responses: written, 'azure-openai': written };
};
const generation = (fields: object, model?: string): Written => ({
  fields: { generationConfig: fields },
  ...(model ? { model } : {}),
});
/** Behind the tool of the request. */
const offering = (tool: object): Written => ({ fields: { tools: [{ name: 'echo' }, tool] } });
const calling = (fields: object): Written => ({ fields: { toolConfig: { functionCallingConfig: fields } } });

const ROWS: readonly OptionRow[] = [
  {
    name: '`maxOutputTokens`',
    options: { maxOutputTokens: 500 },
    written: {
      chat: { fields: { max_tokens: 500 } },
      responses: { fields: { max_output_tokens: 500 } },
      'azure-openai': { fields: { max_completion_tokens: 500 } },
      anthropic: { fields: { max_tokens: 500 } },
      gemini: generation({ maxOutputTokens: 500 }),
    },
  },
  {
    name: '`temperature`',
    options: { temperature: 0.5 },
    written: {
      ...openai('temperature', 0.5, 'gpt-4.1'),
      anthropic: { fields: { temperature: 0.5 } },
      gemini: generation({ temperature: 0.5 }),
    },
  },
  {
    name: '`topP`',
    options: { topP: 0.9 },
    written: {
      ...openai('top_p', 0.9, 'gpt-4.1'),
      anthropic: { fields: { top_p: 0.9 } },
      gemini: generation({ topP: 0.9 }),
    },
  },
  {
    name: '`stopSequences`',
    options: { stopSequences: ['END'] },
    written: {
      chat: { fields: { stop: ['END'] } },
      'azure-openai': { fields: { stop: ['END'] } },
      anthropic: { fields: { stop_sequences: ['END'] } },
      gemini: generation({ stopSequences: ['END'] }),
    },
  },
  {
    name: '`seed`',
    options: { seed: 7 },
    written: {
      chat: { fields: { seed: 7 } },
      'azure-openai': { fields: { seed: 7 } },
      gemini: generation({ seed: 7 }),
    },
  },
  {
    name: '`reasoning: { effort }`',
    options: { reasoning: { effort: 'low' } },
    written: {
      chat: { fields: { reasoning_effort: 'low' } },
      responses: { fields: { reasoning: { effort: 'low' } } },
      'azure-openai': { fields: { reasoning_effort: 'low' } },
      anthropic: {
        model: 'claude-opus-4-6',
        fields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      },
      gemini: generation({ thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } }),
    },
  },
  {
    name: '`reasoning: { budgetTokens }`',
    options: { reasoning: { budgetTokens: 2048 } },
    written: {
      anthropic: { fields: { thinking: { type: 'enabled', budget_tokens: 2048 } } },
      gemini: generation({ thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } }, 'gemini-2.5-flash'),
    },
  },
  {
    name: "`reasoning: 'off'`",
    options: { reasoning: 'off' },
    written: {
      chat: { fields: { reasoning_effort: 'none' } },
      responses: { model: 'gpt-5.1', fields: { reasoning: { effort: 'none' } } },
      'azure-openai': { fields: { reasoning_effort: 'none' } },
      anthropic: { fields: { thinking: { type: 'disabled' } } },
      gemini: generation({ thinkingConfig: { thinkingBudget: 0 } }, 'gemini-2.5-flash'),
    },
  },
  {
    name: "`toolChoice: 'required'`",
    options: { toolChoice: 'required' },
    written: {
      ...openai('tool_choice', 'required'),
      anthropic: { fields: { tool_choice: { type: 'any' } } },
      gemini: calling({ mode: 'ANY' }),
    },
  },
  {
    name: '`toolChoice: { tool }`',
    options: { toolChoice: { tool: 'echo' } },
    written: {
      ...openai('tool_choice', { type: 'function', function: { name: 'echo' } }),
      responses: { fields: { tool_choice: { type: 'function', name: 'echo' } } },
      anthropic: { fields: { tool_choice: { type: 'tool', name: 'echo' } } },
      gemini: calling({ mode: 'ANY', allowedFunctionNames: ['echo'] }),
    },
  },
  {
    name: '`parallelToolCalls`',
    options: { parallelToolCalls: false },
    written: {
      ...openai('parallel_tool_calls', false),
      anthropic: { fields: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } },
    },
  },
  {
    name: '`serviceTier`',
    options: { serviceTier: 'standard' },
    written: {
      ...openai('service_tier', 'default'),
      anthropic: { fields: { service_tier: 'standard_only' } },
      gemini: { fields: { serviceTier: 'standard' } },
    },
  },
  {
    name: '`logprobs`',
    options: { logprobs: 3 },
    written: {
      chat: { fields: { logprobs: true, top_logprobs: 3 } },
      responses: { model: 'gpt-4.1', fields: { include: ['message.output_text.logprobs'], top_logprobs: 3 } },
      'azure-openai': { fields: { logprobs: true, top_logprobs: 3 } },
      gemini: generation({ responseLogprobs: true, logprobs: 3 }),
    },
  },
  {
    name: '`cache: { ttl }`',
    options: { cache: { ttl: '24h' } },
    written: openai('prompt_cache_retention', '24h', 'gpt-5.1'),
  },
  {
    name: '`serviceTools`: `web_search`',
    options: { serviceTools: [{ type: 'web_search' }] },
    written: {
      responses: offering({ type: 'web_search' }),
      anthropic: offering({ type: 'web_search_20250305', name: 'web_search' }),
      gemini: { fields: { tools: [{ functionDeclarations: [{ name: 'echo' }] }, { googleSearch: {} }] } },
    },
  },
  {
    name: '`serviceTools`: `web_fetch`',
    options: { serviceTools: [{ type: 'web_fetch' }] },
    written: {
      anthropic: offering({ type: 'web_fetch_20250910', name: 'web_fetch' }),
      gemini: { fields: { tools: [{ functionDeclarations: [{ name: 'echo' }] }, { urlContext: {} }] } },
    },
  },
  {
    name: '`serviceTools`: `code_execution`',
    options: { serviceTools: [{ type: 'code_execution' }] },
    written: {
      responses: offering({ type: 'code_interpreter', container: { type: 'auto' } }),
      anthropic: offering({ type: 'code_execution_20250825', name: 'code_execution' }),
      gemini: { fields: { tools: [{ functionDeclarations: [{ name: 'echo' }] }, { codeExecution: {} }] } },
    },
  },
  {
    name: '`serviceTools`: `file_search`',
    options: { serviceTools: [{ type: 'file_search', stores: ['s1'], maxResults: 3 }] },
    written: {
      responses: offering({ type: 'file_search', vector_store_ids: ['s1'], max_num_results: 3 }),
      gemini: {
        fields: {
          tools: [
            { functionDeclarations: [{ name: 'echo' }] },
            { fileSearch: { fileSearchStoreNames: ['s1'], topK: 3 } },
          ],
        },
      },
    },
  },
  {
    name: '`serviceTools`: `image_generation`',
    options: { serviceTools: [{ type: 'image_generation' }] },
    written: {
      responses: offering({ type: 'image_generation' }),
      gemini: {
        fields: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
        model: 'gemini-3-pro-image-preview',
      },
    },
  },
  {
    name: '`serviceTools`: `mcp`',
    options: { serviceTools: [{ type: 'mcp', name: 'docs', url: 'https://a.example/mcp' }] },
    written: {
      responses: offering({ type: 'mcp', server_label: 'docs', server_url: 'https://a.example/mcp' }),
      anthropic: offering({ type: 'mcp_toolset', mcp_server_name: 'docs' }),
    },
  },
];
/** Anthropic's lifetimes are others than OpenAI's. */
const CACHE_OF_ANTHROPIC: Feature['check'] = async (provider) => {
  const { body } = await answered(provider, { cache: { ttl: '1h' } });

  const cache_control = { type: 'ephemeral', ttl: '1h' };
  expect(body).toMatchObject({ cache_control, tools: [{ name: 'echo', cache_control }], system: [{ cache_control }] });
};

async function answered(provider: Provider, options: ModelOptions, model = provider.model) {
  return await exchange(provider, { body: provider.stream('text') }, { options, tools: [echo], model });
}

/** Options of the model: each cell is what the service gets over HTTP; a provider without the option refuses it. */
export const OPTION_FEATURES: readonly Feature[] = ROWS.map(({ name, options, written }) => ({
  name,
  except: ['chat', 'responses', 'azure-openai', 'anthropic', 'gemini'].filter(
    (provider) => !written[provider] && !(name.includes('cache') && provider === 'anthropic'),
  ),
  async check(provider) {
    const expected = written[provider.name];
    if (!expected) return await CACHE_OF_ANTHROPIC(provider);

    const { body } = await answered(provider, options, expected.model);

    expect(body).toMatchObject(expected.fields);
    const { body: without } = await answered(provider, {}, expected.model);
    expect(without).not.toMatchObject(expected.fields);
  },
}));

/** The cells that a provider does not have: each is a refusal by name, before anything is sent. */
export const REFUSED_CELLS: readonly { readonly title: string; readonly refuse: (provider: Provider) => void }[] =
  ROWS.flatMap(({ name, options }, index) =>
    (OPTION_FEATURES[index]?.except ?? []).map((provider) => ({
      title: `${name} · ${provider}`,
      refuse: (of: Provider) => createModel(of.config('http://127.0.0.1:9'), of.model).checkOptions?.(options),
    })),
  );
