export * from './thumbnails.ts'
export * from './thumbnail-process.ts'
