export * from './pictures.ts'
export * from './picture-worker.ts'
