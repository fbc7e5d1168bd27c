import type { ServiceTool, ServiceToolStep } from '@x/core/internal';
import { bareName } from '../model-name/bare-name.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { refusedOption } from '../wire/option-fields.ts';
import { stepId } from '../wire/service-steps.ts';
import type { WirePart } from './part-data.ts';

type Fields = Readonly<Record<string, unknown>>;

const LACKING = ['maxUses', 'allowedDomains', 'blockedDomains', 'place', 'quality', 'format', 'background'];

/**
 * A tool of the service in the words of `generateContent`: one, or none for pictures, which models make without a tool. @throws
 * ValidationError for one, or a field, that it does not have
 */
export function wireServiceTool(tool: ServiceTool, model: string): readonly Fields[] {
  const field = LACKING.find((name) => Object.hasOwn(tool, name));
  if (field !== undefined) {
    throw refusedOption('serviceTools', model, `the Gemini API has no ${field} for ${tool.type}; leave it out`);
  }
  switch (tool.type) {
    case 'web_search':
      return [{ googleSearch: {} }];
    case 'web_fetch':
      return [{ urlContext: {} }];
    case 'code_execution':
      return [{ codeExecution: {} }];
    case 'file_search': {
      const most = tool.maxResults === undefined ? {} : { topK: tool.maxResults };
      return [{ fileSearch: { fileSearchStoreNames: tool.stores, ...most } }];
    }
    case 'image_generation':
      return [];
    case 'mcp':
      throw refusedOption(
        'serviceTools',
        model,
        'the Gemini API does not show the calls of mcp; use mcpServers of the session',
      );
  }
}

/** The fields of `generationConfig` by which a model makes pictures. @throws ValidationError for a model that makes none, or a size of others */
export function pictureFields(tools: readonly ServiceTool[] = [], model: string): Fields {
  const tool = tools.find((one) => one.type === 'image_generation');
  if (!tool) return {};
  if (!/-image(?:-|$)/.test(bareName(model))) {
    throw refusedOption('serviceTools', model, 'it makes no pictures; models that do have -image in their names');
  }
  const { size, aspectRatio } = tool;
  if (size !== undefined && !size.endsWith('K')) {
    throw refusedOption('serviceTools', model, `the Gemini API has no size ${size}; use 1K, 2K or 4K, and aspectRatio`);
  }
  const imageConfig = { ...(size ? { imageSize: size } : {}), ...(aspectRatio ? { aspectRatio } : {}) };
  return { responseModalities: ['TEXT', 'IMAGE'], ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}) };
}

/** The step that a part is; undefined for a part of no tool of the service (ai.google.dev, "Code execution" and "Tool combination"). */
export function serviceToolStep(part: WirePart): ServiceToolStep | undefined {
  const code = recordOf(part['executableCode']);
  if (code) return { name: 'code_execution', ...stepId(code['id']), state: 'called', input: code['code'] };
  const ran = recordOf(part['codeExecutionResult']);
  if (ran)
    return { name: 'code_execution', ...stepId(ran['id']), state: ran['outcome'] === 'OUTCOME_OK' ? 'done' : 'failed' };
  const call = recordOf(part['toolCall']);
  if (call) return { name: nameOf(call), ...stepId(call['id']), state: 'called', input: call['args'] ?? {} };
  const answer = recordOf(part['toolResponse']);
  return answer && { name: nameOf(answer), ...stepId(answer['id']), state: 'done' };
}

function nameOf({ toolType }: WirePart): string {
  return textIn(toolType).toLowerCase();
}
