import type { RunContext, Tool } from '@x/core';
import type { McpPin } from '../definitions/tool-pins.ts';
import type { McpCompletion, McpCompletionRequest } from './completion.ts';
import type { McpResourceListener } from './resource-subscriptions.ts';
import type { McpServerStatus, McpToolInfo } from './types.ts';

/** Bounds of a wait. */
export interface McpWaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Bounds of `ready`. */
export interface McpReadyOptions extends McpWaitOptions {
  /** Servers that wait to be needed (`knownWaitMs`) are not waited for. Default: false, they are connected now. */
  readonly unknownOnly?: boolean;
}

/** The servers of a program, and their tools. Close it. */
export interface McpHub extends AsyncDisposable {
  /**
   * The tools that are offered now, in the order of servers and names; the same list while nothing has changed. A tool that has left the
   * list can no longer be called.
   */
  tools(): readonly Tool[];
  /** All tools that are known, those that wait for an approval included. */
  listTools(): McpToolInfo[];
  /** In the order of names. */
  status(): McpServerStatus[];
  /** Waits until each server was tried once, `timeoutMs` (default: no limit) at most. Never rejects for a server. @throws AbortError */
  ready(options?: McpReadyOptions): Promise<void>;
  /** @throws McpError when the server cannot be reached; `CONFIG_ERROR` for an unknown name */
  connect(serverName: string): Promise<void>;
  /** Takes the tools of a server away, and resolves when it has ended. @throws McpError `CONFIG_ERROR` for an unknown name */
  disconnect(serverName: string): Promise<void>;
  /** @throws McpError as `connect` does */
  reconnect(serverName: string): Promise<void>;
  /** Ends a sign-in (`authProvider`) with the code that the user came back with, and connects. @throws McpError `AUTH_ERROR` */
  authorize(serverName: string, code: string): Promise<void>;
  /** Offers tools that have changed: one by its name, or all of a server. @throws McpError `CONFIG_ERROR` for an unknown name */
  approve(serverName: string, name?: string): void;
  /** Takes pins of another hub for the same servers, such as an approval there; each takes the place of the pin of its tool here. */
  recall(pins: readonly McpPin[]): void;
  /** The definitions that were seen first, or approved, for the next hub. */
  pins(): McpPin[];
  /** @throws McpError, AbortError; so do all that follow. Results are as the protocol has them, and as untrusted as the server */
  listResources(serverName: string, options?: McpWaitOptions): Promise<readonly McpResource[]>;
  /** URIs with `{names}` to fill in; `complete` proposes values. */
  listResourceTemplates(serverName: string, options?: McpWaitOptions): Promise<readonly McpResourceTemplate[]>;
  /** The `contents` of a resource. */
  readResource(serverName: string, uri: string, options?: McpWaitOptions): Promise<readonly McpItem[]>;
  listPrompts(serverName: string, options?: McpWaitOptions): Promise<readonly McpPrompt[]>;
  /** The `messages` of a prompt. */
  getPrompt(
    serverName: string,
    name: string,
    values?: Readonly<Record<string, string>>,
    options?: McpWaitOptions,
  ): Promise<readonly McpItem[]>;
  /**
   * Values for an argument of a prompt, or for a name in a resource template: 100 at most, none from a server that proposes none.
   * @throws ValidationError for a request that is about neither or both
   */
  complete(serverName: string, request: McpCompletionRequest, options?: McpWaitOptions): Promise<McpCompletion>;
  /**
   * Calls the listener when a resource, or one below it, was updated, and after a lost connection, over which a notice may have been missed:
   * once for all notices of 50 ms. Holds until the function that it resolves with is called, over reconnects too.
   * @throws McpError `PROTOCOL_ERROR` for a server that takes no subscriptions
   */
  subscribe(
    serverName: string,
    uri: string,
    listener: McpResourceListener,
    options?: McpWaitOptions,
  ): Promise<() => Promise<void>>;
  /** Ends all servers, with the process groups of those that were started. May be called twice. */
  close(): Promise<void>;
}
/** A hub whose tools find it by the run in which they are called. */
export interface SessionHub extends McpHub {
  /** From now on, tools that are called in this run, or below it, reach the servers of this hub. */
  serve(run: RunContext): void;
}
/** An object of the protocol, as the server has sent it. */
export type McpItem = Readonly<Record<string, unknown>>;
export type McpResource = McpItem & { readonly uri: string };
export type McpResourceTemplate = McpItem & { readonly uriTemplate: string };
export type McpPrompt = McpItem & { readonly name: string };
