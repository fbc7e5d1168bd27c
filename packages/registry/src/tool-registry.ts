import {
  AbortError,
  isAgentError,
  isTool,
  type Tool,
  ToolDisabledError,
  type ToolErrorCall,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
} from '@x/core';
import { findCircle } from './dependencies.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { ListFilter, RegisterOptions, ToolImplementation, ToolMetadata, ToolRegistryEntry } from './metadata.ts';
import { implementationOf, toMetadata } from './metadata-tool.ts';
import { checkObject, parametersSchema } from './parameters.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { Bm25Index } from './search/bm25-index.ts';
import { effective, entryOf, infoOf, type ToolInfo, type ToolRecord } from './tool-info.ts';
import {
  checkDescription,
  checkMetadata,
  checkName,
  checkOptions,
  KEBAB_CASE,
  type NamePolicy,
} from './validate-metadata.ts';

/** How a registry judges names. */
export interface ToolRegistryOptions {
  /** Which tool names are accepted. Default: `^[a-z][a-z0-9-]*$`. */
  readonly namePattern?: RegExp;
}
/** How one execution can be stopped. */
export interface ExecuteOptions {
  /** Handed to the implementation; when aborted already, nothing runs. */
  readonly signal?: AbortSignal;
}
/** Whether a tool goes although others depend on it. */
export interface UnregisterOptions {
  /** Removes the tool although others depend on it. */
  readonly force?: boolean;
}

/** Keeps tools by name, in the order of their registration, and finds them again. What it hands out is frozen. */
export class ToolRegistry {
  readonly #names: NamePolicy;
  readonly #records = new Map<string, ToolRecord>();
  /** By the name of a tool: the tools that depend on it. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Built by the first search, then kept up to date. */
  #index: Bm25Index<ToolRecord> | undefined;
  #registrations = 0;

  constructor(options: ToolRegistryOptions = {}) {
    refuseUnknown('Registry options', options, ['namePattern']);
    this.#names = policyOf(options.namePattern);
  }

  /** Registers a tool by its metadata. @throws ValidationError, after which the registry is as it was */
  register(metadata: ToolMetadata, implementation: ToolImplementation, options: RegisterOptions = {}): void {
    const name: unknown = metadata?.name;
    this.#checkAdmission(name, metadata?.description, options);
    if (typeof implementation !== 'function') {
      throw new ValidationError(`Tool "${name}": the implementation must be a function`, 'implementation');
    }
    const copy = frozenCopy(metadata, 'Tool metadata');
    checkMetadata(copy);
    this.#store({ metadata: copy, implementation, input: parametersSchema(copy.parameters) }, options);
  }

  /** Registers a finished tool; its own schema judges its input. @throws ValidationError, after which the registry is as it was */
  add(tool: Tool, options: RegisterOptions = {}): void {
    if (!isTool(tool)) throw new ValidationError('add needs a tool; make one with defineTool(...)', 'tool');
    const { inputSchema } = tool;
    this.#checkAdmission(tool.name, tool.description, options);
    const input = {
      json: inputSchema.json,
      parse(value: unknown) {
        checkObject(value);
        return inputSchema.parse({ ...value }) as Record<string, unknown>; // what the tool takes
      },
    };
    const metadata = frozenCopy(toMetadata(tool), 'Tool metadata');
    this.#store({ metadata, implementation: implementationOf(tool), input }, options);
  }

  get(name: string): ToolRegistryEntry | undefined {
    const record = this.#records.get(name);
    return record && entryOf(record);
  }

  /** The tools that fit every given field, disabled ones included, in the order of their registration. */
  list(filter: ListFilter = {}): ToolInfo[] {
    refuseUnknown('List filter', filter, ['category', 'tag', 'tags', 'enabled']);
    const { category, tag, tags = [], enabled } = filter;
    const wanted = tag === undefined ? tags : [...tags, tag];
    const fits = (record: ToolRecord) =>
      (category === undefined || record.category === category) &&
      (enabled === undefined || record.enabled === enabled) &&
      wanted.every((one) => record.tags?.includes(one));
    return [...this.#records.values()].filter(fits).map(infoOf);
  }

  /** The tools that carry all the tags. */
  filterByTag(tags: readonly string[]): ToolInfo[] {
    return this.list({ tags });
  }

  filterByCategory(category: string): ToolInfo[] {
    return this.list({ category });
  }

  /** The enabled tools that have a word of the query, best first: one of that very name, then by BM25, then by registration. */
  search(query: string): ToolInfo[] {
    if (typeof query !== 'string') throw new ValidationError('The query must be a text', 'query');
    const exact = query.trim().toLowerCase();
    const isNamed = ({ metadata: { name } }: ToolRecord) =>
      name.length === exact.length && name.toLowerCase() === exact;
    const found = this.#searchable()
      .search(query)
      .filter(({ enabled }) => enabled);
    const named = found.filter(isNamed);
    const ranked = named.length === 0 ? found : [...named, ...found.filter((record) => !isNamed(record))];
    return ranked.map(infoOf);
  }

  /**
   * Runs a tool: exists, enabled, dependencies, parameters, then the implementation.
   * @throws AgentError the tool's own unchanged; ToolExecutionError around any other
   */
  async execute(
    name: string,
    parameters: Readonly<Record<string, unknown>>,
    options?: ExecuteOptions,
  ): Promise<unknown> {
    if (options) refuseUnknown('Execute options', options, ['signal']);
    const call = { toolName: name, input: parameters };
    const record = this.#known(name, call);
    if (!record.enabled) throw new ToolDisabledError(`Tool is disabled: ${name}`, call);
    this.#checkDependencies(record, call);
    const signal = options?.signal;
    try {
      const input = record.input.parse(parameters);
      if (signal?.aborted) throw new AbortError();
      return await record.implementation(input, signal ? { signal } : {});
    } catch (error) {
      if (isAgentError(error)) throw error;
      throw new ToolExecutionError(`Tool execution failed: ${name}`, error, call);
    }
  }

  /** @throws ToolNotFoundError */
  getVersion(name: string): string {
    return this.#known(name).version;
  }

  /** @throws ToolNotFoundError */
  enable(name: string): void {
    this.#known(name).enabled = true;
  }

  /** The tool stays listed, but is neither run nor found. @throws ToolNotFoundError */
  disable(name: string): void {
    this.#known(name).enabled = false;
  }

  /** @throws ToolNotFoundError; ValidationError when others depend on the tool, unless forced */
  unregister(name: string, options: UnregisterOptions = {}): void {
    refuseUnknown('Unregister options', options, ['force']);
    const record = this.#known(name);
    const dependents = [...(this.#dependents.get(name) ?? [])];
    if (dependents.length > 0 && options.force !== true) {
      throw new ValidationError(
        `Tool "${name}" is needed by ${dependents.join(', ')}; unregister them first, or force it`,
      );
    }
    this.#records.delete(name);
    this.#index?.remove(name);
    this.#unlink(record);
  }

  #checkAdmission(name: unknown, description: unknown, options: RegisterOptions): asserts name is string {
    checkName(name, this.#names);
    if (this.#records.has(name) && options?.overwrite !== true) {
      throw new ValidationError(`Tool "${name}" is already registered`, 'name');
    }
    checkDescription(description);
    checkOptions(options);
  }

  #store(tool: Pick<ToolRecord, 'metadata' | 'implementation' | 'input'>, given: RegisterOptions): void {
    const { name } = tool.metadata;
    const options = frozenCopy(given, 'Register options');
    this.#checkCircle(name, options.dependencies);
    const before = this.#records.get(name);
    const record: ToolRecord = {
      ...tool,
      ...effective(tool.metadata, options),
      place: before?.place ?? this.#registrations++,
      registeredAtMs: Date.now(),
      enabled: true,
    };
    if (before) this.#unlink(before);
    this.#records.set(name, record);
    for (const one of record.dependencies ?? []) {
      this.#dependents.set(one, (this.#dependents.get(one) ?? new Set()).add(name));
    }
    this.#index?.add(record);
  }

  /** A tool that no other needs, and that does not need itself, closes no circle. */
  #checkCircle(name: string, dependencies: readonly string[] = []): void {
    if (!this.#dependents.has(name) && !dependencies.includes(name)) return;
    const circle = findCircle(name, dependencies, (one) => this.#records.get(one)?.dependencies ?? []);
    if (circle) throw new ValidationError(`Dependencies form a circle: ${circle.join(' -> ')}`, 'dependencies');
  }

  #unlink({ metadata: { name }, dependencies = [] }: ToolRecord): void {
    for (const one of dependencies) {
      const dependents = this.#dependents.get(one);
      dependents?.delete(name);
      if (dependents?.size === 0) this.#dependents.delete(one);
    }
  }

  #known(name: string, call: ToolErrorCall = { toolName: name, input: undefined }): ToolRecord {
    const record = this.#records.get(name);
    if (!record) throw new ToolNotFoundError(`Tool not found: ${name}`, call);
    return record;
  }

  #checkDependencies({ metadata: { name }, dependencies }: ToolRecord, call: ToolErrorCall): void {
    if (!dependencies) return;
    const missing = dependencies.filter((one) => !this.#records.get(one)?.enabled);
    if (missing.length === 0) return;
    const listed = missing.map((one) => `${one} (${this.#records.has(one) ? 'disabled' : 'not registered'})`);
    throw new ToolDisabledError(`Tool ${name} needs tools that are not available: ${listed.join(', ')}`, call);
  }

  #searchable(): Bm25Index<ToolRecord> {
    if (this.#index) return this.#index;
    const index = new Bm25Index<ToolRecord>();
    for (const record of this.#records.values()) index.add(record);
    this.#index = index;
    return index;
  }
}

function policyOf(pattern: RegExp | undefined): NamePolicy {
  if (pattern === undefined) return KEBAB_CASE;
  if (!(pattern instanceof RegExp))
    throw new ValidationError('namePattern must be a regular expression', 'namePattern');
  // Without the flags that make a pattern remember where it stopped.
  const own = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return { pattern: own, message: `Tool name must match ${pattern.source}` };
}
