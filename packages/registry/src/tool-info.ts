import type { Schema, Tool } from '@x/core';
import { present } from '@x/core/internal';
import type { RegisterOptions, ToolImplementation, ToolMetadata, ToolRegistryEntry } from './metadata.ts';

/** The metadata of a registered tool with what holds in the registry: options over metadata. Frozen. */
export interface ToolInfo extends ToolMetadata {
  readonly version: string;
  readonly enabled: boolean;
  readonly registeredAt: Date;
  readonly dependencies?: readonly string[];
}

/** What options and metadata come to. */
interface Effective {
  readonly version: string;
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly dependencies?: readonly string[];
}

/** What the registry keeps of one tool. */
export interface ToolRecord extends Effective {
  /** Frozen. */
  readonly metadata: ToolMetadata;
  readonly implementation: ToolImplementation;
  /** What parameters it takes: an object in any case, the rest is up to the tool. */
  readonly input: Schema<Record<string, unknown>>;
  /** What was `add`ed. */
  readonly tool?: Tool;
  /** Its place among all tools. */
  readonly place: number;
  readonly registeredAtMs: number;
  enabled: boolean;
  /** What is handed out of it, once it was asked for. */
  offered?: Tool;
  info?: ToolInfo | undefined;
}

const DEFAULT_VERSION = '1.0.0';

/** Options over metadata. */
export function effective(metadata: ToolMetadata, options: RegisterOptions): Effective {
  const { tags = metadata.tags, category = metadata.category, dependencies } = options;
  return {
    version: options.version || metadata.version || DEFAULT_VERSION,
    ...present({ tags, category, dependencies }),
  };
}

/** What `list` answers: the same frozen object until the tool changes, with an own date for each who reads it. */
export function infoOf(record: ToolRecord): ToolInfo {
  record.info ??= Object.freeze(withDate(record, { ...record.metadata, ...shownFacts(record) }));
  return record.info;
}

/** What `get` answers. */
export function entryOf(record: ToolRecord): ToolRegistryEntry {
  const { metadata, implementation } = record;
  return Object.freeze(withDate(record, { metadata, implementation, ...shownFacts(record) }));
}

function shownFacts({ version, enabled, tags, category, dependencies }: ToolRecord) {
  return { version, enabled, ...present({ tags, category, dependencies }) };
}

/** Dates cannot be frozen. */
function withDate<T extends object>({ registeredAtMs }: ToolRecord, shownOf: T): T & { readonly registeredAt: Date } {
  const get = () => new Date(registeredAtMs);
  return Object.defineProperty(shownOf, 'registeredAt', { get, enumerable: true }) as T & {
    readonly registeredAt: Date;
  }; // just defined
}
