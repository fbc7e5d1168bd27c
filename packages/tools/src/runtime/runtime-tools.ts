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

/** Options of `runtimeTools`. */
export interface RuntimeToolsOptions {
  /** Directory of the artifacts, relative to the working directory or absolute; default `.artifacts`. */
  readonly artifactDirectory?: string;
  /** Used by `compress_context` and `get_context_status`; without it both answer that it is not available. */
  readonly context?: ContextDoor;
  /** Logs the texts of `console_print`; default: silent. */
  readonly logger?: Logger;
  /** Called with the texts of `console_print`, e.g. to write them to a terminal. */
  readonly print?: (text: string, context: ToolContext) => void;
}

const OPTIONS: OptionRules<RuntimeToolsOptions> = {
  artifactDirectory: is.filePath,
  context: is.anything,
  logger: is.anything, // `quietly` checks it
  print: is.callback,
};

/** Tools created here, to distinguish them from the host's own. */
const made = new WeakSet<Tool>();

/** True for a tool created by `runtimeTools`. */
export function isRuntimeTool(tool: Tool): boolean {
  return made.has(tool);
}

/**
 * Creates the tools of the built-in groups artifact, workspace, command, network, context and console; those of org_management belong to an
 * organisation. Stateless: one list serves any number of runs. @throws ValidationError for an unknown option
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
