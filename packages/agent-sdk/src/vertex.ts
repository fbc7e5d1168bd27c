export * from '@x/models/vertex';
