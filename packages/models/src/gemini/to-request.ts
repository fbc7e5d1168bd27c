import type { ModelRequest } from '@x/core';
import { geminiSchema } from '../schema/provider-schema.ts';
import { withExtra } from '../wire/extra-body.ts';
import { givenFields } from '../wire/option-fields.ts';
import { members, type RequestFormat } from '../wire/request-format.ts';
import { serviceToolsOf } from '../wire/service-steps.ts';
import { computerEntry } from './computer.ts';
import { type FinalTool, finalToolOf } from './final-tool.ts';
import { geminiOptions } from './gemini-options.ts';
import { type ModelTraits, traitsOf } from './model-traits.ts';
import { partDataOf } from './part-data.ts';
import { wireServiceTool } from './service-tools.ts';
import { contentsOf } from './to-contents.ts';

/** The request format of `generateContent` for the model `name`. */
export function geminiFormat(name: string, extra?: Readonly<Record<string, unknown>>): RequestFormat {
  const traits = traitsOf(name);
  const { fieldsOf } = geminiOptions(name);
  return {
    tools(request) {
      const own = request.tools.filter(({ computer }) => !computer);
      const computers = request.tools.filter(({ computer }) => computer).map((tool) => computerEntry(tool, name, own));
      const declarations = [...own.map(declaration), ...finalDeclaration(finalToolOf(request, traits))];
      const declared = declarations.length > 0 ? [{ functionDeclarations: declarations }] : [];
      const wire = [
        ...declared,
        ...computers,
        ...serviceToolsOf(request, (tool) => wireServiceTool(tool, name)).flat(),
      ];
      return members({ tools: wire.length > 0 ? wire : undefined });
    },
    head(request, tools) {
      const finalTool = finalToolOf(request, traits);
      const given = givenFields(request.options, { fieldsOf, extraBody: extra, hasTools: tools !== '' });
      const own = {
        generationConfig: generationConfig(request, traits, finalTool),
        // calls only, so that the answer cannot come as anything else
        toolConfig: finalTool && { functionCallingConfig: { mode: 'ANY' } },
      };
      const start = `{${members(withExtra(defined(own), given, { hasTools: tools !== '' }))}${tools}`;
      const instruction = request.instruction === '' ? undefined : [{ text: request.instruction.toWellFormed() }];
      if (instruction && !traits.takesInstruction) {
        return `${start}"contents":[${JSON.stringify({ role: 'user', parts: instruction })}`;
      }
      return `${start}${members({ systemInstruction: instruction && { parts: instruction } })}"contents":[`;
    },
    messages: (message, _roleBefore, before) => contentsOf(message, traits, before),
    keepsPicture: (picture) => partDataOf(picture) !== undefined,
  };
}

function generationConfig(
  { outputFormat }: ModelRequest,
  { thinks }: ModelTraits,
  finalTool: FinalTool | undefined,
): object | undefined {
  const config = {
    ...(thinks ? { thinkingConfig: { includeThoughts: true } } : {}),
    ...(outputFormat && !finalTool
      ? { responseMimeType: 'application/json', responseJsonSchema: geminiSchema(outputFormat.schema) }
      : {}),
  };
  return Object.keys(config).length > 0 ? config : undefined;
}

function declaration({ name, description, inputSchema }: ModelRequest['tools'][number]): object {
  return { name, description, parametersJsonSchema: inputSchema.json };
}

function finalDeclaration(finalTool: FinalTool | undefined): readonly object[] {
  if (!finalTool) return [];
  const description = 'Gives the final answer. Call it once, when everything else is done, and say nothing else.';
  return [{ name: finalTool.name, description, parametersJsonSchema: finalTool.schema }];
}

function defined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
