export { createSquirrelFetch, requireRoom, type Squirrel } from './prepare-update.ts'
export { checkFeed } from './signed-feed.ts'
export { readUpdateTrust, UPDATE_TRUST_FILE } from './update-trust.ts'
export { createUpdates, lastCheckIn, type Updater, type Updates } from './updates.ts'
