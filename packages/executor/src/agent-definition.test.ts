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

  it.each<[string, unknown, string, string]>([
    [
      'a key that is not known',
      { ...reviewer, sytemPrompt: 'x' },
      '.sytemPrompt',
      'agents[0]: unknown sytemPrompt; did you mean systemPrompt?',
    ],
    ['no name', { description: 'x' }, '.name', 'must be a text that is not blank, not undefined'],
    ['a name of blanks', { ...reviewer, name: ' ' }, '.name', 'must be a text that is not blank, not " "'],
    ['no description', { name: 'reviewer' }, '.description', 'must be a text that is not blank'],
    ['an empty description', { ...reviewer, description: '' }, '.description', 'must be a text that is not blank'],
    [
      'tools that are no list',
      { ...reviewer, tools: 'Read' },
      '.tools',
      'must be a list of names of tools, not "Read"',
    ],
    [
      'a tool that is no name',
      { ...reviewer, tools: [{ name: 'Read' }] },
      '.tools[0]',
      'must be a text that is not blank',
    ],
    [
      'a model that is no name',
      { ...reviewer, model: { name: 'small' } },
      '.model',
      'must be a text that is not blank',
    ],
    ['a prompt that is no text', { ...reviewer, systemPrompt: 1 }, '.systemPrompt', 'must be a text, not 1'],
    ['null', null, '', 'agents[0] must be { name, description }, not null'],
  ])('refuses %s', (_, definition, path, message) => {
    const check = () => checkAgents([definition as AgentDefinition]);

    expect(check).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field: `agents[0]${path}` }));
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
