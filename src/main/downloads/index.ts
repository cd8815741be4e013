export { createDownloads, type Downloads, type DownloadsDeps } from './downloads.ts'
export type { Fetched, FetchingNow, FetchOrder } from './fetch-order.ts'
export type { DownloadService } from './fetch-result.ts'
export { giveTrueEnding, offeredName } from './place-result.ts'
