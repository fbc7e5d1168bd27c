import { describe, expect, it } from 'vitest';
import { admitServiceTools } from './admit-service-tools.ts';
import { parseRules } from './rule.ts';

const search = { serviceTools: [{ type: 'code_execution' }, { type: 'web_search' }] } as const;
const admit = (rules: readonly string[], of: 'deny' | 'ask' | 'allow' = 'deny') =>
  admitServiceTools(search, { mode: 'default', [of]: parseRules(rules) });

describe('a rule about tools of the service', () => {
  it.each([
    ['Service(web_search)', 'modelOptions.serviceTools[1]'],
    ['Service', 'modelOptions.serviceTools[0]'],
  ])('refuses what it denies: %s', (rule, field) => {
    expect(() => admit(['Bash(rm *)', rule])).toThrow(expect.objectContaining({ name: 'ValidationError', field }));
    expect(() => admit([rule])).toThrow(rule);
  });

  it('refuses what somebody should be asked about, since nobody can be', () => {
    expect(() => admit(['Service(web_search)'], 'ask')).toThrow('Service(web_search)');
  });

  it.each([[[]], [['Service(file_search)']], [['Bash', 'Read(web_search)']]])('leaves others alone: %j', (rules) => {
    expect(() => admit(rules)).not.toThrow();
  });

  it.each([
    'Service(web_serch)',
    'Service(*)',
    'Service(web_*)',
    'Service(web_search:*)',
    'Service(web_search, web_fetch)',
    'Service(domain:example.com)',
    'Service(WebSearch)',
    'Service(web_search_20250305)',
    'Service(googleSearch)',
    'Service( web_search )',
  ])('is refused when it names none: %s', (rule) => {
    expect(() => parseRules([rule])).toThrow('names no tool of a service; write Service(web_search), ');
  });
});
