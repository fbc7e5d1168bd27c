import { type Logger, ToolDisabledError, ToolNotFoundError, ValidationError } from '@x/core';
import { shownNames } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ChangeEvents, type RegistryListener } from './change-events.ts';
import { DependencyGraph } from './dependency-graph.ts';
import type { ListFilter, RegisterOptions } from './metadata.ts';
import { NamesInAnyCase } from './names-in-any-case.ts';
import { Bm25Index } from './search/bm25-index.ts';
import type { SearchOptions } from './search/search-options.ts';
import { effective, type ToolRecord } from './tool-info.ts';

const NONE: readonly string[] = Object.freeze([]);

/** The tools of a registry: their order, their dependencies, their index, and the listeners. */
export class ToolCatalog {
  readonly #records = new Map<string, ToolRecord>();
  readonly #names = new NamesInAnyCase();
  readonly #dependencies = new DependencyGraph();
  readonly #changes: ChangeEvents;
  /** Built by the first search, then kept up to date. */
  #index: Bm25Index<ToolRecord> | undefined;
  #registrations = 0;

  constructor(logger: Logger) {
    this.#changes = new ChangeEvents(logger);
  }

  get(name: string): ToolRecord | undefined {
    return this.#records.get(name);
  }

  /** @throws ToolNotFoundError */
  known(name: string, input?: unknown): ToolRecord {
    const record = this.#records.get(name);
    if (record) return record;
    const toolName = typeof name === 'string' ? name : typeof name; // whoever asks without types
    throw new ToolNotFoundError(`Tool not found: ${toolName}`, { toolName, input });
  }

  /** A tool that can be run: it exists, is enabled, and so are its dependencies. @throws ToolNotFoundError, ToolDisabledError */
  ready(name: string, input: unknown): ToolRecord {
    const record = this.known(name, input);
    if (!record.enabled) throw new ToolDisabledError(`Tool is disabled: ${name}`, { toolName: name, input });
    const missing = this.#missing(record);
    if (missing.length === 0) return record;
    const listed = missing.map((one) => `${one} (${this.#records.has(one) ? 'disabled' : 'not registered'})`);
    const text = `Tool ${name} needs tools that are not available: ${listed.join(', ')}`;
    throw new ToolDisabledError(text, { toolName: name, input });
  }

  /** In the order of their registration. */
  list(filter: ListFilter): ToolRecord[] {
    return [...this.#records.values()].filter(fitting(filter));
  }

  /** The tools of the list that can be run. */
  runnable(filter: ListFilter): ToolRecord[] {
    return this.list(filter).filter((record) => record.enabled && this.#missing(record).length === 0);
  }

  /** The enabled tools with a word of the query, best first: one of exactly that name before all others. */
  search(query: string, { limit, offset }: Required<SearchOptions>): ToolRecord[] {
    const found = this.#searchable().search(query, { limit: offset + limit, accepts: ({ enabled }) => enabled });
    const named = new Set<ToolRecord>();
    for (const name of this.#names.like(query.trim())) {
      const record = this.#records.get(name);
      if (record?.enabled) named.add(record);
    }
    const ranked = named.size === 0 ? found : [...named, ...found.filter((record) => !named.has(record))];
    return ranked.slice(offset, offset + limit);
  }

  /** @throws ValidationError for a cycle of dependencies */
  store(tool: Pick<ToolRecord, 'metadata' | 'implementation' | 'input' | 'tool'>, options: RegisterOptions): void {
    const { name } = tool.metadata;
    const circle = this.#dependencies.circle(name, options.dependencies);
    if (circle) throw new ValidationError(`Dependencies form a circle: ${shownNames(circle, ' -> ')}`, 'dependencies');
    const before = this.#records.get(name);
    const record: ToolRecord = {
      ...tool,
      ...effective(tool.metadata, options),
      place: before?.place ?? this.#registrations++,
      registeredAtMs: Date.now(),
      enabled: true,
    };
    this.#records.set(name, record);
    this.#names.add(name);
    this.#dependencies.set(name, record.dependencies);
    if (before) this.#index?.remove(before);
    this.#index?.add(record);
    this.#changes.tell(before ? 'replaced' : 'registered', name);
  }

  /** @throws ToolNotFoundError */
  switch(name: string, enabled: boolean): void {
    const record = this.known(name);
    if (record.enabled === enabled) return;
    record.enabled = enabled;
    record.info = undefined;
    this.#changes.tell(enabled ? 'enabled' : 'disabled', name);
  }

  /** @throws ToolNotFoundError; ValidationError when others depend on the tool, unless forced */
  remove(name: string, force: boolean): void {
    const record = this.known(name);
    const dependents = this.#dependencies.dependentsOf(name);
    if (dependents.length > 0 && !force) {
      const message = `Tool "${name}" is needed by ${shownNames(dependents)}; unregister them first, or force it`;
      throw new ValidationError(message, 'name');
    }
    this.#records.delete(name);
    this.#names.delete(name);
    this.#index?.remove(record);
    this.#dependencies.delete(name);
    this.#changes.tell('unregistered', name);
  }

  onChange(listener: RegistryListener): () => void {
    return this.#changes.subscribe(listener);
  }

  #missing({ dependencies }: ToolRecord): readonly string[] {
    return dependencies ? dependencies.filter((one) => !this.#records.get(one)?.enabled) : NONE;
  }

  #searchable(): Bm25Index<ToolRecord> {
    if (this.#index) return this.#index;
    const index = new Bm25Index<ToolRecord>();
    for (const record of this.#records.values()) index.add(record);
    this.#index = index;
    return index;
  }
}

const FILTER: OptionRules<ListFilter> = { category: is.text, tag: is.text, tags: is.texts, enabled: is.flag };

/** Makes the check that a tool fits every given field. @throws ValidationError for a filter that could not be honoured */
function fitting(filter: ListFilter): (record: ToolRecord) => boolean {
  checkOptions('List filter', filter, FILTER);
  const { category, tag, tags = [], enabled } = filter;
  const wanted = tag === undefined ? tags : [...tags, tag];
  return (record) =>
    (category === undefined || record.category === category) &&
    (enabled === undefined || record.enabled === enabled) &&
    wanted.every((one) => record.tags?.includes(one));
}
