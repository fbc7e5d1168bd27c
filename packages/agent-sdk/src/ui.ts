export * from '@x/session/ui';
