export * from '@x/mcp';
export * from '@x/mcp/server';
