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
  /** Stands in for an absent value; copied for each call. */
  readonly default?: unknown;
  /** The only values allowed, compared deeply. */
  readonly enum?: readonly unknown[];
  /** Of a string: an ECMA-262 pattern without look-around and back-references, searched for anywhere in the text. */
  readonly pattern?: string;
  /** Of a number, inclusive. */
  readonly minimum?: number;
  /** Of a number, inclusive. */
  readonly maximum?: number;
}

/** A call that shows how a tool is used. */
export interface ToolExample {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly expectedResult?: unknown;
}

/** What a tool says about itself. */
export interface ToolMetadata {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly version?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  /** Kept and shown by `list` and `get`; nothing else uses it. */
  readonly author?: string;
  /** Each must fit the parameters; models are shown them as `examples` of the JSON Schema. */
  readonly examples?: readonly ToolExample[];
}

/** What an implementation is given beside its parameters. */
export interface ImplementationContext {
  /** Aborted when the caller has given up. */
  readonly signal?: AbortSignal;
  /** The same again when the call is repeated: hand it to the service that must not do it twice. */
  readonly idempotencyKey?: string;
  /** Which attempt at the call this is, from 1, where somebody counts them. */
  readonly attempt?: number;
}

/** What a tool does, with parameters that fit its metadata. */
export type ToolImplementation = (
  // oxlint-disable-next-line typescript/no-explicit-any -- the specified type; the values were checked against the metadata
  parameters: Record<string, any>,
  context?: ImplementationContext,
) => Promise<unknown>;

/** What a registration says over the metadata. */
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

/** Every field that is given must fit. */
export interface ListFilter {
  readonly category?: string;
  readonly tag?: string;
  /** The tool carries all of them. */
  readonly tags?: readonly string[];
  readonly enabled?: boolean;
}
