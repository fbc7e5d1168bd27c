export * from '@x/http';
