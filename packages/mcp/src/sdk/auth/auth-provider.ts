import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';

/** Keeps tokens and asks the user, as the official SDK has it. */
export type McpAuthProvider = OAuthClientProvider;
