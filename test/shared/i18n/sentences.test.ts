import { failure, reason, type Failure } from '../../../src/shared/failure/failure.ts'
import { describe, expect, it } from 'vitest'
import type { Job, Outcome, PartAt, PartTitle, WaitingReason } from '../../../src/shared/model/job.ts'
import { jobOf } from '../../../src/shared/model/job-state.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { english } from '../../../src/shared/i18n/english.ts'
import { createWindowTranslation } from '../../../src/shared/i18n/i18n.ts'
import { driveProblemSentence } from '../../../src/shared/i18n/problem-sentences.ts'
import {
  errorSentence,
  jobLine,
  outboxLine,
  outcomeWord,
  lineOf,
  presetName,
} from '../../../src/shared/i18n/sentences.ts'
import { running, title as titled } from '../../part-samples.ts'

const en = createTranslation('en-GB')
const de = createTranslation('de-DE')

const title = titled('DSC_4821.heic', 24)
const UNKNOWN = {
  share: null,
  phase: null,
  currentFile: null,
  totalFiles: null,
  completedFiles: null,
  fileName: null,
  timeLeft: null,
}

const job = (
  stage: PartAt<'service'>['stage'],
  progress: Partial<PartAt<'service'>['progress']> = {},
): PartAt<'service'> => ({ ...running(title, null), stage, progress: { ...UNKNOWN, ...progress } })

const ended = (outcome: Outcome, more: Partial<PartTitle> = {}) =>
  jobOf([{ ...title, ...more, at: 'history', outcome, endedAt: 0, unseen: false, replaced: null }])

const cancelled = (results: number) => ended({ kind: 'cancelled', results }, { variations: 2 })

const inPhase = (phase: string) => job({ kind: 'processing' }, { phase, currentFile: 7, totalFiles: 24 })

describe('a job’s line', () => {
  it('shows its position and its preset while it is queued', () => {
    expect(jobLine(job({ kind: 'queued', position: 1 }), en)).toBe('Next, Web 2048')
    expect(jobLine(job({ kind: 'queued', position: 2 }), en)).toBe('2nd, Web 2048')
    expect(jobLine({ ...job({ kind: 'queued', position: 3 }), preset: null }, en)).toContain('basic defaults')
  })

  it('shows the service’s text, and the remaining time only if it is known', () => {
    const progress = { phase: 'resizing', currentFile: 7, totalFiles: 24 }
    expect(jobLine(job({ kind: 'processing' }, progress), en)).toBe('Resizing 7 of 24')
    expect(jobLine(job({ kind: 'processing' }, { ...progress, timeLeft: 65_000 }), en)).toBe(
      'Resizing 7 of 24, about 2 min left',
    )
    expect(jobLine(job({ kind: 'processing' }), en)).toBe('Working')
  })

  it('translates a known phase, and shows any other as the service sends it', () => {
    expect(jobLine(inPhase('Encoding'), en)).toBe('Encoding 7 of 24')
    expect(jobLine(inPhase('encoding'), de)).toBe('Kodiert 7 von 24')
    expect(jobLine(inPhase('Fetching results'), de)).toBe('Holt Ergebnisse 7 von 24')
    expect(jobLine(inPhase('sharpening'), de)).toBe('Sharpening 7 von 24')
  })

  it('never shows “Done” during the upload', () => {
    expect(jobLine(job({ kind: 'uploading' }), en)).toBe('Processed, uploading to Drive')
  })
})

const germanProblems = (problems: number) =>
  outcomeWord({ kind: 'problems', results: 1, problems, uploaded: null }, 3, de)

describe('an outcome', () => {
  const outcomes: readonly (readonly [Outcome, string])[] = [
    [{ kind: 'done', results: 24, uploaded: null }, 'Done'],
    [{ kind: 'problems', results: 22, problems: 2, uploaded: null }, 'Done with 2 problems'],
    [{ kind: 'problems', results: 23, problems: 1, uploaded: null }, 'Done with 1 problem'],
    [{ kind: 'failed', reason: 'the disk is full' }, 'Failed: “the disk is full”'],
    [{ kind: 'failed', reason: 'x', failure: failure('diskFull') }, 'Failed: The disk is full.'],
    [{ kind: 'failed', reason: '' }, 'Failed'],
    [{ kind: 'cancelled', results: 2 }, 'Canceled after 2 of 24'],
    [{ kind: 'forgotten' }, 'The service no longer knows this job'],
  ]
  it.each(outcomes)('has its text: %o', (outcome, words) => {
    expect(outcomeWord(outcome, 24, en)).toBe(words)
  })

  it('has no reason until the window has loaded the texts of failures', () => {
    const early = createWindowTranslation(english, { language: 'en', locale: 'en-GB' })
    expect(outcomeWord({ kind: 'failed', reason: 'x', failure: failure('diskFull') }, 24, early)).toBe(
      'Failed',
    )
    const state = {
      kind: 'refused',
      why: 'service',
      message: 'x',
      failure: failure('diskFull'),
      skipped: [],
    } as const
    expect(outboxLine({ ...title, at: 'outbox', state }, early)).toBe('Refused')
  })

  it('of a canceled job with a single file shows no count', () => {
    expect(outcomeWord({ kind: 'cancelled', results: 0 }, 1, en)).toBe('Canceled')
  })

  it('of a canceled job counts results against those of all variations, and never more than were planned', () => {
    expect(lineOf(cancelled(30), en)).toBe('Canceled after 30 of 48')
    expect(lineOf(cancelled(30), de)).toMatch(/30 .* 48$/)
    expect(lineOf(cancelled(49), en)).toBe('Canceled')
  })

  it('uses the right plural in German', () => {
    expect(germanProblems(1)).not.toBe(germanProblems(2).replace('2', '1'))
  })

  it('shows its results and preset in the history', () => {
    expect(lineOf(ended({ kind: 'done', results: 24, uploaded: null }), en)).toBe('24 photos, Web 2048')
  })
})

const waitingJob = (
  because: WaitingReason,
  turn: Job['turn'],
  more: Partial<PartAt<'outbox'>> = {},
): Job => ({
  parts: [{ ...title, at: 'outbox', state: { kind: 'waiting', because, notBefore: null }, ...more }],
  turn,
})
const waiting = (because: WaitingReason, unsaved?: Failure) =>
  lineOf(
    waitingJob(because, FIRST, {
      state: { kind: 'waiting', because, notBefore: null, ...(unsaved && { unsaved }) },
    }),
    en,
  )
const FIRST = { place: 1, of: 3, isNext: true }
const THIRD = { place: 3, of: 3, isNext: false }

describe('a submission’s line', () => {
  it('shows its position, or why it waits', () => {
    expect(waiting('turn')).toBe('Next, Web 2048')
    expect(waiting('paused')).toBe('Paused')
    expect(waiting('offline')).toBe('Waiting for the service')
    expect(waiting('editing')).toBe('Being edited in a new job')
    expect(waiting('serviceFailed', failure('presetUnknown', { preset: 'Print A5' }))).toBe(
      'Waiting for the preset “Print A5”',
    )
    expect(waiting('output', failure('cloudDriveSilent', { remote: 'drive' }))).toBe('Waiting for Drive')
    expect(waiting('output', failure('diskRemoved', { folder: '/Volumes/Card' }))).toBe(
      'Waiting until results can be saved',
    )
    expect(lineOf(waitingJob('turn', THIRD, { variations: 4 }), en)).toBe('3rd, Web 2048, 4 variations')
    expect(lineOf(waitingJob('turn', THIRD), de)).toBe('An 3. Stelle, Web 2048')
  })

  it('says where a job for another service waits', () => {
    expect(lineOf(waitingJob('queueFull', THIRD), en, true)).toBe('3rd, sent when there’s room')
    expect(lineOf(waitingJob('turn', FIRST), en, true)).toBe('Next, Web 2048')
  })

  it('shows the upload progress, and the service’s refusal', () => {
    const upload = { sent: 29, total: 100 }
    expect(outboxLine({ ...title, at: 'outbox', state: { kind: 'sending', upload } }, en)).toBe(
      'Sending, 29%',
    )
    const state = {
      kind: 'refused',
      message: 'there is no such preset',
      why: 'invalid',
      skipped: [],
    } as const
    expect(outboxLine({ ...title, at: 'outbox', state }, en)).toBe('Refused: “there is no such preset”')
  })
})

describe('every error of a service', () => {
  const message = 'the words of the service'
  const errors: readonly ServiceError[] = [
    { kind: 'notReachable', reason: 'ECONNREFUSED', message },
    { kind: 'noAnswer', reason: 'timeout', message },
    { kind: 'unauthorized', reason: 'rejected', message },
    { kind: 'notFound', message },
    { kind: 'conflict', message },
    { kind: 'refused', status: 400, skipped: [], message },
    { kind: 'driveNotReady', message },
    { kind: 'queueFull', message },
    { kind: 'serverError', status: 500, message },
    { kind: 'badResponse', route: 'GET /jobs', field: 'jobs.3.status', message },
    { kind: 'aborted', maybeReceived: false, message },
    { kind: 'localFile', path: '/a', code: 'ENOSPC', message },
  ]

  it.each(errors)('has a complete sentence in both languages: $kind', (error) => {
    for (const t of [en, de]) {
      const sentence = errorSentence(error, t)
      expect(sentence).toMatch(/^\p{Lu}.*[.]$/u)
      expect(sentence).not.toContain('{')
    }
    expect(errorSentence(error, en)).not.toBe(errorSentence(error, de))
  })
})

const trouble = (kind: 'network' | 'other') =>
  ({
    code: 'notListed',
    trouble: {
      kind,
      reason: kind === 'network' ? reason('driveNetwork') : reason('driveOther', { detail: '418' }),
    },
  }) as const

it('a drive problem is shown in the user’s language, with rclone’s message quoted', () => {
  expect(driveProblemSentence(trouble('network'), en)).toBe(
    'Couldn’t list the rclone remotes: it couldn’t be reached.',
  )
  expect(driveProblemSentence(trouble('other'), de)).toContain('rclone meldet „418“')
  expect(driveProblemSentence({ code: 'noSuchFolder', folderId: 'a' }, de)).toMatch(/Ordner.*: a$/)
})

it('a task has a name in the user’s language, also if it was changed for one job', () => {
  const { makeSmaller, removeLocation, underASize, under } = de.preset
  const names = [
    ['Make smaller', makeSmaller],
    ['Under a size', underASize],
    ['Under a size: 2.5 MB', under({ size: '2,5 MB' })],
    ['Remove location: TIFF', `${removeLocation}: TIFF`],
    ['Web 2048', 'Web 2048'],
    ['A: b', 'A: b'],
  ]
  expect(names.map(([name = '']) => [name, presetName(name, de)])).toEqual(names)
  expect(makeSmaller).not.toBe(en.preset.makeSmaller)
})
