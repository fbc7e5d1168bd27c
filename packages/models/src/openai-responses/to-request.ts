import type { ModelRequest } from '@x/core';
import { refusedComputer } from '@x/core/internal';
import { usesComputer } from '../openai-chat/openai-facts.ts';
import { openaiSchema } from '../schema/provider-schema.ts';
import { withExtra } from '../wire/extra-body.ts';
import { givenFields } from '../wire/option-fields.ts';
import { members, type RequestFormat } from '../wire/request-format.ts';
import { serviceToolsOf } from '../wire/service-steps.ts';
import { COMPUTER_TOOL } from './computer.ts';
import { inputItems, keepsPicture } from './input-items.ts';
import { givesReasoning } from './reasoning-models.ts';
import { responsesOptions } from './responses-options.ts';
import { TOOL_SEARCH, wireServiceTool } from './service-tools.ts';

const LOGPROBS = 'message.output_text.logprobs';

/** The request format of responses for the model `name`. The service stores nothing: every request contains its whole history. */
export function responsesFormat(
  name: string,
  extra?: Readonly<Record<string, unknown>>,
  hasComputer: boolean = usesComputer(name),
): RequestFormat {
  const { fieldsOf } = responsesOptions(name);
  const include = includes(name, extra?.['include']);
  const computerTool = (tool: string): object => {
    if (!hasComputer) throw refusedComputer(tool, name);
    return COMPUTER_TOOL;
  };
  return {
    tools(request) {
      const service = serviceToolsOf(request, (tool) => wireServiceTool(tool, name));
      const { deferredTools } = request;
      const deferred = deferredTools?.map((tool) => ({ ...wireTool(tool), defer_loading: true }));
      const own = request.tools.map((tool) => (tool.computer ? computerTool(tool.name) : wireTool(tool)));
      const wire = [...own, ...service, ...(deferred ? [TOOL_SEARCH, ...deferred] : [])];
      return members({ tools: wire.length > 0 ? wire : undefined });
    },
    head({ instruction, outputFormat, options }, tools) {
      const text = outputFormat && { format: textFormat(outputFormat) };
      const start = { model: name, stream: true, store: false, text };
      const hasTools = tools !== '';
      const given = withExtra(start, givenFields(options, { fieldsOf, extraBody: extra, hasTools }), { hasTools });
      const instructions = instruction === '' ? undefined : instruction.toWellFormed();
      const included = options?.logprobs === undefined ? include : [...listOf(include), LOGPROBS];
      return `{${members({ ...given, include: included })}${tools}${members({ instructions })}"input":[`;
    },
    messages: (message, _roleBefore, before) => inputItems(message, name, { before, hasComputer }),
    keepsPicture: (picture, reply) => keepsPicture(picture, reply, name),
  };
}

function listOf(include: unknown): readonly unknown[] {
  return Array.isArray(include) ? include.filter((name) => name !== LOGPROBS) : [];
}

/** Encrypted reasoning, and what the host wants to see; an empty list of the host stays empty. */
function includes(name: string, wanted: unknown): unknown {
  const own = givesReasoning(name) ? ['reasoning.encrypted_content'] : undefined;
  if (wanted === undefined || !own) return wanted ?? own;
  return Array.isArray(wanted) && wanted.length > 0 ? [...new Set<unknown>([...own, ...wanted])] : wanted;
}

/** Not strict: optional arguments stay optional. The service treats an absent `strict` as true. */
function wireTool({ name, description, inputSchema }: ModelRequest['tools'][number]): object {
  return { type: 'function', name, description, parameters: inputSchema.json, strict: false };
}

function textFormat({ name, schema, strict }: NonNullable<ModelRequest['outputFormat']>): object {
  return { type: 'json_schema', name, schema: openaiSchema(schema, strict), strict };
}
