import { defineTool, isTool, nearestName, type Tool, type ToolDefinition, ValidationError } from '@x/core';

/**
 * The built-in tools and the host's, which stand in the place of those they say they replace. `elsewhere` names more tools that may be
 * replaced. @throws ValidationError for a name that two have, and for a tool that would replace nothing
 */
export function withOwnTools(
  builtin: readonly Tool[],
  own: readonly (Tool | ToolDefinition)[],
  elsewhere: readonly string[] = [],
): readonly Tool[] {
  const tools = [...builtin];
  const names = builtin.map(({ name }) => name);
  const taken = new Set<string>();
  for (const given of own) {
    const tool = isTool(given) ? given : defineTool(given);
    const { name } = tool;
    const at = names.indexOf(name);
    if (taken.has(name)) throw refusal(`Two tools are named ${name}; choose another name for one`);
    taken.add(name);
    if (at !== -1 && tool.replace !== true) {
      throw refusal(
        `There is a built-in tool ${name}; choose another name, or write replace: true to put yours in its place`,
      );
    }
    if (at === -1 && tool.replace === true && !elsewhere.includes(name)) {
      const nearest = nearestName(name, [...names, ...elsewhere]);
      throw refusal(
        `The tool ${name} replaces nothing: no built-in tool has this name; leave replace out, or did you mean ${nearest}?`,
      );
    }
    if (at === -1) tools.push(tool);
    else tools[at] = tool;
  }
  return tools;
}

function refusal(text: string): ValidationError {
  return new ValidationError(text, 'tools');
}
