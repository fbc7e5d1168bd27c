import type { ModelRequest } from '@x/core';
import { openaiSchema } from '../schema/provider-schema.ts';
import { withExtra } from '../wire/extra-body.ts';
import { givenFields } from '../wire/option-fields.ts';
import { members, type RequestFormat } from '../wire/request-format.ts';
import { inputItems, isReasoningModel } from './input-items.ts';
import { responsesOptions } from './responses-options.ts';

/** The request format of responses for the model `name`. The service stores nothing: every request contains its whole history. */
export function responsesFormat(name: string, extra?: Readonly<Record<string, unknown>>): RequestFormat {
  const { fieldsOf } = responsesOptions(name);
  const include = isReasoningModel(name) ? ['reasoning.encrypted_content'] : undefined;
  return {
    tools: ({ tools }) => members({ tools: tools.length > 0 ? tools.map(wireTool) : undefined }),
    head({ instruction, outputFormat, options }, tools) {
      const text = outputFormat && { format: textFormat(outputFormat) };
      const start = { model: name, stream: true, store: false, include, text };
      const given = givenFields(options, { fieldsOf, extraBody: extra, hasTools: tools !== '' });
      const instructions = instruction === '' ? undefined : instruction.toWellFormed();
      return `{${members(withExtra(start, given))}${tools}${members({ instructions })}"input":[`;
    },
    messages: (message) => inputItems(message, name),
  };
}

/** Not strict: optional arguments stay optional. The service treats an absent `strict` as true. */
function wireTool({ name, description, inputSchema }: ModelRequest['tools'][number]): object {
  return { type: 'function', name, description, parameters: inputSchema.json, strict: false };
}

function textFormat({ name, schema, strict }: NonNullable<ModelRequest['outputFormat']>): object {
  return { type: 'json_schema', name, schema: openaiSchema(schema, strict), strict };
}
