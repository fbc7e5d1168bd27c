export * from '@x/http/client';
