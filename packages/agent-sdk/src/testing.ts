export * from '@x/core/testing';
export * from '@x/models/testing';
