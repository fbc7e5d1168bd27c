import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { isWebUrl } from '../port/check-servers.ts';
import type { McpConnectionSetup, McpHostHandler, McpHostHandlers } from '../port/connection.ts';

/** Questions of one server to the host at the same time; more are refused. */
const MOST_AT_ONCE = 16;

/** The abilities of the host that its handlers make. */
export function capabilitiesOf({ roots, elicit, elicitUrl, sample }: McpHostHandlers): ClientCapabilities {
  const modes = { ...(elicit ? { form: { applyDefaults: true } } : {}), ...(elicitUrl ? { url: {} } : {}) };
  return {
    ...(roots ? { roots: {} } : {}),
    ...(elicit || elicitUrl ? { elicitation: modes } : {}),
    ...(sample ? { sampling: {} } : {}),
  };
}

/** Passes what a server asks and logs to the handlers of the host. */
export async function answerRequests(client: Client, { serverName, handlers }: McpConnectionSetup): Promise<void> {
  const schemas = await import('@modelcontextprotocol/sdk/types.js');
  const { roots, elicit, elicitUrl, sample, log } = handlers;
  let open = 0;
  const ask = async (handler: McpHostHandler, params: unknown, signal: AbortSignal) => {
    if (open >= MOST_AT_ONCE) throw new Error(`more than ${MOST_AT_ONCE} requests at the same time`);
    open += 1;
    try {
      return await handler(serverName, (params ?? {}) as Readonly<Record<string, unknown>>, { signal }); // safe: parsed by the SDK
    } finally {
      open -= 1;
    }
  };
  if (roots) {
    client.setRequestHandler(schemas.ListRootsRequestSchema, async () => {
      const list = await roots(serverName);
      return { roots: list.map((root) => ({ ...root })) };
    });
  }
  if (elicit || elicitUrl) {
    client.setRequestHandler(schemas.ElicitRequestSchema, async ({ params }, { signal }) => {
      if (params.mode !== 'url') return await ask(elicit!, params, signal); // the SDK refuses what no capability names
      if (!isWebUrl(params.url)) throw new Error('the address must begin with http:// or https://');
      return await ask(elicitUrl!, { ...params, url: new URL(params.url).href }, signal); // as above
    });
  }
  if (sample) {
    const schema = schemas.CreateMessageRequestSchema;
    client.setRequestHandler(schema, async ({ params }, { signal }) => (await ask(sample, params, signal)) as never); // safe: the SDK checks it
  }
  if (log) {
    client.setNotificationHandler(schemas.LoggingMessageNotificationSchema, ({ params }) => {
      const { level, logger, data } = params;
      log(serverName, { level, data, ...(logger === undefined ? {} : { logger }) });
    });
  }
}
