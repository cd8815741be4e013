export { contentCount, shortId, shortPath, splitName, workName } from './names.ts'
export {
  activity,
  connectionLine,
  countLine,
  errorSentence,
  jobLine,
  outboxLine,
  outcomeWord,
  phaseWord,
  presetName,
  recordLine,
} from './sentences.ts'
export { createWording, type TextKey, type Wording } from './app-i18n.ts'
export { languageFor, type CommonWording, type Language } from './format.ts'
