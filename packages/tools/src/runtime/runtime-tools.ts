import type { Logger, Tool, ToolContext } from '@x/core';
import { quietly } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { getArtifactTool, putArtifactTool } from './artifact-tools.ts';
import { runCommandTool, runJavascriptTool } from './command-tools.ts';
import { consolePrintTool } from './console-tools.ts';
import { type ContextDoor, compressContextTool, contextStatusTool } from './context-tools.ts';
import { httpRequestTool } from './network-tools.ts';
import { listFilesTool, readFileTool, workspaceInfoTool, writeFileTool } from './workspace-tools.ts';

/** What the tools of the built-in groups need from their host. */
export interface RuntimeToolsOptions {
  /** Where artifacts are kept, relative to the working directory or absolute; default `.artifacts`. */
  readonly artifactDirectory?: string;
  /** What `compress_context` and `get_context_status` work with; without it both answer that there is nothing to work with. */
  readonly context?: ContextDoor;
  /** Gets what `console_print` says; default: nobody. */
  readonly logger?: Logger;
  /** Called with what `console_print` says, e.g. to write it to a terminal. */
  readonly print?: (text: string, context: ToolContext) => void;
}

const OPTIONS: OptionRules<RuntimeToolsOptions> = {
  artifactDirectory: is.filePath,
  context: is.anything,
  logger: is.anything, // `quietly` checks it
  print: is.callback,
};

/** What was made here, so that whoever judges a call can tell it from a tool of the host's own making. */
const made = new WeakSet<Tool>();

/** Whether the tool is one of a list that `runtimeTools` has made. */
export function isRuntimeTool(tool: Tool): boolean {
  return made.has(tool);
}

/**
 * The tools of the built-in groups artifact, workspace, command, network, context and console; those of org_management belong to an
 * organisation. Stateless: one list serves any number of runs. @throws ValidationError for an option it does not know
 */
export function runtimeTools(options: RuntimeToolsOptions = {}): readonly Tool[] {
  checkOptions('runtimeTools options', options, OPTIONS);
  const { artifactDirectory = '.artifacts', context, logger, print } = options;
  const tools: readonly Tool[] = [
    putArtifactTool(artifactDirectory),
    getArtifactTool(artifactDirectory),
    readFileTool(),
    writeFileTool(),
    listFilesTool(),
    workspaceInfoTool(),
    runCommandTool(),
    runJavascriptTool(),
    httpRequestTool(),
    compressContextTool(context),
    contextStatusTool(context),
    consolePrintTool({ logger: quietly(logger), ...(print ? { print } : {}) }),
  ];
  for (const tool of tools) made.add(tool);
  return tools;
}
