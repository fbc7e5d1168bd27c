import type { ModelRequest } from '@x/core';
import { readsOf } from '../content/readable.ts';
import { readableMessages } from '../content/reply-pictures.ts';
import { withExtra } from '../wire/extra-body.ts';
import { finalInstruction, finalToolFor } from '../wire/final-tool.ts';
import { conversation } from './converse-messages.ts';
import { converseOptions } from './converse-options.ts';
import { ConverseReplyReader } from './converse-reply.ts';
import { toolConfig } from './converse-tools.ts';
import type { BedrockApi, SpokenBedrock } from './event-reader.ts';

/** Converse, which is the same for all models. An answer in a given format is the input of a final tool. */
export function converseApi({ name, extraBody }: SpokenBedrock): BedrockApi {
  const reads = readsOf('converse', name);
  const { fieldsOf } = converseOptions(name);
  const finalToolOf = ({ outputFormat, tools }: ModelRequest) => outputFormat && finalToolFor(outputFormat, tools);

  function inputOf(request: ModelRequest): object {
    const { instruction, options = {}, messages } = request;
    const final = finalToolOf(request);
    const said = conversation(messages.flatMap((message) => readableMessages(message, { reads })));
    const point = options.cache ? [{ cachePoint: { type: 'default', ttl: options.cache.ttl } }] : [];
    const texts = [instruction, ...(final ? [finalInstruction(final)] : [])];
    const system = texts.filter((text) => text.trim() !== '').map((text) => ({ text: text.toWellFormed() }));
    const config = toolConfig(request, { model: name, final, point, called: said.called });
    const fields = withExtra(fieldsOf(options), extraBody, { hasTools: true });
    return withExtra(
      {
        modelId: name,
        ...(config ? { toolConfig: config } : {}),
        ...(system.length > 0 ? { system: [...system, ...point] } : {}),
        messages: said.messages,
      },
      fields,
      { hasTools: true },
    );
  }

  return {
    command: (sdk, request) => new sdk.ConverseStreamCommand(inputOf(request) as never), // safe: in the words of its API
    eventsIn: (answer) => answer['stream'],
    reader: (facts) => new ConverseReplyReader(facts, finalToolOf(facts.request)),
  };
}
