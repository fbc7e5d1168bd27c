export * from '@x/checkpoint';
