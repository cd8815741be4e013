export { createDiskWatch, type DiskWatch, type DiskWatchOptions } from './disk-watch.ts'
