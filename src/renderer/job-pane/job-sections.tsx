import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { expectedResults, outcomeOfParts } from '../../shared/model/job-outcome.ts'
import { hasEnded, needsUser, openPartsIn, runningPart, stateOfPart } from '../../shared/model/job-state.ts'
import { scopesOf, sectionsOf, type JobSection } from '../../shared/model/job-sections.ts'
import { filesSoFar, shareOfParts } from '../../shared/model/job-progress.ts'
import type { Job } from '../../shared/model/job.ts'
import { contentCount, shortPath } from '../../shared/i18n/names.ts'
import { jobLine, outboxLine, outcomeWord } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useViewTranslation, useView } from '../store/app.ts'
import { sectionName } from '../store/cancel-menu.ts'
import { thenShowDraft } from '../store/job-actions.ts'
import { STATUS_ICONS } from '../store/job-signs.ts'
import { FilesOfPart, useDetailsOf } from './part-files.tsx'
import './job-sections.css'

type SectionProps = {
  readonly section: JobSection
  readonly job: Job
  /** The previous section. */
  readonly before: JobSection | undefined
}

/** Number of sections shown until the user asks for the rest. */
const SECTIONS_SHOWN = 10

/** Lists the job's presets or folders. Initially shows at most ten, preferring those that need the user, are running or have problems. */
export function Sections({ job }: { readonly job: Job }) {
  const { app, t } = useView()
  const unfolded = useSignal(false)
  const sections = sectionsOf(job)
  const urgent = sections.filter(isAtWork).slice(0, SECTIONS_SHOWN)
  const plain = sections.filter((section) => !urgent.includes(section))
  const chosen = new Set<JobSection>([
    ...urgent,
    ...plain.slice(0, Math.max(0, SECTIONS_SHOWN - urgent.length)),
  ])
  const shown = unfolded.value ? sections : sections.filter((section) => chosen.has(section))
  const hidden = sections.length - shown.length
  return (
    <div class="part-sections">
      {shown.map((section) => (
        <SectionView
          key={section.key}
          section={section}
          job={job}
          before={sections[sections.indexOf(section) - 1]}
        />
      ))}
      {hidden > 0 && (
        <p class="list-fold">
          <span>{t.parts.moreFolders({ count: hidden })}</span>
          <LinkButton
            label={t.parts.show}
            onPress={() => {
              unfolded.value = true
              app.announcer.say(t.parts.moreFolders({ count: hidden }))
            }}
          />
        </p>
      )}
    </div>
  )
}

/** Whether the section needs the user, is running, or has ended with problems. */
function isAtWork(section: JobSection): boolean {
  const { parts } = section
  if (parts.some(needsUser)) return true
  if (runningPart(section) !== undefined) return true
  const outcome = outcomeOfParts(section.parts)
  return outcome?.kind === 'problems' || outcome?.kind === 'failed'
}

/** A disclosure with the name, the state and the progress of a preset or folder. It contains the files. */
function SectionView({ section, job, before }: SectionProps) {
  const app = useApp()
  const chosen = useSignal<boolean | null>(null)
  const id = useId()
  // Until the job ends, ended sections are initially closed. After that, sections with problems are initially open.
  const hasJobEnded = job.parts.every(hasEnded)
  const isOpen =
    chosen.value ?? (isAtWork(section) && (hasJobEnded || outcomeOfParts(section.parts) === null))
  const name = sectionName(section, app)
  return (
    <section class="part-section" role="group" aria-labelledby={`${id}-name`}>
      <header>
        <h2>
          <button
            type="button"
            class="disclosure"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => (chosen.value = !isOpen)}
          >
            <Icon name="forward" class="small turns" />
            <Icon name={iconOf(section)} />
            <span class="row-text">
              <b class="truncate block" id={`${id}-name`}>
                <bdi>{name}</bdi>
              </b>
              <span class="hint truncate block numeric">
                <SectionLine section={section} before={before} />
              </span>
            </span>
          </button>
        </h2>
        <SectionEnd section={section} name={name} />
      </header>
      {isOpen && (
        <div class="part-section-files" id={id}>
          {section.parts.map((part) => (
            <FilesOfPart key={part.id} part={part} />
          ))}
        </div>
      )}
    </section>
  )
}

function iconOf({ by, parts }: JobSection) {
  if (by === 'folder') return 'folder'
  const hasPhotos = parts.some(({ photos }) => photos > 0)
  const hasVideos = parts.some(({ videos }) => videos > 0)
  if (hasPhotos && hasVideos) return 'both'
  return hasVideos ? 'video' : 'photo'
}

/** "6 of 24 done", "Starts after Web 2048, 24 photos", "22 of 24 results, 2 problems" */
function SectionLine({ section, before }: Omit<SectionProps, 'job'>) {
  const { app, t } = useView()
  const outcome = outcomeOfParts(section.parts)
  const sizes = useSectionSizes(section)
  const undecided = section.parts.find(needsUser)
  return <>{text()}</>

  function text(): string {
    if (outcome !== null) return ended(outcome)
    if (undecided !== undefined) return outboxLine(undecided, t)
    const running = runningPart(section)
    if (running?.stage.kind === 'cancelling') return jobLine(running, t)
    const count = filesSoFar(section)
    if (running !== undefined || section.parts.some(hasEnded)) {
      return count === null ? t.stage.working : t.details.filesDone(count)
    }
    if (section.parts.some((part) => stateOfPart(part) === 'uploading')) return t.stage.uploading
    return waits()
  }

  function ended(end: NonNullable<typeof outcome>): string {
    const count = expectedResults(section)
    if (end.kind === 'problems' && count !== null) {
      const problems = t.count.problems({ count: end.problems })
      return t.parts.resultsOf({ results: end.results, count, problems })
    }
    if (end.kind !== 'done') return outcomeWord(end, count, t)
    const results = t.count.results({ count: end.results })
    return sizes === null ? results : t.parts.resultsDone({ results, ...sizes })
  }

  function waits(): string {
    const [first] = section.parts
    const files = filesSoFar(section)?.all ?? null
    const photos = section.parts.reduce((sum, part) => sum + part.photos, 0)
    const videos = section.parts.reduce((sum, part) => sum + part.videos, 0)
    const what = contentCount({ photos, videos, files }, t)
    const isAfter = section.by === 'preset' && before !== undefined && openPartsIn(before).length > 0
    if (isAfter && what !== null) {
      return t.parts.startsAfter({ name: sectionName(before, app), what })
    }
    if (first.at === 'service') return what ?? jobLine(first, t)
    return what ?? t.stage.working
  }
}

/** Returns the total sizes of a preset's originals and results; null for a folder, until the preset has ended, or if a size is unknown. */
function useSectionSizes({ by, parts }: JobSection): { before: string; after: string } | null {
  const t = useViewTranslation()
  // Don't load the details for folders, because there may be hundreds.
  const ids = by === 'preset' && parts.every(hasEnded) ? parts.map(({ id }) => id) : []
  const read = useDetailsOf(ids, '') ?? []
  const made = read.map((details) => details?.resultBytes ?? null)
  const inputs = read.flatMap((details) => details?.inputs ?? [])
  // The service doesn't list the originals in a Drive folder.
  if (made.includes(null) || inputs.length === 0) return null
  return {
    before: t.size(inputs.reduce((sum, { size }) => sum + size, 0)),
    after: t.size(made.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)),
  }
}

/** The end of the section's header: progress, a status icon, the folder, or the button to retry. */
function SectionEnd({ section, name }: { readonly section: JobSection; readonly name: string }) {
  const { app, t } = useView()
  const outcome = outcomeOfParts(section.parts)
  const share = shareOfParts(section)
  const { output } = section.parts[0]
  if (outcome?.kind === 'problems') {
    return (
      <span class="part-section-end">
        <Button label={t.actions.retry({ count: outcome.problems })} icon="retry" onPress={retry} />
      </span>
    )
  }
  if (outcome !== null) {
    const sign = STATUS_ICONS[outcome.kind]
    return (
      <span class="part-section-end">
        {sign && <Icon name={sign.icon} class={`status-icon ${sign.tone}`} />}
      </span>
    )
  }
  if (runningPart(section) !== undefined || (share ?? 0) > 0) {
    return (
      <span class="part-section-end numeric">
        <ProgressBar class="short" share={share} label={t.list.progress({ name })} />
        {share !== null && <span>{t.percent(share)}</span>}
      </span>
    )
  }
  return section.by !== 'folder' && output?.kind === 'folder' ? (
    <span class="part-section-end hide-narrow truncate">{shortPath(output.path, app.facts.homeFolder)}</span>
  ) : null

  function retry(): void {
    const scopes = scopesOf(section)
    const withProblems = section.parts.findIndex((part) => stateOfPart(part) === 'problems')
    const scope = scopes[withProblems] ?? scopes[0]
    if (scope !== undefined) void thenShowDraft(app, app.bridge.jobs.retryFailed(scope))
  }
}
