export { createDownloads, type Downloads, type Fetched } from './downloads.ts'
export { createOrders, DOWNLOAD_TABLES, type Orders } from './open-orders.ts'
export { giveTrueEnding, offeredName } from './place-result.ts'
