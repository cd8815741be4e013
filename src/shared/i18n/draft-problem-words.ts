import type { DraftProblem } from '../model/draft-start.ts'
import type { CommonWording } from './format.ts'
import type { WindowWords } from './window-i18n.ts'

/** Why a draft could not be started, and what to do. */
export function draftProblemSentence(problem: DraftProblem, w: WindowWords, wording: CommonWording): string {
  const says = w.draftProblems
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
