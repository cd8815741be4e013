import type { DraftProblem } from '../../../shared/model/draft-start.ts'
import type { RejectedItem } from '../../../shared/model/media-item.ts'
import { draftProblemSentence } from '../../../shared/i18n/draft-problem-words.ts'
import { loadWindowTexts, windowWords } from '../../../shared/i18n/window-i18n.ts'
import { wording } from './command-wording.ts'

const words = windowWords(wording, await loadWindowTexts(wording.language))

/** Said as the window says it. */
export const draftProblemWords = (problem: DraftProblem): string =>
  draftProblemSentence(problem, words, wording)

export const rejectionWords = ({ reason }: RejectedItem): string => words.rejections[reason]
