import { present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { StdioServer, StdioServerOptions } from '@x/mcp/server';
import { lineLogger } from './log/line-logger.ts';
import { mcpFailures, mcpSource } from './mcp/tool-source.ts';
import { HTTP, type HttpOptions, settingsOf } from './settings/http-options.ts';

/** Options of a server over stdio: those of a server over HTTP that do not concern HTTP, and the streams. */
export interface ServeStdioOptions
  extends Pick<HttpOptions, 'registry' | 'executor' | 'logger' | 'logLevel' | 'secrets' | 'version' | 'production'>,
    Pick<
      StdioServerOptions,
      'name' | 'instructions' | 'pageSize' | 'resources' | 'prompts' | 'input' | 'output' | 'maxMessageBytes'
    > {}

const { registry, executor, logger, logLevel, secrets, version, production } = HTTP;
const STDIO: OptionRules<ServeStdioOptions> = {
  registry,
  executor,
  logger,
  logLevel,
  secrets,
  version,
  production,
  name: is.anything, // `serveToolsOverStdio` checks this and what follows
  instructions: is.anything,
  pageSize: is.anything,
  resources: is.anything,
  prompts: is.anything,
  input: is.anything,
  output: is.anything,
  maxMessageBytes: is.anything,
};

/**
 * Serves the tools of a registry by the Model Context Protocol over the input and output of this process, until the input ends: with the
 * executor, the errors and the log of `serve`. Nothing else is written to the standard output meanwhile.
 * @throws ValidationError naming the first option that is unknown or invalid
 */
export async function serveStdio(options: ServeStdioOptions = {}): Promise<StdioServer> {
  checkOptions('serveStdio options', options, STDIO);
  const { name, instructions, pageSize, resources, prompts, input, output, maxMessageBytes, ...rest } = options;
  const settings = settingsOf({ logger: lineLogger((line) => process.stderr.write(line)), ...rest });
  const { serveToolsOverStdio } = await import('@x/mcp/server');
  const own = present({ name, instructions, pageSize, resources, prompts, input, output, maxMessageBytes });
  return serveToolsOverStdio(mcpSource(settings), {
    ...own,
    version: settings.version,
    onError: mcpFailures(settings),
  });
}
