export * from '@x/mcp';
