import { useSignal } from '@preact/signals'
import { expectedResults, sectionsOf, type GroupSection } from '../../shared/model/group-sections.ts'
import { runningJobIn, shareOfGroup, timeLeftOfGroup } from '../../shared/model/group-progress.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import {
  currentPart,
  endOfRecord,
  outcomeOfRecord,
  stateOf,
  titleOf,
  type GroupItem,
  type WorkItem,
} from '../../shared/model/work-item.ts'
import { contentCount, shortPath } from '../../shared/i18n/names.ts'
import {
  activity,
  groupLine,
  outboxLine,
  outcomeWord,
  presetName,
  presetsOf,
} from '../../shared/i18n/sentences.ts'
import { shownText } from '../../shared/paths.ts'
import { LinkButton } from '../ui/button.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { when } from '../store/dates.ts'
import { isAtWork, SectionView } from './group-section.tsx'
import { HookNotes } from './hook-notes.tsx'
import { Times, useProgressAnnouncements } from './running.tsx'
import { Summary } from './summary.tsx'
import { Held, Waiting } from './waiting.tsx'
import './group-details.css'

type GroupDetailsProps = {
  readonly item: WorkItem
  readonly group: GroupItem
  /** Of the first part; null until loaded. */
  readonly details: RecordDetails | null
}

/** A group: its progress or outcome, then a section for each preset or folder. */
export function GroupDetails({ item, group, details }: GroupDetailsProps) {
  return (
    <>
      {item.kind === 'record' ? (
        <GroupOutcome item={item} group={group} details={details} />
      ) : (
        <GroupState group={group} details={details} />
      )}
      {details !== null && <HookNotes details={details} />}
      <Sections group={group} />
    </>
  )
}

/** Number of folders shown before the others are requested. */
const SECTIONS_SHOWN = 10

/** The sections in the order chosen. Of many folders, those at work or with problems are always shown. */
function Sections({ group }: { readonly group: GroupItem }) {
  const app = useApp()
  const t = useTranslation()
  const unfolded = useSignal(false)
  const sections = sectionsOf(group)
  const urgent = sections.filter(isAtWork).slice(0, SECTIONS_SHOWN)
  const plain = sections.filter((section) => !urgent.includes(section))
  const chosen = new Set<GroupSection>([
    ...urgent,
    ...plain.slice(0, Math.max(0, SECTIONS_SHOWN - urgent.length)),
  ])
  const shown = unfolded.value ? sections : sections.filter((section) => chosen.has(section))
  const hidden = sections.length - shown.length
  return (
    <div class="group-sections">
      {shown.map((section) => (
        <SectionView
          key={section.key}
          section={section}
          group={group}
          before={sections[sections.indexOf(section) - 1]}
        />
      ))}
      {hidden > 0 && (
        <p class="list-fold">
          <span>{t.group.moreFolders({ count: hidden })}</span>
          <LinkButton
            label={t.group.show}
            onPress={() => {
              unfolded.value = true
              app.announcer.say(t.group.moreFolders({ count: hidden }))
            }}
          />
        </p>
      )}
    </div>
  )
}

type GroupStateProps = Omit<GroupDetailsProps, 'item'>

function GroupState({ group, details }: GroupStateProps) {
  const t = useTranslation()
  const state = stateOf(group)
  const part = currentPart(group)
  if (state === 'now') return <GroupWork group={group} details={details} />
  if (part.kind === 'job' && part.job.stage.kind === 'queued') {
    if (part.job.held !== undefined) return <Held wait={part.job.held} isSent />
    return (
      <Summary state="next" text={t.details.queued({ place: t.ordinal(part.job.stage.position) })}>
        <p class="summary-line">{t.details.queuedHint}</p>
      </Summary>
    )
  }
  if (part.kind !== 'outbox') return <Summary state={state} text={groupLine(group, t)} />
  const { entry, rank, of } = part
  switch (entry.state.kind) {
    case 'waiting':
      return <Waiting state={entry.state} rank={rank} of={of} />
    case 'sending':
      return (
        <Summary state="sending" text={outboxLine(entry, rank, t)}>
          <p class="summary-line">{t.details.sendingHint}</p>
        </Summary>
      )
    case 'refused':
      return (
        <Summary state="refused" text={t.group.partsRefused({ count: undecided() })}>
          <p class="summary-line">{t.group.decideBelow}</p>
        </Summary>
      )
    case 'unknown':
      return (
        <Summary state="unsure" text={entry.state.checking ? t.rows.checking : t.details.unsure}>
          <p class="summary-line">{t.group.decideBelow}</p>
        </Summary>
      )
  }

  function undecided(): number {
    return group.parts.filter((one) => stateOf(one) === 'refused').length
  }
}

/** The group's total progress. */
function GroupWork({ group, details }: GroupStateProps) {
  const app = useApp()
  const t = useTranslation()
  const job = runningJobIn(group)
  const share = shareOfGroup(group)
  const cancelling = job?.stage.kind === 'cancelling'
  const title = titleOf(group)
  useProgressAnnouncements(title, share)
  return (
    <div class="running-job">
      {job?.held !== undefined && <Held wait={job.held} isSent text={groupLine(group, t)} />}
      <div class="running-head">
        <p class="truncate">{job?.held === undefined && doing()}</p>
        {share !== null && !cancelling && <span class="percentage">{t.percent(share)}</span>}
      </div>
      <ProgressBar
        class="thick"
        share={cancelling ? null : share}
        label={t.list.progress({ name: presetsOf(title, t) })}
      />
      <div class="running-foot numeric">
        <span class="truncate">{shownText(job?.progress.fileName ?? '')}</span>
        <Times
          startedAt={details?.facts.startedAt ?? job?.startedAt ?? null}
          timeLeft={cancelling ? null : timeLeftOfGroup(group)}
          now={app.now}
        />
      </div>
    </div>
  )

  /** "Web 2048: resizing 7 of 24" */
  function doing(): string {
    if (job === undefined || cancelling) return groupLine(group, t)
    const words = activity(job, t)
    const inSentence = words.charAt(0).toLocaleLowerCase(t.locale) + words.slice(1)
    return t.group.doing({ name: presetName(job.preset, t), doing: inSentence })
  }
}

type GroupOutcomeProps = GroupDetailsProps & { readonly item: Extract<WorkItem, { readonly kind: 'record' }> }

function GroupOutcome({ item, group, details }: GroupOutcomeProps) {
  const app = useApp()
  const t = useTranslation()
  const { record } = item
  const outcome = outcomeOfRecord(record)
  if (outcome === null) return null
  const endedAt = endOfRecord(record)
  const startedAt = details?.facts.startedAt ?? null
  const ended = endedAt === null ? null : when(app, endedAt)
  const at = ended === null ? '' : t.details.at({ when: ended })
  const took = startedAt === null || endedAt === null ? null : t.duration(endedAt - startedAt)
  const after = ended === null || took === null ? at : t.details.after({ when: ended, time: took })
  const title = titleOf(item)
  return (
    <Summary state={stateOf(item)} text={headline()}>
      <p class="summary-line">
        {body()} {after}
      </p>
      <GroupTarget group={group} outcome={outcome} />
    </Summary>
  )

  function headline(): string {
    if (outcome?.kind !== 'done') return outcome === null ? '' : outcomeWord(outcome, null, t)
    const results = t.count.results({ count: outcome.results })
    const what = (group.place.presets > 1 ? null : contentCount(title, t)) ?? results
    return took === null ? t.details.done({ what }) : t.details.doneIn({ what, time: took })
  }

  function body(): string {
    switch (outcome?.kind) {
      case 'problems': {
        const count = expectedResults(group)
        return count === null ? '' : t.group.ready({ results: outcome.results, count })
      }
      case 'failed':
        return t.details.nothingSaved({ count: title.files ?? 2 })
      case 'cancelled':
        return outcome.results === 0
          ? t.details.cancelledNone
          : t.details.cancelled({ count: outcome.results })
      case 'forgotten':
        return title.output?.kind === 'drive' ? t.details.forgottenDrive : t.details.forgotten
      default:
        return ''
    }
  }
}

/** "2 presets, saved to ~/Pictures/Web", "Web 2048, 3 folders" */
function GroupTarget({ group, outcome }: { readonly group: GroupItem; readonly outcome: Outcome }) {
  const app = useApp()
  const t = useTranslation()
  const title = titleOf(group)
  const preset = presetsOf(title, t)
  const folder = commonFolder(group)
  if (title.output?.kind === 'drive') return <p class="summary-line">{preset}</p>
  if (group.place.presets === 1 && group.place.folders > 1) {
    return <p class="summary-line">{t.group.inFolders({ preset, count: group.place.folders })}</p>
  }
  if (folder === null) return <p class="summary-line">{preset}</p>
  const hasResults = 'results' in outcome && outcome.results > 0
  return (
    <p class="summary-line">
      {hasResults ? t.details.savedTo({ preset }) : t.details.to({ preset })}{' '}
      <LinkButton
        label={shortPath(folder, app.facts.homeFolder)}
        title={folder}
        onPress={() => void app.attempt(app.bridge.files.reveal(folder))}
      />
    </p>
  )
}

/** Returns the folder that contains all output folders; null if there is none. */
function commonFolder({ parts }: GroupItem): string | null {
  const paths = parts.flatMap((part) => {
    const { output } = titleOf(part)
    return output?.kind === 'folder' ? [output.path.split(/(?=[/\\])/)] : []
  })
  const [first, ...others] = paths
  if (first === undefined) return null
  const differs = first.findIndex((name, index) => others.some((path) => path[index] !== name))
  const common = first.slice(0, differs === -1 ? first.length : differs).join('')
  return common === '' ? null : common
}
