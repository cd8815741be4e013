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
export { createWording, languageFor, type Language, type TextKey, type Wording } from './wording.ts'
