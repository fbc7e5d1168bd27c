import { AbortError, defineTool, type Tool, type ToolDefinition, ValidationError } from '@x/core';
import { isTool, quietly, type ToolSchema } from '@x/core/internal';
import { checkOptions } from '@x/errors/option-rules';
import type { RegistryListener } from './change-events.ts';
import { frozenCopy } from './frozen-copy.ts';
import { argumentsOf, type FunctionCall, type FunctionDefinition, functionDefinition } from './function-definition.ts';
import { failureOfTool, type Invoke, invoked, parsedBy } from './invoke.ts';
import { type McpCall, type McpResult, toMcpError, toMcpResult } from './mcp-result.ts';
import { type McpTool, mcpTool } from './mcp-tool.ts';
import type {
  ImplementationContext,
  ListFilter,
  RegisterOptions,
  ToolImplementation,
  ToolMetadata,
  ToolRegistryEntry,
} from './metadata.ts';
import { type Page, type Paging, paginate } from './paginate.ts';
import { parametersSchema } from './parameters.ts';
import { parametersOf } from './parameters-of.ts';
import {
  contextOf,
  type ExecuteOptions,
  policyOf,
  REGISTRY,
  type ToolRegistryOptions,
  UNREGISTER,
  type UnregisterOptions,
} from './registry-options.ts';
import { type LiveRegistry, registryTool } from './registry-tool.ts';
import { checkedSearch, type SearchOptions } from './search/search-options.ts';
import { followed, implementationOf } from './standalone-context.ts';
import { ToolCatalog } from './tool-catalog.ts';
import { entryOf, infoOf, type ToolInfo } from './tool-info.ts';
import { toolInput } from './tool-input.ts';
import { checkDescription, checkMetadata, checkName, type NamePolicy, REGISTER } from './validate-metadata.ts';
import { withExamples } from './with-examples.ts';

const NO_CONTEXT: ImplementationContext = Object.freeze({});

/** Keeps tools by name, in the order of their registration, and finds them again. Returned objects are frozen. */
export class ToolRegistry {
  readonly #names: NamePolicy;
  readonly #invoke: Invoke | undefined;
  readonly #catalog: ToolCatalog;
  readonly #live: LiveRegistry;

  constructor(options: ToolRegistryOptions = {}) {
    checkOptions('Registry options', options, REGISTRY);
    this.#names = policyOf(options.namePattern);
    this.#invoke = options.invoke;
    this.#catalog = new ToolCatalog(quietly(options.logger));
    this.#live = { invoke: options.invoke, ready: (name, input) => this.#catalog.ready(name, input) };
  }

  /** Registers a tool by its metadata. @throws ValidationError, leaving the registry unchanged */
  register(metadata: ToolMetadata, implementation: ToolImplementation, options: RegisterOptions = {}): void {
    const copy = frozenCopy(metadata, 'Tool metadata'); // what is checked is what is kept: getters are read once
    const own = frozenCopy(options, 'Register options');
    const name: unknown = copy?.name;
    this.#checkAdmission(name, copy?.description, own);
    if (typeof implementation !== 'function') {
      throw new ValidationError(`Tool "${name}": the implementation must be a function`, 'implementation');
    }
    checkMetadata(copy);
    const input = withExamples(parametersSchema(copy.parameters), copy.examples);
    this.#catalog.store({ metadata: copy, implementation, input }, own);
  }

  /**
   * Registers a finished tool, or the definition of one, whose `inputSchema` may be a plain JSON Schema; its own schema judges its input.
   * @throws ValidationError, leaving the registry unchanged
   */
  add<S extends ToolSchema>(tool: Tool | ToolDefinition<S>, options: RegisterOptions = {}): void {
    const finished = finishedTool(tool);
    const { name, description } = finished;
    const own = frozenCopy(options, 'Register options');
    this.#checkAdmission(name, description, own);
    const input = toolInput(finished);
    const metadata = frozenCopy({ name, description, parameters: parametersOf(input.json) }, 'Tool metadata');
    this.#catalog.store({ metadata, implementation: implementationOf(finished), input, tool: finished }, own);
  }

  get(name: string): ToolRegistryEntry | undefined {
    const record = this.#catalog.get(name);
    return record && entryOf(record);
  }

  /** The tools that match every given field, disabled ones included, in the order of their registration. */
  list(filter: ListFilter = {}): ToolInfo[] {
    return this.#catalog.list(filter).map(infoOf);
  }

  /** One page of `list`. @throws ValidationError for a page or limit out of range */
  page(paging: Paging = {}, filter: ListFilter = {}): Page<ToolInfo> {
    const page = paginate(this.#catalog.list(filter), paging);
    return { ...page, items: page.items.map(infoOf) };
  }

  /** The tools with all the tags. */
  filterByTag(tags: readonly string[]): ToolInfo[] {
    return this.list({ tags });
  }

  filterByCategory(category: string): ToolInfo[] {
    return this.list({ category });
  }

  /**
   * The enabled tools with a word of the query, or a similar one, best first: one of exactly that name, then by BM25, then by registration.
   * Returns 100 at most by default; the first 64 distinct words of the query count.
   */
  search(query: string, options: SearchOptions = {}): ToolInfo[] {
    return this.#catalog.search(query, checkedSearch(query, options)).map(infoOf);
  }

  /**
   * Runs a tool: checks existence, enabled, dependencies, parameters, then calls the implementation.
   * @throws AgentError of the tool unchanged; ToolExecutionError around any other
   */
  async execute(
    name: string,
    parameters: Readonly<Record<string, unknown>>,
    options?: ExecuteOptions,
  ): Promise<unknown> {
    const context = options === undefined ? NO_CONTEXT : contextOf(options);
    const record = this.#catalog.ready(name, parameters);
    const input = parsedBy(record, parameters);
    if (context.signal?.aborted) throw new AbortError();
    try {
      const implementation = followed(record.implementation, options?.onProgress);
      return await invoked(record, implementation, input, context, options?.invoke ?? this.#invoke);
    } catch (error) {
      throw failureOfTool({ toolName: name, input: parameters }, error, context.signal);
    }
  }

  /**
   * The tools that can be run, for a session. They are live: disabling, replacing or removing one affects them too, and a call then ends
   * like `execute`. In a session they have its workspace and journal.
   */
  tools(filter: ListFilter = {}): Tool[] {
    return this.#catalog
      .runnable(filter)
      .map((record) => (record.offered ??= Object.freeze(registryTool(record, this.#live))));
  }

  /** The tools that can be run, as function definitions. */
  functionDefinitions(filter: ListFilter = {}): FunctionDefinition[] {
    return this.#catalog.runnable(filter).map(({ metadata, input }) => functionDefinition(metadata, input.json));
  }

  /** The tools that can be run, as MCP tool descriptors. */
  mcpTools(filter: ListFilter = {}): McpTool[] {
    return this.#catalog.runnable(filter).map(({ tool, metadata, input }) => mcpTool(tool ?? metadata, input.json));
  }

  /**
   * Runs a model's function call, whose further fields, such as `call_id`, belong to the protocol and are allowed.
   * @throws errors of `execute`; ValidationError for invalid JSON
   */
  async callFunction(call: FunctionCall, options?: ExecuteOptions): Promise<unknown> {
    checkCall(call);
    this.#catalog.ready(call.name, call.arguments);
    return this.execute(call.name, argumentsOf(call), options);
  }

  /**
   * Runs an MCP client's call; a failure is a result too, with its code. Further fields of the call, such as `_meta`, belong to the
   * protocol and are allowed.
   * @throws ToolNotFoundError and AbortError, which the protocol answers itself
   */
  async callMcpTool(call: McpCall, options?: ExecuteOptions): Promise<McpResult> {
    checkCall(call);
    const { name, arguments: input = {} } = call;
    this.#catalog.known(name, input); // once it runs, a tool may be removed, by itself too
    try {
      return toMcpResult(await this.execute(name, input, options));
    } catch (error) {
      if (error instanceof AbortError) throw error;
      return toMcpError(failureOfTool({ toolName: name, input }, error));
    }
  }

  /** Calls the listener after each change, until the returned function is called. A listener that throws stops nobody. */
  onChange(listener: RegistryListener): () => void {
    return this.#catalog.onChange(listener);
  }

  /** @throws ToolNotFoundError */
  getVersion(name: string): string {
    return this.#catalog.known(name).version;
  }

  /** @throws ToolNotFoundError */
  enable(name: string): void {
    this.#catalog.switch(name, true);
  }

  /** The tool stays listed, but is neither run nor found. @throws ToolNotFoundError */
  disable(name: string): void {
    this.#catalog.switch(name, false);
  }

  /** @throws ToolNotFoundError; ValidationError when others depend on the tool, unless forced */
  unregister(name: string, options: UnregisterOptions = {}): void {
    checkOptions('Unregister options', options, UNREGISTER);
    this.#catalog.remove(name, options.force === true);
  }

  #checkAdmission(name: unknown, description: unknown, options: RegisterOptions): asserts name is string {
    checkName(name, this.#names);
    if (this.#catalog.get(name) && options?.overwrite !== true) {
      throw new ValidationError(`Tool "${name}" is already registered`, 'name');
    }
    checkDescription(description);
    checkOptions('Register options', options, REGISTER);
  }
}

function checkCall(call: unknown): void {
  if (typeof call !== 'object' || call === null) throw new ValidationError('A call must be an object with a name');
}

function finishedTool<S extends ToolSchema>(tool: Tool | ToolDefinition<S>): Tool {
  if (typeof tool !== 'object' || tool === null || typeof tool.execute !== 'function') {
    throw new ValidationError('add needs a tool, or what defineTool(...) takes', 'tool');
  }
  return isTool(tool) ? tool : defineTool(tool);
}
