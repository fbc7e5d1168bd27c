export * from '@x/core/testing';
export * from '@x/models/testing';
export * from '@x/session/testing';
