export { mayNeedAlias, openStaging, type StagedFiles, type Staging } from './staging.ts'
export { type SentName, withOwnNames } from './own-names.ts'
