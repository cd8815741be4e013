export { mayNeedAlias, openAliases, type NamedFiles, type Aliases } from './aliases.ts'
export { type SentName, withOwnNames } from './own-names.ts'
