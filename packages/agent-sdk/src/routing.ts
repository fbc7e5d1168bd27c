export * from '@x/models/routing';
