import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';

/** Bounds of what a server may send. */
export interface McpLimits {
  /** Bytes of one message; a longer one ends the connection. Default: 8 MiB. */
  readonly maxMessageBytes?: number;
  /** Tools of one server; further ones are left out. Default: 1,000. */
  readonly maxTools?: number;
  /** Characters of a description; a longer one is cut. Default: 4,096. */
  readonly maxDescriptionLength?: number;
  /** Bytes of an input schema; a tool with a longer one is left out. Default: 128 KiB. */
  readonly maxSchemaBytes?: number;
  /** Requests to one server at the same time; further calls are refused. Default: 64. */
  readonly maxPending?: number;
  /** Milliseconds for each step of the end of a process: its input closed, SIGTERM, SIGKILL. Default: 2,000. */
  readonly shutdownMs?: number;
}

export const LIMITS: OptionRules<McpLimits> = {
  maxMessageBytes: is.count(1_024),
  maxTools: is.count(),
  maxDescriptionLength: is.count(),
  maxSchemaBytes: is.count(),
  maxPending: is.count(),
  shutdownMs: is.finiteMilliseconds(60_000),
};

/** The limits with their defaults. */
export function limitsOf(limits: McpLimits): Required<McpLimits> {
  return {
    maxMessageBytes: limits.maxMessageBytes ?? 8 * 1024 * 1024,
    maxTools: limits.maxTools ?? 1_000,
    maxDescriptionLength: limits.maxDescriptionLength ?? 4_096,
    maxSchemaBytes: limits.maxSchemaBytes ?? 128 * 1024,
    maxPending: limits.maxPending ?? 64,
    shutdownMs: limits.shutdownMs ?? 2_000,
  };
}
