import { describe, expect, it } from 'vitest';
import { BUILTIN_TOOL_GROUPS } from './builtin-tool-groups.ts';
import { orgTools } from './org-tools.ts';
import { builtinDefinitions, builtinGroups } from './own-groups.ts';

describe('BUILTIN_TOOL_GROUPS', () => {
  it('is the table of the specification, letter by letter', () => {
    expect(BUILTIN_TOOL_GROUPS).toEqual({
      org_management: {
        description: '组织管理工具',
        tools: [
          'find_role_by_name',
          'create_role',
          'spawn_agent',
          'spawn_agent_with_task',
          'terminate_agent',
          'send_message',
        ],
      },
      artifact: { description: '工件管理工具', tools: ['put_artifact', 'get_artifact'] },
      workspace: {
        description: '工作空间工具',
        tools: ['read_file', 'write_file', 'list_files', 'get_workspace_info'],
      },
      command: { description: '命令执行工具', tools: ['run_command', 'run_javascript'] },
      network: { description: '网络工具', tools: ['http_request'] },
      context: { description: '上下文管理工具', tools: ['compress_context', 'get_context_status'] },
      console: { description: '控制台工具', tools: ['console_print'] },
    });
  });

  it('cannot be changed', () => {
    const { workspace } = BUILTIN_TOOL_GROUPS;

    expect(() => (workspace.tools as string[]).push('more')).toThrow(TypeError);
    expect(() => Object.assign(BUILTIN_TOOL_GROUPS, { workspace: undefined })).toThrow(TypeError);
  });
});

describe('builtinGroups', () => {
  it('has a definition for every tool of every group', () => {
    const org = new Map(orgTools().map(({ name, definition }) => [name, definition]));

    const groups = builtinGroups(org).map(([id, { description, tools }]) => {
      return [id, { description, tools: tools.map((one) => one.function.name) }];
    });

    expect(Object.fromEntries(groups)).toEqual(BUILTIN_TOOL_GROUPS);
  });

  it('takes what a tool says of itself over its own table', () => {
    const own = { type: 'function', function: { name: 'http_request', description: 'mine', parameters: {} } } as const;

    const network = builtinGroups(new Map([['http_request', own]])).find(([id]) => id === 'network');

    expect(network?.[1].tools).toEqual([own]);
    expect(builtinDefinitions().get('http_request')).not.toEqual(own);
  });
});
