/** What `examples/mcp-tools` shows. */
export const mcpTools: readonly string[] = [
  'files    connected, ',
  'memory   connected, ',
  'missing  error: MCP server missing: ',
  '● mcp__files__read_text_file',
  '⎿ lamp 20',
  '● mcp__memory__create_entities',
  'notes: {"type":"entity","name":"lamp"',
  'write_file has changed since it was first seen; it waits for approval',
  'write_file is offered: false',
  'once it is approved: true',
];
