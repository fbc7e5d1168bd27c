import { defineTool, type Tool, type ToolDefinition, ValidationError } from '@x/core';
import { isTool, knownNames } from '@x/core/internal';

/** The host's tools in the form that the loop needs. @throws ValidationError */
export function adapted(given: readonly (Tool | ToolDefinition)[] = []): readonly Tool[] {
  return given.map((tool) => withSchema(isTool(tool) ? tool : defineTool(tool)));
}

/** The tool, whose schema can be written. @throws ValidationError naming the tool */
function withSchema(tool: Tool): Tool {
  try {
    void tool.inputSchema.json; // made at the first look
    return tool;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw refusedTool(`Tool ${tool.name}: ${error.message}`);
  }
}

/**
 * The built-in tools and the host's, which replace those of the same name when they say so. `elsewhere` names more tools that may be
 * replaced. @throws ValidationError for a duplicate name, and for a replacement without an original
 */
export function withOwnTools(
  builtin: readonly Tool[],
  own: readonly Tool[],
  elsewhere: readonly string[] = [],
): readonly Tool[] {
  const tools = [...builtin];
  const names = builtin.map(({ name }) => name);
  const taken = new Set<string>();
  for (const tool of own) {
    const { name } = tool;
    const at = names.indexOf(name);
    if (taken.has(name)) throw refusedTool(`Two tools are named ${name}; choose another name for one`);
    taken.add(name);
    if (at !== -1 && tool.replace !== true) {
      throw refusedTool(
        `There is a built-in tool ${name}; choose another name, or write replace: true to put yours in its place`,
      );
    }
    if (at === -1 && tool.replace === true && !elsewhere.includes(name)) {
      const known = knownNames(name, [...names, ...elsewhere]);
      throw refusedTool(
        `The tool ${name} replaces nothing: no built-in tool has this name, leave replace out; ${known}`,
      );
    }
    if (at === -1) tools.push(tool);
    else {
      checkSubject(tool, builtin[at]!); // its index
      tools[at] = tool;
    }
  }
  return tools;
}

/** Refuses a replacement whose rules would not match: `Bash(rm *)` would be read as one about paths, and guard nothing. */
function checkSubject(tool: Tool, replaced: Tool): void {
  const [type, meant] = [tool, replaced].map((one) => {
    try {
      return one.subject?.({})?.type;
    } catch {
      return undefined; // found out at the first call
    }
  });
  if (type === undefined || meant === undefined || type === meant) return;
  throw refusedTool(
    `The subject of your ${tool.name} is of the type ${type}; rules about ${tool.name} speak of a ${meant}: return that type`,
  );
}

function refusedTool(text: string): ValidationError {
  return new ValidationError(text, 'tools');
}
