import { useEffect } from 'preact/hooks'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Job, PartDetails } from '../../shared/model/job.ts'
import { endOf } from '../../shared/model/job-outcome.ts'
import { stateOf, titleOf, type JobState } from '../../shared/model/job-state.ts'
import { jobName } from '../../shared/i18n/names.ts'
import { actionsFor, describe, menuEntries, type JobActionName } from '../store/job-actions.ts'
import { shownService } from '../store/services.ts'
import { findJob } from '../store/job-signs.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useView } from '../store/app.ts'
import { Sections } from './job-sections.tsx'
import { HookNotes } from './hook-notes.tsx'
import { JobOutcome } from './job-outcome.tsx'
import { UnfinishedJob } from './unfinished-job.tsx'
import { PartFiles } from './part-files.tsx'
import { ReplacedOriginals } from './replaced.tsx'
import { Unsure } from './unsure.tsx'
import './details.css'

/** Actions shown as buttons in the header. Other actions are in the menu next to them. */
const IN_HEADER: Readonly<Record<JobState, readonly JobActionName[]>> = {
  now: ['startAnyway', 'cancel'],
  next: ['startAnyway', 'cancel'],
  waiting: ['moveUp', 'moveDown', 'edit', 'startAnyway'],
  sending: [],
  refused: ['edit'],
  unsure: [],
  uploading: [],
  done: ['undoAll', 'replaceAll', 'show'],
  problems: ['undoAll', 'replaceAll', 'show'],
  forgotten: ['show'],
  failed: ['runAgain'],
  cancelled: ['undoAll', 'replaceAll', 'runAgain'],
}

/** Header actions without an icon. */
const BARE: readonly JobActionName[] = ['cancel', 'edit', 'replaceAll', 'startAnyway']

export function Details({ id }: { readonly id: RecordId }) {
  const { app, t } = useView()
  const job = findJob(app, id)
  const shown = app.details.value
  const details = shown?.kind === 'read' && shown.id === id ? shown.details : null
  const unseen = job !== undefined && endOf(job).unseen
  useEffect(() => {
    if (!unseen) return undefined
    // A job counts as seen only if the window has the focus.
    const look = (): void => {
      if (document.hasFocus()) void app.attempt(app.bridge.jobs.seen(id))
    }
    look()
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [id, unseen])

  if (job === undefined) {
    return (
      <>
        <PaneHeader title="" />
        <div class="empty-state">{shown?.kind === 'gone' && <p class="hint">{t.details.gone}</p>}</div>
      </>
    )
  }
  const [first] = job.parts
  const isAsking = isAlone(job) && first.at === 'outbox' && first.state.kind === 'unknown'
  return (
    <>
      <DetailsHeader job={job} details={details} />
      {isAsking ? <Unsure job={job} part={first} /> : <DetailsBody job={job} details={details} />}
    </>
  )
}

/** Whether the job has only one part. The parts of other jobs are shown in sections. */
const isAlone = ({ parts: [first] }: Job): boolean => first.place.parts === 1

function DetailsHeader({ job, details }: { readonly job: Job; readonly details: PartDetails | null }) {
  const { app, t } = useView()
  const title = titleOf(job)
  const possible = actionsFor(job, details)
  const all = IN_HEADER[stateOf(job)].filter((name) => possible.includes(name))
  const moving: readonly JobActionName[] = all.filter((name) => name === 'moveUp' || name === 'moveDown')
  // In a narrow window, the name needs the space of the other buttons.
  const shown = app.route.narrow.value && moving.length > 0 ? all.slice(0, moving.length + 1) : all
  const more = menuEntries(app, job, details, shown)
  const name = jobName({ ...title, files: 1 }, t)
  const others = title.driveInput === null ? (title.files ?? 1) - 1 : 0
  return (
    <PaneHeader title={<Name name={name} more={others > 0 ? t.name.more({ count: others }) : null} />}>
      {moving.length > 0 && (
        <span class="move-buttons">
          {moving.map((action) => {
            const { label, icon, disabled, run } = describe(app, action, job, details)
            return (
              <IconButton
                key={action}
                icon={icon}
                label={label}
                class="plain"
                disabled={disabled}
                onPress={run}
              />
            )
          })}
        </span>
      )}
      {shown.map((action) => {
        if (moving.includes(action)) return null
        const { label, icon, menu, run } = describe(app, action, job, details)
        const bare = BARE.includes(action)
        const press = menu === undefined ? { onPress: run } : { onMenu: menu }
        return <Button key={action} label={label} {...(bare ? {} : { icon })} {...press} />
      })}
      {more.length > 0 && (
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(button) =>
            (app.overlays.menu.value = { label: t.actions.more, entries: more, anchor: button })
          }
        />
      )}
    </PaneHeader>
  )
}

function DetailsBody({ job, details }: { readonly job: Job; readonly details: PartDetails | null }) {
  const { app, t } = useView()
  const service = shownService(app, titleOf(job))
  return (
    <div class="scroll-area" data-scroller tabIndex={0} role="region" aria-label={t.list.detailsRegion}>
      <div class="pane-content">
        {service !== undefined && <p class="hint truncate">{t.details.service({ name: service })}</p>}
        {body()}
      </div>
    </div>
  )

  function body() {
    const { replaced, outcome } = endOf(job)
    // The parts of an ended job aren't known before its details are loaded, because a page of the history doesn't list them.
    const isListed = outcome === null || details !== null
    if (replaced !== null && details !== null && details.replacements.length > 0)
      return <ReplacedOriginals job={job} details={details} counts={replaced} />
    return (
      <>
        {outcome === null ? (
          <UnfinishedJob job={job} details={details} />
        ) : (
          <JobOutcome job={job} details={details} />
        )}
        {details !== null && <HookNotes details={details} />}
        {isAlone(job) ? (
          <PartFiles part={job.parts[0]} details={details} alone />
        ) : (
          isListed && <Sections job={job} />
        )}
      </>
    )
  }
}
