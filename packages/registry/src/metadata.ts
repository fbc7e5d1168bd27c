/** The types a parameter may have. */
export type ParameterType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** One parameter of a tool. */
export interface ToolParameter {
  readonly name: string;
  /** Strict: nothing is coerced; a number is finite, an object is neither null nor an array. */
  readonly type: ParameterType;
  readonly description: string;
  /** Default: false. */
  readonly required?: boolean;
  /** Used for an absent value; copied for each call. */
  readonly default?: unknown;
  /** The only values allowed, compared deeply. */
  readonly enum?: readonly unknown[];
  /** For a string: an ECMA-262 pattern without look-around and back-references, searched for anywhere in the text. */
  readonly pattern?: string;
  /** For a number, inclusive. */
  readonly minimum?: number;
  /** For a number, inclusive. */
  readonly maximum?: number;
}

/** A call as an example of the tool's use. */
export interface ToolExample {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly expectedResult?: unknown;
}

/** The description of a tool. */
export interface ToolMetadata {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly version?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  /** Kept and shown by `list` and `get`; nothing else uses it. */
  readonly author?: string;
  /** Each must fit the parameters; models get them as `examples` of the JSON Schema. */
  readonly examples?: readonly ToolExample[];
}

/** Context of an implementation, in addition to its parameters. */
export interface ImplementationContext {
  /** Aborted when the caller has given up. */
  readonly signal?: AbortSignal;
  /** The same when the call is repeated: pass it to the service that must not act twice. */
  readonly idempotencyKey?: string;
  /** Number of the attempt, from 1, if attempts are counted. */
  readonly attempt?: number;
  /** Passes a text about its progress on; absent when the caller does not follow it. */
  readonly onProgress?: (text: string) => void;
}

/** Implements a tool; its parameters fit the metadata. */
export type ToolImplementation = (
  // oxlint-disable-next-line typescript/no-explicit-any -- the specified type; the values were checked against the metadata
  parameters: Record<string, any>,
  context?: ImplementationContext,
) => Promise<unknown>;

/** Options of a registration, which override the metadata. */
export interface RegisterOptions {
  /** Default: the version of the metadata, else `1.0.0`. */
  readonly version?: string;
  /** Default: the tags of the metadata. */
  readonly tags?: readonly string[];
  /** Default: the category of the metadata. */
  readonly category?: string;
  /** Replaces a tool of the same name, in its place. Default: false. */
  readonly overwrite?: boolean;
  /** Names of tools that must be registered and enabled when this one runs. */
  readonly dependencies?: readonly string[];
}

/** A registered tool. Frozen. */
export interface ToolRegistryEntry {
  readonly metadata: ToolMetadata;
  readonly implementation: ToolImplementation;
  readonly registeredAt: Date;
  readonly version: string;
  readonly enabled: boolean;
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly dependencies?: readonly string[];
}

/** A filter; a tool must match every given field. */
export interface ListFilter {
  readonly category?: string;
  readonly tag?: string;
  /** The tool must have all of them. */
  readonly tags?: readonly string[];
  readonly enabled?: boolean;
}
