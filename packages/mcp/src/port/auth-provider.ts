/** Keeps tokens and sends the user to sign in. Every `OAuthClientProvider` of the official SDK is one; its further members are used too. */
export interface McpAuthProvider {
  /** Where the user comes back to; undefined for a sign-in without a user. */
  readonly redirectUrl: string | URL | undefined;
  /** RFC 7591. */
  readonly clientMetadata: object;
  /** A page with that metadata, where a server takes it in place of a registration. */
  readonly clientMetadataUrl?: string;
  state?(): string | Promise<string>;
  clientInformation(): McpAuthClient | undefined | Promise<McpAuthClient | undefined>;
  saveClientInformation?(client: McpAuthClient): void | Promise<void>;
  tokens(): McpAuthTokens | undefined | Promise<McpAuthTokens | undefined>;
  saveTokens(tokens: McpAuthTokens): void | Promise<void>;
  redirectToAuthorization(page: URL): void | Promise<void>;
  /** RFC 7636. */
  saveCodeVerifier(verifier: string): void | Promise<void>;
  codeVerifier(): string | Promise<string>;
  /** Called for what a server no longer accepts. */
  invalidateCredentials?(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void | Promise<void>;
  /** What was found out about the server's sign-in, kept until the user is back. */
  discoveryState?(): object | undefined | Promise<object | undefined>;
  saveDiscoveryState?(state: object): void | Promise<void>;
}
/** A registered client (RFC 7591 3.2.1). */
export interface McpAuthClient {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
}
/** RFC 6749 5.1. */
export interface McpAuthTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
  readonly refresh_token?: string | undefined;
}
