import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue, given, type OptionRule, type OptionRules } from '@x/errors/option-rules';

/** An agent that another one may delegate tasks to. Plain JSON data. */
export interface AgentDefinition {
  /** The name that the model uses; unique among the agents. */
  readonly name: string;
  /** The agent's purpose, by which the model chooses. */
  readonly description: string;
  /** Absent: the instruction of the agent that calls it. */
  readonly systemPrompt?: string;
  /** Absent: the model of the session, at any depth. */
  readonly model?: string;
  /** Names of its tools, limited to those of the agent that calls it. Absent: all of these, and those of the service. */
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

/**
 * Checks and copies the definitions, so that later changes have no effect; `path` names the option. @throws ValidationError naming the
 * invalid part
 */
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
