import type { DraftProblem } from '../../../shared/ipc.ts'
import type { RejectedItem } from '../../../shared/model/media-item.ts'
import { loadWindowTexts, windowWords } from '../../../shared/wording/window-words.ts'
import { wording } from './command-wording.ts'

const words = windowWords(wording, await loadWindowTexts(wording.language))

/** Said as the window says it. */
export function draftProblemWords(problem: DraftProblem): string {
  const says = words.draftProblems
  switch (problem.code) {
    case 'noInput':
    case 'noOutput':
    case 'driveNotConnected':
    case 'driveFolderInvalid':
    case 'variationsInvalid':
      return says[problem.code]
    case 'outputNotAbsolute':
      return says.outputNotAbsolute({ path: problem.path })
    case 'presetUnknown':
      return says.presetUnknown({ preset: problem.preset })
    case 'presetNotFor':
      return problem.kind === 'photos'
        ? says.presetNotForPhotos({ preset: problem.preset })
        : says.presetNotForVideos({ preset: problem.preset })
    case 'tooLargeToUpload':
      return says.tooLargeToUpload({ name: problem.name, size: wording.size(problem.size) })
  }
}

export const rejectionWords = ({ reason }: RejectedItem): string => words.rejections[reason]
