export * from '@x/core';
export * from '@x/executor';
export * from '@x/handlers';
export * from '@x/models';
export * from '@x/registry';
export * from '@x/sandbox';
export * from '@x/session';
export * from '@x/tools';
