// One process of organization.verify.ts: runs an organisation until root has heard all answers, or until it is killed.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, type Model, type ModelRequest, textOf, toolUsesOf } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { fileRoleStore, type ToolModule } from '@x/tool-groups';
import { type CustomProvider, createOrganization, type SessionStore, sqliteStore } from '../../src/index.ts';

const TASKS = ['1', '2', '3'];
const [path = '', roleFolder = '', noted = '', mode = ''] = process.argv.slice(2);

const inner = sqliteStore({ path });
/** The control: answers are accepted and kept by nobody. */
const store: SessionStore = mode === 'forgetting' ? withoutAnswers(inner) : inner;
const roles = fileRoleStore({ directory: roleFolder });
const provider: CustomProvider = { type: 'custom', createModel: slowModel };

if ((await roles.list()).length === 0) {
  await roles.save({
    id: 'worker',
    name: 'Worker',
    rolePrompt: 'You are a worker.',
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active',
    llmServiceId: null,
    toolGroups: ['work'],
  });
}
process.send?.('begun');
const organization = await createOrganization({
  id: 'acme',
  store,
  roles,
  rootPrompt: 'You are root.',
  modules: [workModule()],
  session: { provider, model: 'm', permissionMode: 'bypassPermissions' },
});
if (organization.root.messages.length === 0 && (await store.inbox(organization.root.sessionId)).length === 0) {
  await organization.root.send('Begin.');
}
let last = '';
for await (const event of organization.stream()) if (event.type === 'result') last = event.content ?? '';
await organization.close();
await roles.close();
await store[Symbol.asyncDispose]();
process.send?.(`ended ${last}`);
process.disconnect?.();

/** Leaves time in which the process can be killed. */
function slowModel(name: string): Model {
  const model = scriptedModel(reply, { name });
  return {
    ...model,
    async *stream(request) {
      await sleep(10);
      return yield* model.stream(request);
    },
  };
}

function reply(request: ModelRequest): ScriptedReply {
  return request.instruction.includes('You are root.') ? leads(request.messages) : works(request.messages);
}

/** Starts what is not started yet, again where nobody knows whether it was, and ends when all have answered. */
function leads(messages: readonly Message[]): ScriptedReply {
  const started = new Set(messages.flatMap((message, index) => startedBy(message, messages[index + 1])));
  const missing = TASKS.filter((task) => !started.has(task));
  const heard = TASKS.filter((task) =>
    messages.some((one) => one.role === 'user' && textOf(one).includes(`done ${task}.`)),
  );
  if (missing.length === 0) return { text: heard.length === TASKS.length ? 'All done.' : 'I wait.' };
  const input = { roleId: 'worker', task: `Do ${missing[0]}.` };
  return { toolCalls: [{ name: 'spawn_agent_with_task', input }] };
}

function startedBy(message: Message, next: Message | undefined): string[] {
  if (message.role !== 'assistant' || next?.role !== 'tool') return [];
  return toolUsesOf(message).flatMap(({ id, input }) => {
    const answer = next.content.find(({ toolUseId }) => toolUseId === id);
    const task = /Do (\d)\./.exec((input as { task?: string }).task ?? '')?.[1];
    return answer && !answer.isError && answer.output.includes('agentId') && task ? [task] : [];
  });
}

/** Two effects, one attempt at a tool of nobody's, and the answer. */
function works(messages: readonly Message[]): ScriptedReply {
  const task = /Do (\d)\./.exec(textOf(messages.find(({ role }) => role === 'user') as never))?.[1] ?? '?';
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn < 2) return { toolCalls: [{ name: 'work', input: {} }] };
  if (turn === 2) return { toolCalls: [{ name: 'Bash', input: { command: `echo forbidden >> ${noted}` } }] };
  return { text: `done ${task}.` };
}

function workModule(): ToolModule {
  const definition = {
    type: 'function',
    function: { name: 'work', description: 'Works.', parameters: { type: 'object', properties: {} } },
  } as const;
  return {
    name: 'work',
    getToolDefinitions: () => [definition],
    executeToolCall(context) {
      appendFileSync(noted, `${context.toolContext?.idempotencyKey ?? 'no key'}\n`);
      return 'worked';
    },
    init: () => undefined,
    shutdown: () => undefined,
  };
}

function withoutAnswers(store: SessionStore): SessionStore {
  const enqueue: SessionStore['enqueue'] = async (sessionId, item) =>
    item.message.id.startsWith('answer:') ? true : await store.enqueue(sessionId, item);
  return new Proxy(store, {
    get(target, key) {
      if (key === 'enqueue') return enqueue;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
