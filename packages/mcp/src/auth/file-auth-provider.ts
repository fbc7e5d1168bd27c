import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { McpAuthClient, McpAuthProvider, McpAuthTokens } from '../port/auth-provider.ts';

/** Options of `fileAuthProvider`. */
export interface FileAuthOptions {
  /** What is kept: the registered client, its tokens, and what an open sign-in needs. Readable by this user alone. */
  readonly file: string;
  /** Where the user comes back to with a code, which `hub.authorize` takes. */
  readonly redirectUrl: string;
  /** Sends the user to the page of the server that asks for consent. */
  readonly redirect: (url: URL) => void | Promise<void>;
  /** Shown to the user there. Default: `agent-sdk`. */
  readonly clientName?: string;
  /** A client that was registered before, by whoever runs the server. */
  readonly client?: McpAuthClient;
  /** A page about the client, where a server takes that in place of a registration. */
  readonly clientMetadataUrl?: string;
  /** What is asked for, separated by spaces. */
  readonly scope?: string;
}

const OPTIONS: OptionRules<FileAuthOptions> = {
  file: is.required(is.filePath),
  redirectUrl: is.required(is.rule('a URL', (value) => typeof value === 'string' && URL.canParse(value))),
  redirect: is.required(is.callback),
  clientName: is.words,
  client: is.nested({ client_id: is.required(is.filledText), client_secret: is.secret(is.filledText) }),
  clientMetadataUrl: is.rule(
    'a URL that begins with https://',
    (value) => typeof value === 'string' && URL.canParse(value) && value.startsWith('https://'),
  ),
  scope: is.words,
};
type Kept = Record<string, unknown>;

/**
 * Creates a provider for `authProvider` that keeps what it learns in a file of mode 0600. @throws ValidationError for a wrong option, or a
 * file that holds something else
 */
export function fileAuthProvider(options: FileAuthOptions): McpAuthProvider {
  checkOptions('fileAuthProvider options', options, OPTIONS);
  const { file, redirectUrl, redirect, clientName = 'agent-sdk', client, clientMetadataUrl, scope } = options;
  const change = (more: Kept) => write(file, { ...read(file), ...more });
  read(file);
  return {
    redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    },
    // safe, as are those below: only what the SDK has saved is in the file
    clientInformation: () => (client ?? read(file)['client']) as McpAuthClient | undefined,
    saveClientInformation: (registered) => change({ client: registered }),
    tokens: () => read(file)['tokens'] as McpAuthTokens | undefined,
    saveTokens: (tokens) => change({ tokens }),
    discoveryState: () => read(file)['discovery'] as object | undefined,
    saveDiscoveryState: (discovery) => change({ discovery }),
    codeVerifier: () => String(read(file)['verifier']),
    saveCodeVerifier: (verifier) => change({ verifier }),
    redirectToAuthorization: (url) => redirect(url),
    invalidateCredentials(what) {
      write(file, what === 'all' ? {} : { ...read(file), [what]: undefined });
    },
  };
}

function read(file: string): Kept {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return kept as Kept; // safe: looked at
  } catch {
    // Reported below.
  }
  throw new ValidationError(`file ${file} must be what this provider has written, or must not exist`, 'file');
}

/** In one step, so that a crash leaves the old file or the new one. */
function write(file: string, kept: Kept): void {
  mkdirSync(dirname(file), { recursive: true });
  const next = `${file}.${crypto.randomUUID()}`;
  writeFileSync(next, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
  chmodSync(next, 0o600); // whatever the process takes away
  renameSync(next, file);
}
