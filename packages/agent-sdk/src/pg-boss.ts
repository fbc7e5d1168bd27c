export * from '@x/session/pg-boss';
