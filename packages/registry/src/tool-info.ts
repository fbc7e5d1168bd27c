import type { Schema } from '@x/core';
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
  readonly input: Schema<Record<string, unknown>>;
  /** Its place among all tools. */
  readonly place: number;
  readonly registeredAtMs: number;
  enabled: boolean;
}

const DEFAULT_VERSION = '1.0.0';

/** Options over metadata. */
export function effective(metadata: ToolMetadata, options: RegisterOptions): Effective {
  const { tags = metadata.tags, category = metadata.category, dependencies } = options;
  return {
    version: options.version || metadata.version || DEFAULT_VERSION,
    ...(tags === undefined ? {} : { tags }),
    ...(category === undefined ? {} : { category }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}

/** What `list` answers; an own object, and an own date, for each caller. */
export function infoOf(record: ToolRecord): ToolInfo {
  return Object.freeze({ ...record.metadata, ...shown(record) });
}

/** What `get` answers. */
export function entryOf(record: ToolRecord): ToolRegistryEntry {
  const { metadata, implementation } = record;
  return Object.freeze({ metadata, implementation, ...shown(record) });
}

function shown({ registeredAtMs, version, enabled, tags, category, dependencies }: ToolRecord) {
  return {
    version,
    enabled,
    registeredAt: new Date(registeredAtMs),
    ...(tags === undefined ? {} : { tags }),
    ...(category === undefined ? {} : { category }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}
