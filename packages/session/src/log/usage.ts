import type { RunRecord, TokenUsage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue } from '@x/errors/option-rules';
import { costOf, type ModelPrices, priceOf } from '@x/models';
import { checkPrices } from '@x/models/internal';
import type { EntryBody } from './entry.ts';
import { readBody } from './large-body.ts';
import { forward } from './log-format.ts';
import type { SessionStore } from './session-store.ts';

/** One model call of a session. `inputTokens` counts cached tokens too. */
export interface UsageEntry {
  /** ISO 8601, by the store's clock. */
  readonly at: string;
  /** The agents from the main one to the caller: `['main']`, or `['main', 'researcher']`. */
  readonly agentPath: readonly string[];
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Finished calls of tools of the service, by name. */
  readonly serviceToolUses?: Readonly<Record<string, number>>;
  /** The service reported nothing, or nobody was there to receive it; the numbers, and the cost, are an estimate. */
  readonly estimated?: true;
  /**
   * The reason why a call made no message: `compaction`; `cut_off`, its reply was interrupted or dropped; `lost`, its process ended before
   * the reply was recorded.
   */
  readonly purpose?: string;
  /** US dollars: that of its message, which was worked out when it was made; absent when the price of the model is not known. */
  readonly cost?: number;
}
/** The sum of some calls. */
export interface UsageTotal {
  readonly calls: number;
  readonly usage: TokenUsage;
  readonly cost: UsageCost;
}
/** A cost that shows when it is incomplete. */
export interface UsageCost {
  /** US dollars of all calls; undefined when any of them has no known price. */
  readonly usd: number | undefined;
  /** US dollars of the calls whose price is known. */
  readonly knownUsd: number;
  /** Models without a price; name them in `prices`. */
  readonly unknownModels: readonly string[];
}
/** Usage of one model of one provider. */
export interface ModelUsage extends UsageTotal {
  readonly provider: string;
  readonly model: string;
}
/** Usage of a session, in the order of its log. */
export interface SessionUsage {
  readonly entries: readonly UsageEntry[];
  /** In the order of their first call. */
  readonly byModel: readonly ModelUsage[];
  readonly total: UsageTotal;
}
const STORE = is.required(is.having('a SessionStore, such as sqliteStore({ path }) or memoryStore()', 'read'));

/** Options of `sessionUsage`. */
export interface SessionUsageOptions {
  /** Prices that override the built-in ones, in US dollars per million tokens; for calls whose messages have no cost. */
  readonly prices?: ModelPrices;
}

/**
 * Sums up every model call of a session, subagents included, from its log. Calls that a fork has copied from its source are the source's.
 * @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED`, `LOG_TOO_NEW`; ValidationError
 */
export async function sessionUsage(
  store: SessionStore,
  sessionId: string,
  options: SessionUsageOptions = {},
): Promise<SessionUsage> {
  checkValue('store', store, STORE);
  checkValue('sessionId', sessionId, is.required(is.text, 'the id of a session'));
  checkOptions('The options', options, { prices: is.checked(checkPrices) });
  const { prices = {} } = options;
  const entries: UsageEntry[] = [];
  const total = new Total();
  const byModel = new Map<string, ModelTotal>();
  for await (const call of usageEntries(store, sessionId)) {
    const { provider, model } = call;
    const cost = call.cost ?? costBy(prices, model, usageOf(call));
    const entry = cost === undefined ? call : { ...call, cost };
    entries.push(entry);
    total.add(entry);
    const key = JSON.stringify([provider, model]);
    const own = byModel.get(key) ?? { provider, model, total: new Total() };
    byModel.set(key, own);
    own.total.add(entry);
  }
  return {
    entries,
    byModel: [...byModel.values()].map(({ provider, model, total: own }) => ({ provider, model, ...own.sum })),
    total: total.sum,
  };
}

/** The model calls in a session's log, with the cost of those whose messages have one. */
async function* usageEntries(store: SessionStore, sessionId: string): AsyncGenerator<UsageEntry, void, void> {
  const agents = new Map<string, string>();
  const newest = forward();
  let copied = 0;
  for await (const { seq, at, body: stored } of store.read(sessionId)) {
    const body = newest(await readBody(store, sessionId, stored));
    if (body.type === 'session_created') copied = body.forkedFrom?.seq ?? 0;
    if (body.type !== 'record') continue;
    const { record } = body;
    if (record.type === 'tool_started') agents.set(record.callId, agentStartedBy(record));
    const call = seq > copied ? callIn(record) : undefined;
    if (call) yield { at, agentPath: pathOf(body, agents), ...call };
  }
}

/** The counts of an entry as the usage that they were reported as. */
function usageOf(entry: Call): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, serviceToolUses, estimated } =
    entry;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(serviceToolUses === undefined ? {} : { serviceToolUses }),
    ...(estimated ? { estimated } : {}),
  };
}

interface ModelTotal {
  readonly provider: string;
  readonly model: string;
  readonly total: Total;
}

/** Added up call by call. */
class Total {
  #calls = 0;
  #usage = noUsage();
  #knownUsd = 0;
  readonly #unknown = new Set<string>();

  add(entry: UsageEntry): void {
    this.#calls += 1;
    this.#usage = addUsage(this.#usage, usageOf(entry));
    this.#knownUsd += entry.cost ?? 0;
    if (entry.cost === undefined) this.#unknown.add(entry.model);
  }

  get sum(): UsageTotal {
    const [knownUsd, unknownModels] = [this.#knownUsd, [...this.#unknown]];
    const usd = unknownModels.length === 0 ? knownUsd : undefined;
    return { calls: this.#calls, usage: this.#usage, cost: { usd, knownUsd, unknownModels } };
  }
}

type Call = Omit<UsageEntry, 'at' | 'agentPath'>;

/** US dollars of the model call in a record, as its message says or by the prices; 0 for any other record, undefined without a price. */
export function costOfRecord(record: RunRecord, prices: ModelPrices = {}): number | undefined {
  const paid = paidIn(record);
  if (!paid) return 0;
  return paid.cost ?? costBy(prices, paid.model, paid.usage);
}

function costBy(prices: ModelPrices, model: string, usage: TokenUsage): number | undefined {
  const price = priceOf(model, prices);
  return price && costOf(usage, price);
}

function callIn(record: RunRecord): Call | undefined {
  const paid = paidIn(record);
  if (!paid) return undefined;
  const { totalTokens: _, ...counts } = paid.usage;
  return {
    provider: paid.provider,
    model: paid.model,
    ...counts,
    ...(paid.purpose === undefined ? {} : { purpose: paid.purpose }),
    ...(paid.cost === undefined ? {} : { cost: paid.cost }),
  };
}

/** A model call: a reply, or the note of a call that made none. */
interface PaidCall {
  readonly provider: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly cost?: number;
  readonly purpose?: string;
}

/** The model call in a record. */
function paidIn(record: RunRecord): PaidCall | undefined {
  if (record.type === 'message') return record.message.role === 'assistant' ? record.message : undefined;
  if (record.type !== 'note' || record.name !== 'usage') return undefined;
  const note = (record.data ?? {}) as Partial<PaidCall>; // written by handlers, so every field is checked
  const { provider = 'unknown', model = 'unknown', usage, purpose } = note;
  return usage && { provider, model, usage, ...(purpose === undefined ? {} : { purpose }) };
}

/** The name of the subagent that a call starts; else the name of the tool. */
function agentStartedBy({ name, input }: Extract<RunRecord, { type: 'tool_started' }>): string {
  const asked: unknown = (input as { readonly subagent_type?: unknown } | null | undefined)?.subagent_type;
  return typeof asked === 'string' ? asked : name;
}

function pathOf({ scope }: Extract<EntryBody, { type: 'record' }>, agents: ReadonlyMap<string, string>): string[] {
  return ['main', ...scope.map((callId) => agents.get(callId) ?? 'unknown')];
}
