import { knownNames, ValidationError } from '@x/core';

/** An agent that another one may hand a task to. Plain JSON data. */
export interface AgentDefinition {
  /** What the model calls it by; no two agents share a name. */
  readonly name: string;
  /** What it is for; the model chooses by it. */
  readonly description: string;
  /** Absent: the instruction of the agent that calls it. */
  readonly systemPrompt?: string;
  /** Absent: the model of the session, at any depth. */
  readonly model?: string;
  /** Names of the tools it has, as far as the agent that calls it has them too. Absent: all of those. */
  readonly tools?: readonly string[];
}

const KNOWN: Readonly<Record<keyof AgentDefinition, true>> = {
  name: true,
  description: true,
  systemPrompt: true,
  model: true,
  tools: true,
};

/** Copies of the definitions, which later changes do not reach. @throws ValidationError naming the agent and what does not fit */
export function checkAgents(definitions: readonly AgentDefinition[]): readonly AgentDefinition[] {
  if (!Array.isArray(definitions)) throw new ValidationError('agents must be a list of agent definitions', 'agents');
  const checked = definitions.map(checkAgent);
  const names = new Set<string>();
  for (const { name } of checked) {
    if (names.has(name)) throw new ValidationError(`Two agents are named ${name}; rename one`, 'agents');
    names.add(name);
  }
  return checked;
}

function checkAgent(definition: AgentDefinition, index: number): AgentDefinition {
  if (typeof definition !== 'object' || definition === null) {
    throw new ValidationError(`agents[${index}] must be { name, description }`, 'agents');
  }
  const { name, description, systemPrompt, model, tools } = definition;
  if (!isText(name)) throw new ValidationError(`agents[${index}] needs a name`, 'agents');
  const say = (text: string) => new ValidationError(`Agent ${name}: ${text}`, 'agents');
  const unknown = Object.keys(definition).find((key) => !Object.hasOwn(KNOWN, key));
  if (unknown !== undefined) {
    throw say(`unknown key ${unknown}; ${knownNames(unknown, Object.keys(KNOWN))}`);
  }
  if (!isText(description)) throw say('description is required: what it is for');
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string') throw say('systemPrompt must be a string');
  if (model !== undefined && !isText(model)) throw say("model must be the model's name as the service knows it");
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isText))) {
    throw say('tools must be a list of tool names');
  }
  return {
    name,
    description,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools: [...tools] }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
