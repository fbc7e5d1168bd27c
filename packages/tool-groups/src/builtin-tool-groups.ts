/** The ids of the groups that every runtime has. */
export type BuiltinToolGroupId =
  | 'org_management'
  | 'artifact'
  | 'workspace'
  | 'command'
  | 'network'
  | 'context'
  | 'console';

/** A built-in group: its text, and the names of its tools. */
export interface BuiltinToolGroup {
  readonly description: string;
  readonly tools: readonly string[];
}

/** The groups that every runtime has, all reserved. Frozen. */
export const BUILTIN_TOOL_GROUPS: Readonly<Record<BuiltinToolGroupId, BuiltinToolGroup>> = Object.freeze({
  org_management: group('组织管理工具', [
    'find_role_by_name',
    'create_role',
    'spawn_agent',
    'spawn_agent_with_task',
    'terminate_agent',
    'send_message',
  ]),
  artifact: group('工件管理工具', ['put_artifact', 'get_artifact']),
  workspace: group('工作空间工具', ['read_file', 'write_file', 'list_files', 'get_workspace_info']),
  command: group('命令执行工具', ['run_command', 'run_javascript']),
  network: group('网络工具', ['http_request']),
  context: group('上下文管理工具', ['compress_context', 'get_context_status']),
  console: group('控制台工具', ['console_print']),
});

function group(description: string, tools: readonly string[]): BuiltinToolGroup {
  return Object.freeze({ description, tools: Object.freeze([...tools]) });
}
