export { createDownloads, type Downloads, type DownloadsDeps, type DownloadService } from './downloads.ts'
export type { Fetched, FetchingNow, FetchOrder } from './fetch-order.ts'
