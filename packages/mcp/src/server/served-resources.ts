import { present } from '@x/core/internal';
import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { CODES, type Params, RpcError } from './json-rpc.ts';

/** A document that clients may read (Model Context Protocol 2025-11-25, `Resource`). */
export interface McpServedResource {
  /** An absolute URI such as `docs://rules`, each one once. */
  readonly uri: string;
  readonly name: string;
  /** For people. Default: the name. */
  readonly title?: string;
  readonly description?: string;
  /** Default: none is told. */
  readonly mimeType?: string;
  /** Gives the content at each reading, a text or bytes. Of what it throws, the client learns an AgentError with a status below 500. */
  readonly read: (context: McpReadContext) => string | Uint8Array | Promise<string | Uint8Array>;
}

/** Facts of one reading of a resource or a prompt. */
export interface McpReadContext {
  /** Aborted when the client has cancelled its request, or is gone. */
  readonly signal: AbortSignal;
}

const RESOURCE: OptionRules<McpServedResource> = {
  uri: is.required(is.rule('an absolute URI', (value) => typeof value === 'string' && URL.canParse(value))),
  name: is.required(is.words),
  title: is.words,
  description: is.text,
  mimeType: is.words,
  read: is.required(is.callback),
};
export const RESOURCES: is.OptionRule = is.uniqueListOf(is.nested(RESOURCE), 'uri');

/** The resources as a list tells them. */
export function toldResources(resources: readonly McpServedResource[]): object[] {
  return resources.map(({ read: _, ...told }) => present(told));
}

/** @throws RpcError for a resource that is not there */
export async function readResource(
  resources: readonly McpServedResource[],
  { uri }: Params,
  context: McpReadContext,
): Promise<object> {
  const found = resources.find((one) => one.uri === uri);
  if (!found)
    throw new RpcError(CODES.noResource, 'Resource not found', { code: 'RESOURCE_NOT_FOUND', statusCode: 404 });
  const content = await found.read(context);
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    throw new TypeError('A resource is a text, or bytes in a Uint8Array');
  }
  const body = typeof content === 'string' ? { text: content } : { blob: base64Of(content) };
  return { contents: [present({ uri, mimeType: found.mimeType, ...body })] };
}

/** Without a module of Node. */
function base64Of(bytes: Uint8Array): string {
  const PART = 0x8000; // arguments of one call
  let binary = '';
  for (let at = 0; at < bytes.length; at += PART) binary += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(binary);
}
