export * from '@x/session/operations';
