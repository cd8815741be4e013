/** Whether and how the draft can be started. Only the composer shows this, so the first paint doesn't need it. */
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import type { QuietWait } from '../../shared/model/quiet.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { isOnThisComputer } from '../../shared/model/connection.ts'
import { type Draft, singlePresetOf } from '../../shared/model/draft.ts'
import { knownPreset, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { subfolderProblem } from '../../shared/subfolder.ts'
import { type App, viewTranslation } from './app.ts'
import { contentsOf, draftFiles, skippedItems } from './draft-contents.ts'
import { connectionOf } from './services.ts'
import { start } from './start-draft.ts'
import { sizeFault } from './typed-size.ts'

/** Starts the draft from the button or its shortcut, unless it is blocked. */
export async function pressStart(app: App): Promise<void> {
  if (!startStatusOf(app).blocked) await start(app, false)
}

/** The effect of *Start job*, shown next to the button. */
export type StartStatus = {
  readonly sentence: string
  readonly blocked: boolean
  /** Whether screen readers announce the sentence when it changes. */
  readonly announced: boolean
}

const blocked = (sentence: string): StartStatus => ({ sentence, blocked: true, announced: true })

export function startStatusOf(app: App): StartStatus {
  const t = viewTranslation(app)
  const draft = app.state.draft.value
  const { drive, seesFiles } = app.state.draftConnection.value
  if (draft.source.kind === 'files' && draft.source.items.length === 0) {
    return blocked(t.draftProblems.noInput)
  }
  const { items, rejected } = draftFiles(app)
  if (draft.source.kind === 'files' && items.length === 0) return blocked(noneHandled(draft, t))
  const typed = app.typedSize.value
  const fault = typed === null ? null : sizeFault(typed, t)
  if (fault !== null) return blocked(fault)
  if (draft.output.kind === 'folder' && draft.output.path === '') return blocked(t.draftProblems.noOutput)
  if (usesDrive(draft) && drive?.connected === false) return blocked(t.newJob.connectDrive)
  if (draft.output.kind === 'drive' && driveFolderId(draft.output.folderId) === null) {
    return blocked(t.newJob.notAFolderId)
  }
  if (draft.output.kind === 'beside') {
    if (draft.source.kind === 'drive') return blocked(t.draftProblems.besideNotForDrive)
    if (!seesFiles) return blocked(t.draftProblems.besideNeedsLocalService)
    const { subfolder } = draft.output
    if (subfolder !== null && subfolderProblem(subfolder) !== undefined)
      return blocked(t.draftProblems.subfolderInvalid({ name: subfolder }))
  }
  if (draft.output.kind === 'replace') {
    const problem = replaceProblem(app, draft)
    if (problem !== null) return blocked(t.draftProblems[problem])
  }
  const skipped = skippedItems(app).size
  if (skipped > 0 && skipped === items.length) return blocked(t.newJob.nothingToProcess)
  const counts = { kept: items.length - skipped, skipped, leftOut: rejected.length }
  const wait = waitSentence(app.state, t)
  const ahead = jobsAhead(app.state)
  const turn = ahead === 0 ? t.newJob.startsNow : t.newJob.startsAfter({ count: ahead })
  const sentence = startSentence(wait ?? turn, counts, t)
  // The length of the queue changes whenever a job ends, so it isn't announced.
  const announced = wait !== null || (ahead === 0 && sentence !== t.newJob.startsNow)
  return { sentence, blocked: false, announced }
}

type Replacing = Pick<Draft, 'presets' | 'variations'> & Partial<Pick<Draft, 'source' | 'service'>>

/** Why results can't replace the originals; null if they can. */
export function replaceProblem(app: App, { source, service, presets, variations }: Replacing) {
  if (source?.kind === 'drive') return 'replaceNotForDrive'
  // Without a service, for example for the default output in the settings, this is the main service.
  const connection = connectionOf(app, { service })
  if (!isOnThisComputer(connection)) return 'replaceNeedsLocalService'
  if (presets.length > 1) return 'replaceNeedsOnePreset'
  if (variations > 1) return 'replaceNotWithVariations'
  const isOurs = connection.kind === 'builtIn'
  return isOurs &&
    presets.some((name) => savesOnlyAudio(app, name)) &&
    mayHaveVideos(connection, source, presets)
    ? 'replaceNotWithAudio'
    : null
}

/** Whether a preset of the built-in service saves only the audio of videos. Other services don't describe their presets. */
function savesOnlyAudio({ presets: { overview } }: App, name: string): boolean {
  const found = overview.value?.documents.find((document) => document.name === name)
  return found?.preset?.video?.codec === 'none'
}

/** Whether a draft has videos. The files of a watched folder aren't known yet, so its preset decides. */
function mayHaveVideos(
  service: PresetOffer,
  source: Draft['source'] | undefined,
  presets: readonly string[],
): boolean {
  if (source?.kind === 'files') return source.items.some(({ kind }) => kind === 'video')
  return !presets.some((name) => knownPreset(service, name)?.image === true)
}

/** Returns the reason why none of the draft's files can be processed. */
function noneHandled(draft: Draft, t: ViewTranslation): string {
  const { photos, videos } = contentsOf(draft)
  const preset = singlePresetOf(draft) ?? null
  if (preset === null)
    return photos > 0
      ? t.draftProblems.noPresetForPhotos({ count: photos })
      : t.draftProblems.noPresetForVideos({ count: videos })
  return photos > 0
    ? t.draftProblems.presetNotForPhotos({ preset })
    : t.draftProblems.presetNotForVideos({ preset })
}

type FileCounts = { readonly kept: number; readonly skipped: number; readonly leftOut: number }

function startSentence(when: string, { kept, skipped, leftOut }: FileCounts, t: ViewTranslation): string {
  const isNow = when === t.newJob.startsNow
  if (isNow && skipped === 0 && leftOut > 0) return t.newJob.startsWithout({ count: leftOut })
  const files = isNow
    ? t.newJob.startsWith({ count: kept })
    : t.sentences([when, t.newJob.skipsDone({ count: skipped })])
  const sentences = [
    skipped === 0 ? when : files,
    ...(leftOut === 0 ? [] : [t.newJob.leftOut({ count: leftOut })]),
  ]
  return t.sentences(sentences)
}

const usesDrive = (draft: Draft): boolean => draft.output.kind === 'drive' || draft.source.kind === 'drive'

/** "The job waits here until 22:00." */
function quietSentence({ reason, until }: QuietWait, t: ViewTranslation): string {
  if (until !== null) return t.newJob.waitsUntil({ time: t.clockTime(until) })
  if (reason === 'paused') return t.newJob.paused
  return reason === 'power' ? t.newJob.waitsForPower : t.newJob.waitsForIdle
}

/** Why the job waits here; null if it is sent right away. */
function waitSentence(state: App['state'], t: ViewTranslation): string | null {
  const { wait } = state.quiet.value
  if (wait !== null) return quietSentence(wait, t)
  const { unconfigured, connecting, notRunning, keyRejected, otherVersion, queueFull } = t.newJob
  return {
    unconfigured,
    connecting,
    offline: notRunning,
    keyRefused: keyRejected,
    wrongVersion: otherVersion,
    online: queueOf(state).waiting >= MAX_WAITING_JOBS ? queueFull : null,
  }[state.draftConnection.value.state.status]
}

const isElsewhere = ({ draftConnection, connection }: App['state']): boolean =>
  draftConnection.value !== connection.value

/**
 * Returns how many jobs wait at the draft's service, and whether one is running there. At a service other than the main one, all jobs
 * count as waiting.
 */
function queueOf(state: App['state']) {
  const { service } = state.draft.value
  return isElsewhere(state)
    ? { waiting: state.jobs.value.filter((job) => job.service === service).length, processing: false }
    : (state.queue.value ?? { waiting: 0, processing: false })
}

/** The number of jobs that run before this one, at its service and here. */
function jobsAhead(state: App['state']): number {
  const { waiting, processing } = queueOf(state)
  const { service } = state.draft.value
  const here = state.outbox.value.filter(
    (entry) => entry.state.kind === 'waiting' && (!isElsewhere(state) || entry.service === service),
  )
  return waiting + here.length + (processing ? 1 : 0)
}
