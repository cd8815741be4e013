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
export { createWording, type TextKey, type Wording } from './create-wording.ts'
export { languageFor, type CommonWording, type Language } from './wording.ts'
