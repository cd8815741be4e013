export { createDownloads, type Downloads, type Fetched } from './downloads.ts'
export type { DownloadService } from './fetch-result.ts'
export { createOrders, DOWNLOAD_TABLES, type Orders } from './open-orders.ts'
export { giveTrueEnding, offeredName } from './place-result.ts'
