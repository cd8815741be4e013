/** The message that a phone or a chat shows about a job. */
import { createTranslation } from '../../node/translation.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import { shortened } from '../../shared/characters.ts'
import { jobName } from '../../shared/i18n/names.ts'
import { presetName, replacedSentence } from '../../shared/i18n/sentences.ts'
import type { JobReport } from '../../shared/model/job-report.ts'
import type { JobMessage } from '../../shared/model/message-formats.ts'
import { baseName } from '../../shared/paths.ts'

/** Maximum lengths in UTF-16 code units. Each unit takes up to three bytes in UTF-8, so messages stay below ntfy's limit of 4,096 bytes. */
const MOST_TITLE = 200
const MOST_TEXT = 1_000

/** @param language the language in the settings: one with a catalog, or `system` */
export function messageAbout({ job, test }: JobReport, language: string): JobMessage {
  const t = createTranslation(language === 'system' ? systemLocale() : language)
  const title = titleOf(job, t)
  return {
    outcome: job.outcome,
    title: shortened(test ? t.notification.test({ what: title }) : title, MOST_TITLE),
    text: shortened(textOf(job, t), MOST_TEXT),
    link: job.output?.kind === 'drive' ? folderLink(job.output.folderId) : null,
  }
}

const systemLocale = (): string => new Intl.DateTimeFormat().resolvedOptions().locale

type Job = JobReport['job']

function titleOf(job: Job, t: Translation): string {
  const count = job.uploaded ?? job.results.length
  const { notification: texts } = t
  switch (job.outcome) {
    case 'done':
      if (job.replaced !== null) return replacedSentence(job.replaced, t)
      return texts[job.uploaded === null ? 'resultsReady' : 'filesInDrive']({ count })
    case 'problems':
      return texts.ofResultsReady({ done: count, count: count + job.problems.length })
    case 'failed':
      return texts.failed({ name: nameOf(job, t) })
  }
}

/** Returns text such as "harbor.heic + 41 more, Web 2048"; for a failed job, the reason if it is known. */
function textOf(job: Job, t: Translation): string {
  if (job.outcome === 'failed' && job.error) return job.error
  const presets = job.presets.length === 0 ? [null] : job.presets
  return t.listed([nameOf(job, t), ...presets.map((preset) => presetName(preset, t))])
}

function nameOf({ originals, driveInput }: Job, t: Translation): string {
  const [first] = originals
  return jobName({ name: baseName(first?.path ?? ''), files: originals.length, driveInput }, t)
}

const folderLink = (id: string): string => `https://drive.google.com/drive/folders/${encodeURIComponent(id)}`
