export * from '@x/core/testing';
export * from '@x/models/testing';
export * from '@x/sandbox/testing';
export * from '@x/session/testing';
export * from '@x/tool-groups/testing';
