export * from '@x/session/postgres';
