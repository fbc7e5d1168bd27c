import type { McpHubOptions } from './create-mcp-hub.ts';
import type { McpPin } from './definitions/tool-pins.ts';
import type { SessionHub } from './hub/hub-interface.ts';

const load = () => import('./create-mcp-hub.ts');
let loading: ReturnType<typeof load> | undefined;

/** `createSessionHub`, loaded with the first session that has servers. @throws as `createMcpHub` */
export async function sessionHub(
  options: Omit<McpHubOptions, 'onPin'>,
  onPins: (pins: readonly McpPin[]) => void,
): Promise<SessionHub> {
  const { createSessionHub } = await (loading ??= load()); // an import that is repeated costs as much as ten servers
  return createSessionHub(options, onPins);
}
