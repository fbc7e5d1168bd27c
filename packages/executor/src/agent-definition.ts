import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue, given, type OptionRule, type OptionRules } from '@x/errors/option-rules';

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

const AGENT: OptionRules<AgentDefinition> = {
  name: is.required(is.words),
  description: is.required(is.words),
  systemPrompt: is.text,
  model: is.words,
  tools: is.listOf(is.words, 'a list of names of tools'),
};
const AGENTS: OptionRule = is.required(
  is.listOf(is.nested(AGENT, '{ name, description }'), 'a list of agent definitions'),
);

/** Copies of the definitions, which later changes do not reach; `path` names the option. @throws ValidationError naming what does not fit */
export function checkAgents(definitions: readonly AgentDefinition[], path = 'agents'): readonly AgentDefinition[] {
  checkValue(path, definitions, AGENTS);
  const names = new Set<string>();
  return definitions.map((definition) => {
    const { name, tools } = definition;
    if (names.has(name)) throw new ValidationError(`Two agents are named ${name}; rename one`, path);
    names.add(name);
    return { ...given(definition, AGENT), ...(tools === undefined ? {} : { tools: [...tools] }) };
  });
}
