import { describe, expect, it } from 'vitest';
import { type AgentDefinition, checkAgents } from './agent-definition.ts';

const reviewer = { name: 'reviewer', description: 'Reads code.' };

describe('checkAgents', () => {
  it('passes copies, which later changes do not reach', () => {
    const tools = ['Read'];
    const given = { ...reviewer, systemPrompt: 'Read.', model: 'small', tools };

    const checked = checkAgents([given]);
    tools.push('Write');
    given.name = 'writer';

    expect(checked).toEqual([{ ...reviewer, systemPrompt: 'Read.', model: 'small', tools: ['Read'] }]);
  });

  it.each<[string, unknown, string]>([
    [
      'a key that is not known',
      { ...reviewer, sytemPrompt: 'x' },
      'unknown key sytemPrompt; did you mean systemPrompt?',
    ],
    ['no name', { description: 'x' }, 'agents[0] needs a name'],
    ['a name of blanks', { ...reviewer, name: ' ' }, 'agents[0] needs a name'],
    ['no description', { name: 'reviewer' }, 'description is required'],
    ['an empty description', { ...reviewer, description: '' }, 'description is required'],
    ['tools that are no list', { ...reviewer, tools: 'Read' }, 'tools must be a list of tool names'],
    ['a tool that is no name', { ...reviewer, tools: [{ name: 'Read' }] }, 'tools must be a list of tool names'],
    ['a model that is no name', { ...reviewer, model: { name: 'small' } }, 'model must be'],
    ['a prompt that is no text', { ...reviewer, systemPrompt: 1 }, 'systemPrompt must be a string'],
    ['null', null, 'agents[0] must be'],
  ])('refuses %s', (_, definition, message) => {
    const check = () => checkAgents([definition as AgentDefinition]);

    expect(check).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'agents' }));
    expect(check).toThrow(message);
  });

  it('refuses two agents of one name', () => {
    expect(() => checkAgents([reviewer, { ...reviewer, description: 'Another.' }])).toThrow(
      'Two agents are named reviewer',
    );
  });

  it('refuses what is no list', () => {
    expect(() => checkAgents(reviewer as never)).toThrow('agents must be a list');
  });
});
