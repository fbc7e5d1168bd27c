import { LONGEST_TIMER_MS } from '@x/core/internal';
import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import type {
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerBase,
  McpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from './config.ts';
import { McpError } from './mcp-error.ts';

const NAME = /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/;
const wait = is.finiteMilliseconds(LONGEST_TIMER_MS);
const withoutNul = is.rule(
  'a text without NUL',
  (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
);
const program = is.rule(
  'the name or path of a program',
  (value) => withoutNul.fits(value) && (value as string).trim() !== '', // safe: it is a text
);
const variable = is.rule('without = and NUL', (value) => /^[^=\0]+$/.test(String(value)));
// RFC 9110 5.1 and 5.5: no line breaks, which would begin another header.
const headerName = is.rule('a header of HTTP', (value) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(String(value)));
const headerValue = is.rule(
  'a text without line breaks and other control characters',
  (value) => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
);
const webUrl = is.rule('a URL that begins with http:// or https://, without a user', isWebUrl);

const BASE: OptionRules<McpServerBase> = {
  trusted: is.flag,
  connectTimeoutMs: wait,
  timeoutMs: wait,
  totalTimeoutMs: wait,
};
const STDIO: OptionRules<McpStdioServerConfig> = {
  type: is.oneOf('stdio'),
  command: is.required(program),
  args: is.listOf(withoutNul, 'a list of texts'),
  env: is.recordOf(is.secret(withoutNul), 'an object of texts', variable),
  cwd: is.filePath,
  ...BASE,
};
const REMOTE = {
  url: is.required(is.secret(webUrl)),
  headers: is.recordOf(is.secret(headerValue), 'an object of texts', headerName),
  allowLinkLocal: is.flag,
  authProvider: is.having('an OAuthClientProvider', 'tokens', 'saveTokens', 'redirectToAuthorization'),
  ...BASE,
};
const SSE: OptionRules<McpSSEServerConfig> = { type: is.required(is.oneOf('sse')), ...REMOTE };
const HTTP: OptionRules<McpHttpServerConfig> = { type: is.required(is.oneOf('http')), ...REMOTE };
const SDK: OptionRules<McpSdkServerConfig> = {
  type: is.required(is.oneOf('sdk')),
  instance: is.required(is.having('an McpServer', 'connect', 'close')),
  ...BASE,
};
const RULES = { stdio: STDIO, sse: SSE, http: HTTP, sdk: SDK };
const TYPE = is.oneOf(...Object.keys(RULES));

/** Checks every server, its name first. @throws McpError `CONFIG_ERROR` that names the server and the field */
export function checkServers(servers: Readonly<Record<string, McpServerConfig>>): void {
  for (const [name, config] of Object.entries(servers)) checkServer(name, config);
}

function checkServer(serverName: string, config: McpServerConfig): void {
  const what = `MCP server ${serverName.slice(0, 100)}`;
  const refuse = (message: string, field?: string, cause?: unknown): never => {
    throw new McpError(message, { serverName, errorType: 'CONFIG_ERROR', field, cause });
  };
  if (!NAME.test(serverName)) {
    refuse(`${what}: its name must be letters and digits, with a single _ or - between them`, 'name');
  }
  try {
    const type: unknown = (config as { readonly type?: unknown } | null)?.type;
    if (type !== undefined) checkValue('type', type, TYPE);
    checkOptions(what, config, RULES[(type ?? 'stdio') as keyof typeof RULES]); // safe: it was checked
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { message, field } = error;
    refuse(message.startsWith(what) ? message : `${what}: ${message}`, field, error);
  }
}

/** True for an address of HTTP without a user. */
export function isWebUrl(value: unknown): value is string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
