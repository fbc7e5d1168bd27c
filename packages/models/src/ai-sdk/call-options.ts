import type { AssistantMessage, ImageBlock, ModelRequest, Tool } from '@x/core';
import { refusedComputer } from '@x/core/internal';
import { type Reads, readsOf } from '../content/readable.ts';
import { readableMessages } from '../content/reply-pictures.ts';
import { openaiSchema } from '../schema/provider-schema.ts';
import { recordOf } from '../wire/json-values.ts';
import type { Fields } from '../wire/option-fields.ts';
import { aiSdkOptions } from './ai-sdk-options.ts';
import type { SupportedUrls } from './specification.ts';
import type { SpokenModel } from './spoken-model.ts';
import { fetchable } from './supported-urls.ts';
import { promptMessages } from './to-prompt.ts';

/** Providers that send a schema to OpenAI as it is given to them, strictly unless told otherwise. */
const OPENAI = /^(?:openai|azure)(?:\.|-openai|$)/;

/** The options of one call, but for its signal. @throws ValidationError for an option, or a schema, that the model does not take */
export function callOptions(spoken: SpokenModel, request: ModelRequest, urls: SupportedUrls): Fields {
  const { source, version, provider, providerOptions = {} } = spoken;
  const { instruction, messages, tools, options = {} } = request;
  const known = readsOf('ai-sdk', source.modelId);
  const reader = { provider, version, name: source.modelId };
  const reads: Reads = (part) => known(part) && fetchable(part, urls);
  const keeps = (_: ImageBlock, reply: AssistantMessage) => reply.provider === provider && reply.model === reader.name;
  const { toolChoice, ...fields } = aiSdkOptions(spoken, options);
  const hasTools = tools.length > 0;
  const format = formatFields(spoken, request);
  return {
    ...fields,
    ...(hasTools && toolChoice !== undefined ? { toolChoice } : {}),
    ...(hasTools ? { tools: tools.map((tool) => toolOf(tool, source.modelId)) } : {}),
    ...format,
    providerOptions: joined(recordOf(format['providerOptions']) ?? {}, providerOptions),
    prompt: [
      ...(instruction === '' ? [] : [{ role: 'system', content: instruction.toWellFormed() }]),
      ...messages.flatMap((message) =>
        readableMessages(message, { reads, keeps }).flatMap((part) => promptMessages(part, reader)),
      ),
    ],
  };
}

function toolOf({ name, description, inputSchema, computer }: Tool, model: string): Fields {
  if (computer) throw refusedComputer(name, model);
  return { type: 'function', name, description, inputSchema: inputSchema.json };
}

function formatFields({ source }: SpokenModel, { outputFormat }: ModelRequest): Fields {
  if (!outputFormat) return {};
  const { name, schema, strict } = outputFormat;
  if (!OPENAI.test(source.provider)) return { responseFormat: { type: 'json', name, schema } };
  return {
    responseFormat: { type: 'json', name, schema: openaiSchema(schema, strict) },
    providerOptions: { openai: { strictJsonSchema: strict } },
  };
}

/** Joins options by provider; fields of the host win. */
function joined(own: Fields, given: Fields): Fields {
  const names = new Set([...Object.keys(own), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => [name, { ...recordOf(own[name]), ...recordOf(given[name]) }]));
}
