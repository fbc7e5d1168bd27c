import { McpError } from './mcp-error.ts';

/** An address that the user of a host is to open, as a server has written it. */
export interface UrlDemand {
  readonly elicitationId: string;
  /** Begins with http:// or https://. */
  readonly url: string;
  readonly message: string;
}

/** The server has not done what it was asked: its user has to open addresses first, such as for a sign-in elsewhere. */
export class UrlRequired extends McpError {
  readonly demands: readonly UrlDemand[];

  constructor(serverName: string, demands: readonly UrlDemand[]) {
    const steps = demands.map(({ url, message }) => `open ${url} (${message})`).join(', ');
    const message = `MCP server ${serverName} did nothing yet: it needs the user to ${steps}. Tell the user, and ask again when that is done`;
    super(message, { serverName, errorType: 'AUTH_ERROR' });
    this.demands = demands;
  }
}
