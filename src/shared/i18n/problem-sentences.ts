/** Explains why a job can't start or a Drive folder can't be used. The window loads these sentences only with the views that show them. */
import { failure } from '../failure/failure.ts'
import type { DriveProblem } from '../model/built-in-service.ts'
import type { DraftProblem } from '../model/draft.ts'
import { describeFailure, describeReason, type FailureTranslation } from './failures.ts'
import type { CommonTranslation, ViewTranslation } from './i18n.ts'

/** Explains why a draft can't be started, and what to do. */
export function draftProblemSentence(problem: DraftProblem, t: ViewTranslation): string {
  const texts = t.draftProblems
  switch (problem.code) {
    case 'outputNotAbsolute':
      return texts.outputNotAbsolute({ path: problem.path })
    case 'presetUnknown':
      return texts.presetUnknown({ preset: problem.preset })
    case 'presetNotFor':
      return texts[problem.kind === 'photos' ? 'presetNotForPhotos' : 'presetNotForVideos'](problem)
    case 'noPresetFor':
      return texts[problem.kind === 'photos' ? 'noPresetForPhotos' : 'noPresetForVideos'](problem)
    case 'tooManyPresets':
      return texts.tooManyPresets({ count: problem.most })
    case 'subfolderInvalid':
      return texts.subfolderInvalid({ name: problem.name })
    case 'nothingToProcess':
      return texts.nothingToProcess({ count: problem.count })
    case 'replaceImpossible':
      return texts.replaceImpossible({ ...problem, reason: describeReason(problem.reason, t) })
    case 'manyFolders':
      return texts.manyFolders({ count: problem.count })
    case 'tooLargeToUpload':
      return texts.tooLargeToUpload({ name: problem.name, size: t.size(problem.size) })
    default:
      return texts[problem.code]
  }
}

/** Explains why a cloud drive or one of its folders can't be used. Quotes rclone's message for rare failures. */
export function driveProblemSentence(
  problem: DriveProblem,
  t: CommonTranslation & FailureTranslation,
): string {
  switch (problem.code) {
    case 'unknownRemote':
      return t.drive.unknownRemote({ name: problem.name })
    case 'noSuchFolder':
    case 'notAFolder':
      return t.drive[problem.code]({ id: problem.folderId })
    case 'notListed':
      return t.drive.notListed({ reason: describeReason(problem.trouble.reason, t) })
    case 'trouble':
      return describeFailure(failure('cloudDrive', { reason: problem.trouble.reason }), t)
    case 'noRclone':
    case 'noRemote':
      return t.drive[problem.code]
    default:
      return t.failureReason[problem.code]
  }
}
