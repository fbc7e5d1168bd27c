import type { Schema, Tool } from '@x/core';
import { present } from '@x/core/internal';
import type { RegisterOptions, ToolImplementation, ToolMetadata, ToolRegistryEntry } from './metadata.ts';

/** The metadata of a registered tool, overridden by the options of its registration. Frozen. */
export interface ToolInfo extends ToolMetadata {
  readonly version: string;
  readonly enabled: boolean;
  readonly registeredAt: Date;
  readonly dependencies?: readonly string[];
}

/** Metadata overridden by options. */
interface Effective {
  readonly version: string;
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly dependencies?: readonly string[];
}

/** The registry's record of one tool. */
export interface ToolRecord extends Effective {
  /** Frozen. */
  readonly metadata: ToolMetadata;
  readonly implementation: ToolImplementation;
  /** The schema of its parameters: always an object, further checked by the tool. */
  readonly input: Schema<Record<string, unknown>>;
  /** The tool that was `add`ed. */
  readonly tool?: Tool;
  /** Its place among all tools. */
  readonly place: number;
  readonly registeredAtMs: number;
  enabled: boolean;
  /** The live tool, once it was requested. */
  offered?: Tool;
  info?: ToolInfo | undefined;
}

const DEFAULT_VERSION = '1.0.0';

/** Overrides metadata by options. */
export function effective(metadata: ToolMetadata, options: RegisterOptions): Effective {
  const { tags = metadata.tags, category = metadata.category, dependencies } = options;
  return {
    version: options.version || metadata.version || DEFAULT_VERSION,
    ...present({ tags, category, dependencies }),
  };
}

/** The result of `list`: the same frozen object until the tool changes, with a new date for each reader. */
export function infoOf(record: ToolRecord): ToolInfo {
  record.info ??= Object.freeze(withDate(record, { ...record.metadata, ...shownFacts(record) }));
  return record.info;
}

/** The result of `get`. */
export function entryOf(record: ToolRecord): ToolRegistryEntry {
  const { metadata, implementation } = record;
  return Object.freeze(withDate(record, { metadata, implementation, ...shownFacts(record) }));
}

function shownFacts({ version, enabled, tags, category, dependencies }: ToolRecord) {
  return { version, enabled, ...present({ tags, category, dependencies }) };
}

/** Adds the date by a getter, as dates cannot be frozen. */
function withDate<T extends object>({ registeredAtMs }: ToolRecord, shownOf: T): T & { readonly registeredAt: Date } {
  const get = () => new Date(registeredAtMs);
  return Object.defineProperty(shownOf, 'registeredAt', { get, enumerable: true }) as T & {
    readonly registeredAt: Date;
  }; // just defined
}
