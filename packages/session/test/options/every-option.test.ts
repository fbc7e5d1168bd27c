import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BullmqEngineOptions } from '../../src/bullmq/index.ts';
import type {
  AgentDefinition,
  DiagnoseOptions,
  ForkSessionOptions,
  HookConfig,
  HookEvent,
  ImportOptions,
  ListOptions,
  LocalEngineOptions,
  OrganizationOptions,
  SendOptions,
  ServeSessionsOptions,
  SessionOptions,
  SqliteStoreOptions,
  StreamOptions,
} from '../../src/index.ts';
import type { SessionUsageOptions } from '../../src/internal.ts';
import type { PgBossEngineOptions } from '../../src/pg-boss/index.ts';
import type { EngineContractOptions, StoreContractOptions } from '../../src/testing/index.ts';

/** The file and the title of the test that shows what an option does; an option without one does not compile. */
type ShownBy<Options> = Readonly<Record<keyof Options, readonly [file: string, title: string]>>;

const session: ShownBy<SessionOptions> = {
  provider: ['model-options', 'fallbackModel: may be of another provider'],
  model: ['options', 'model: names the model'],
  modelOptions: [
    'asked-model-options',
    'are in every request of its runs, and the choice of a tool in the first of each',
  ],
  systemPrompt: ['options', 'systemPrompt: is the instruction; without one there is a default'],
  maxCost: [
    'cost-limit',
    'is spent: the run fails before its next model call, with its calls answered, and the next message has as much',
  ],
  maxTurns: ['options', 'maxTurns: limits the model calls of a run; 200 without it'],
  cwd: ['tool-options', 'cwd: is where tools and commands start'],
  permissionMode: ['permission-options', 'writes inside the working directory, and asks about all else'],
  allowedTools: ['tool-options', 'allowedTools: only these are offered and run; none when empty, all when absent'],
  disallowedTools: ['permission-options', 'refuses the calls that a rule matches, in every mode'],
  autoApprove: ['permission-options', 'lets the calls pass that its rules cover, and no others'],
  alwaysAsk: ['permission-options', 'asks even where everything is allowed'],
  canUseTool: ['permission-options', 'is told whose call it is, and may change its input'],
  askPolicy: ['ask-policy', 'lets what nobody answered wait, and nothing else'],
  questionTtlMs: ['expired-questions', 'refuses a call whose question has expired, and says so'],
  mcpServers: ['mcp-servers', 'are offered to the model and run, and what they answer is the result (S05k, M06)'],
  mcpStartWait: ['mcp-servers', 'holds up the first model call for so long, and no other (M19)'],
  toolDiscovery: [
    'tool-discovery',
    'sends a search tool instead of the definitions, and what it finds can be called (M28)',
  ],
  mcpHandlers: ['server-requests', 'is answered by the functions of mcpHandlers, also after a resume that gives them'],
  mcpLogLevel: ['server-requests', 'is a notification from mcpLogLevel on, and no part of the diagnosis'],
  askUser: ['ask-user', 'asks what only a person knows, and goes on with the answer'],
  hooks: ['hooks', 'are run at each of the thirteen moments'],
  agents: ['subagents', 'has its own prompt, task, model and tools'],
  maxSubagentDepth: ['model-options', 'maxSubagentDepth: do not nest deeper than that'],
  maxParallelSubagents: ['model-options', 'maxParallelSubagents: are refused beyond the limit'],
  tools: ['tool-options', 'tools: are offered and run, definitions and tools alike'],
  env: ['tool-options', 'env: is laid over a minimal environment, for tools and commands'],
  handlers: ['options', 'middlewares come before handlers, each in list order'],
  middlewares: ['options', 'middlewares come before handlers, each in list order'],
  validateHandlers: ['options', 'validateHandlers: finds a broken beforeAgent when the session is made'],
  store: ['options', 'store: keeps the session; another store does not know it'],
  maxParallelTools: ['tool-options', 'maxParallelTools: %s calls run at a time, 8 without it'],
  toolTimeout: ['tool-options', 'toolTimeout: ends a tool with an error result, and the run goes on'],
  onToolTimeout: ['model-options', 'makes a time-out a result, or the end of the run'],
  maxToolOutputBytes: ['tool-options', 'maxToolOutputBytes: bounds what a result keeps; 1 MiB without it'],
  fallbackModel: ['model-options', 'fallbackModel: gives way to it for the rest of the run'],
  retryBudgetMs: ['run-limits', 'is one for a run and its subagents'],
  prices: ['run-usage', 'costs what the prices of the host say, before the built-in ones'],
  tracer: ['model-options', 'gets the spans of each run, with what it has cost, and no words'],
  recordContent: ['model-options', 'recordContent: gets the words as well'],
  outputFormat: ['output-format', 'asks every model call for it, and its result is the JSON text and the value'],
  maxCrashes: ['crashed-runs', 'ends with RUN_CRASHES after %s times without a reply or a result'],
  reconcile: ['resume', 'lets `reconcile` settle it before the next model call'],
  workspace: ['tool-options', 'workspace: replaces the doors of the tools'],
  sandbox: ['sandbox-options', 'enabled: runs commands where only the working directory can be written'],
  enableFileCheckpointing: [
    'rewind-files',
    'takes back what tools and commands have changed since a message, byte for byte (F01, F03, F18)',
  ],
  title: ['session-facts', 'is the host’s, where it gives one: at the start, at any time, when it resumes'],
  metadata: ['session-facts', 'is the host’s, where it gives one: at the start, at any time, when it resumes'],
  role: ['role', 'adds its prompt to the instruction, and offers and runs only the tools of its groups'],
  toolGroups: ['role', 'asks a manager at each call'],
  commandDirectories: ['commands', 'makes the text of a file the message, with its arguments'],
};
const sending: ShownBy<SendOptions> = {
  signal: ['send', "aborts the run when the message's signal is aborted"],
  maxTurns: ['send', 'takes the limit of turns from the newest first message that names one'],
  modelOptions: ['asked-model-options', 'are in force until its run ends, over those of the session'],
  priority: ['steering', 'keeps `later` for the next run'],
  idempotencyKey: ['sent-once', 'is stored once, by whichever object and process it is sent again'],
};
const forking: ShownBy<ForkSessionOptions> = {
  messageId: ['fork-session', 'cuts behind a user message, which is then answered without another send'],
  copyCheckpoints: ['copied-checkpoints', 'rewinds to the messages it has, and to no later one (F17, ZC13)'],
  copyRules: ['allowed-rules', 'do not come along into a fork, unless it is said'],
};
const streaming: ShownBy<StreamOptions> = {
  includeThinking: ['stream', 'keeps thinking to itself unless it is asked for'],
};
const diagnosing: ShownBy<DiagnoseOptions> = {
  storePath: ['diagnose', 'tries everything that a session needs, and leaves nothing behind'],
  signal: ['diagnose', 'is ended by its signal, and leaves nothing behind'],
};
const listing: ShownBy<ListOptions> = {
  sessionId: ['session-states', 'finds one session by its id, if the rest fits it too'],
  store: ['list-sessions', 'gives pages of sessions, newest first, those of one directory where it is named'],
  cwd: ['list-sessions', 'gives pages of sessions, newest first, those of one directory where it is named'],
  state: ['session-states', 'says what each session is doing, and how its last run ended'],
  metadata: ['session-states', 'finds sessions by what the host has noted about them'],
  cursor: ['list-sessions', 'gives pages of sessions, newest first, those of one directory where it is named'],
  limit: ['list-sessions', 'gives pages of sessions, newest first, those of one directory where it is named'],
};
const importing: ShownBy<ImportOptions> = {
  store: ['import', 'brings a long session over, under its own id or another, and both go on'],
  sessionId: ['import', 'brings a long session over, under its own id or another, and both go on'],
};
const pricing: ShownBy<SessionUsageOptions> = {
  prices: ['usage', 'has one entry for each model call, in order, with what it used'],
};
const storing: ShownBy<SqliteStoreOptions> = {
  path: ['sqlite-file', 'is for this user alone, its directory and its neighbours too'],
  directory: ['directory-store', 'has a file for each session, for this user alone'],
};
const running: ShownBy<LocalEngineOptions> = {
  concurrency: ['local-engine', 'runs as many sessions at a time as it was told, of all who serve together'],
  retryDelay: ['local-engine', 'waits longer after each rejection, up to its limit, and tells each one'],
  maxRetryDelay: ['local-engine', 'waits longer after each rejection, up to its limit, and tells each one'],
  onError: ['local-engine', 'waits longer after each rejection, up to its limit, and tells each one'],
};
const queueing: ShownBy<LocalEngineOptions & Pick<BullmqEngineOptions, 'pollEveryMs'>> = {
  concurrency: ['queue-engine', 'runs as many sessions at a time as it was told'],
  pollEveryMs: ['queue-engine', 'looks for the asks of others at its interval, and at once for its own'],
  retryDelay: ['queue-engine', 'keeps the number of rejections with the ask, for whoever takes it next'],
  maxRetryDelay: ['queue-engine', 'keeps the number of rejections with the ask, for whoever takes it next'],
  onError: ['queue-engine', 'reports the first of a row of errors, and goes on when the queue is back'],
};
/** `schema` and `connections` are those of pg-boss, and go with a server: the suite `queue-engines`. */
const queueingInPostgres: ShownBy<Omit<PgBossEngineOptions, 'schema' | 'connections'>> = {
  ...queueing,
  connectionString: ['pg-boss-engine', 'says that a server is away, to whoever asks and whoever serves'],
  boss: ['pg-boss-engine', 'does not stop the client that it was given'],
  queue: ['pg-boss-engine', 'runs a session that another program asks for, and drops a job that names none'],
};
const queueingInRedis: ShownBy<BullmqEngineOptions> = {
  ...queueing,
  connection: ['bullmq-engine', 'leaves the connection that it was given as it was'],
  queue: ['bullmq-engine', 'runs a session that another program asks for, and drops a job that names none'],
  prefix: ['bullmq-engine', 'keeps its keys under a prefix'],
  lockDuration: ['bullmq-engine', 'says that it works on a job'],
  stalledInterval: ['bullmq-engine', 'gives the job of workers that have died to another one, however many have'],
};
const serving: ShownBy<ServeSessionsOptions> = {
  engine: ['serve-sessions', 'answers what was sent, by the id of the session alone'],
  store: ['serve-sessions', 'answers what was sent, by the id of the session alone'],
  lookEveryMs: ['look-out', 'takes up what was sent through another store, within its interval'],
  drainMs: ['look-out', 'lets runs under way end first, begins none, and leaves those that take too long'],
  meter: ['serve-metrics', 'is measured in %s when the meter is read, until it is disposed of'],
  options: ['serve-sessions', 'leaves a session alone for which there are no options'],
  onEvent: ['serve-sessions', 'goes on when an observer throws, and tells it'],
  onError: ['serve-sessions', 'goes on when an observer throws, and tells it'],
};
const organizing: ShownBy<OrganizationOptions> = {
  id: [
    'organization-restart',
    'is found again under its id, with its agents, their conversations and what waits for them',
  ],
  store: [
    'organization-restart',
    'is found again under its id, with its agents, their conversations and what waits for them',
  ],
  session: ['organization-tools', 'judges the calls of agents by the guards of the host'],
  rootPrompt: ['organization', 'tells each agent what its role says, and how many there may be'],
  roles: ['organization-tools', 'gives each agent the tools of its own groups, root those of organisations only'],
  modules: ['organization-tools', 'runs a tool of a module for an agent that has it in a group'],
  toolGroups: [
    'organization-tools',
    'gives agents tools of the host that are in groups of the host, from the first run after a start',
  ],
  defaultToolGroups: ['organization', 'tells each agent what its role says, and how many there may be'],
  limits: ['organization', 'tells each agent what its role says, and how many there may be'],
  modelFor: ['organization', 'uses the model that a role asks for, and refuses one that there is not'],
  concurrency: ['organization', 'runs as many agents at a time as it was told'],
  onEvent: ['organization-tools', 'judges the calls of agents by the guards of the host'],
  onError: ['organization-restart', 'delivers an answer that a crash has kept from being sent'],
  logger: ['organization', 'tells each agent what its role says, and how many there may be'],
  signal: ['organization', 'leaves its agents where they are when its signal is aborted'],
};
const storeTesting: ShownBy<StoreContractOptions> = {
  lasting: ['store-contract', 'leaves out what a store cannot show'],
  commandRuns: ['store-contract', 'leaves out what a store cannot show'],
  seed: ['store-contract', 'plays the same commands again for the same seed'],
  patienceMs: ['store-contract', 'says so of a store that does not answer'],
};
const engineTesting: ShownBy<EngineContractOptions> = {
  patienceMs: ['engine-contract', 'says so of an engine that does not answer'],
};
const agent: ShownBy<AgentDefinition> = {
  name: ['subagents', 'answers a name that no agent bears'],
  description: ['subagents', 'is there only with agents, and says which there are'],
  systemPrompt: ['subagents', 'has its own prompt, task, model and tools'],
  model: ['subagents', 'has its own prompt, task, model and tools'],
  tools: ['subagents', 'never has a tool that its definition does not list'],
};
const hooking: ShownBy<Omit<HookConfig, HookEvent>> = {
  enabled: ['hooks', 'are not run when they are switched off'],
  defaultTimeout: ['hook-reach', 'is aborted when its time is up, and the call does not run'],
  timeoutBehavior: ['unanswered-hook', '%s, timeoutBehavior %s'],
  failureBehavior: ['unanswered-hook', '%s, failureBehavior %s'],
};

const packages = join(import.meta.dirname, '../../..');
const found = globSync('{session,handlers}/{src,test}/**/*.test.ts', { cwd: packages });
const textOf = new Map(found.map((file) => [basename(file, '.test.ts'), readFileSync(join(packages, file), 'utf8')]));

const conversations = { session, sending, forking, streaming, agent, hooking };
const stores = { listing, importing, pricing, storing, storeTesting };
const engines = { running, queueingInPostgres, queueingInRedis, serving, organizing, engineTesting };

describe.each(Object.entries({ ...conversations, ...stores, ...engines, diagnosing }))(
  'the options of %s',
  (_, options) => {
    it.each(Object.entries(options))('%s has a test that shows what it does', (_option, [file, title]) => {
      const text = textOf.get(file) ?? '';

      expect(["'", '"', '`'].filter((quote) => text.includes(`${quote}${title}`))).toHaveLength(1);
    });
  },
);
