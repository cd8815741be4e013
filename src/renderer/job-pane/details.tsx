import { useEffect } from 'preact/hooks'
import type { RecordId } from '../../shared/model/ids.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import { workName } from '../../shared/i18n/names.ts'
import { actionsFor, describe, menuEntries, type WorkActionName } from '../store/work-actions.ts'
import { shownService } from '../store/services.ts'
import { findWork } from '../store/work-item.ts'
import {
  groupOfRecords,
  isUnseen,
  outcomeOfRecord,
  partsOf,
  stateOf,
  titleOf,
  wholeJobOf,
  type WorkItem,
  type WorkState,
} from '../../shared/model/work-item.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Sections } from './group-section.tsx'
import { HookNotes } from './hook-notes.tsx'
import { JobOutcome } from './job-outcome.tsx'
import { JobState } from './job-state.tsx'
import { OnlyPart } from './only-part.tsx'
import { ReplacedOriginals } from './replaced.tsx'
import { Unsure } from './unsure.tsx'
import './details.css'

/** Actions shown as buttons in the header. The others are in the menu next to them. */
const IN_HEADER: Readonly<Record<WorkState, readonly WorkActionName[]>> = {
  now: ['startAnyway', 'cancel'],
  next: ['startAnyway', 'cancel'],
  waiting: ['edit', 'startAnyway', 'sendNext'],
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
const BARE: readonly WorkActionName[] = ['cancel', 'edit', 'replaceAll', 'startAnyway', 'sendNext']

/** The details of a job. */
export function Details({ id }: { readonly id: RecordId }) {
  const app = useApp()
  const t = useTranslation()
  const item = findWork(app, id)
  const reading = app.details.value
  const details = reading?.kind === 'read' && reading.id === id ? reading.details : null
  const unseen = item?.kind === 'record' && isUnseen(item.record)
  useEffect(() => {
    if (!unseen) return undefined
    // A job counts as seen only if the window has the focus.
    const look = (): void => {
      if (document.hasFocus()) void app.attempt(app.bridge.work.seen(id))
    }
    look()
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [id, unseen])

  if (item === undefined) {
    return (
      <>
        <PaneHeader title="" />
        <div class="empty-state">{reading?.kind === 'gone' && <p class="hint">{t.details.gone}</p>}</div>
      </>
    )
  }
  return (
    <>
      <DetailsHeader item={item} details={details} />
      {item.kind === 'outbox' && stateOf(item) === 'unsure' ? (
        <Unsure item={item} />
      ) : (
        <DetailsBody item={item} details={details} />
      )}
    </>
  )
}

type DetailsProps = { readonly item: WorkItem; readonly details: RecordDetails | null }

function DetailsHeader({ item, details }: DetailsProps) {
  const app = useApp()
  const t = useTranslation()
  const title = titleOf(item)
  const possible = actionsFor(item, details)
  const inHeader = IN_HEADER[stateOf(item)].filter((name) => possible.includes(name))
  const shown = inHeader.filter((name) => name !== 'sendNext' || !inHeader.includes('startAnyway'))
  const more = menuEntries(app, item, details, shown)
  const name = workName({ ...title, files: 1 }, t)
  const others = title.driveInput === null ? (title.files ?? 1) - 1 : 0
  return (
    <PaneHeader title={<Name name={name} more={others > 0 ? t.name.more({ count: others }) : null} />}>
      {shown.map((action) => {
        const { label, icon, menu, run } = describe(app, action, item, details)
        const bare = BARE.includes(action)
        const press = menu === undefined ? { onPress: run } : { onMenu: menu }
        return <Button key={action} label={label} {...(bare ? {} : { icon })} {...press} />
      })}
      {more.length > 0 && (
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(button) => {
            app.overlays.menu.value = { label: t.actions.more, entries: more, anchor: button }
          }}
        />
      )}
    </PaneHeader>
  )
}

function DetailsBody({ item, details }: DetailsProps) {
  const app = useApp()
  const t = useTranslation()
  const service = shownService(app, titleOf(item))
  return (
    <div class="scroll-area" data-scroller tabIndex={0} role="region" aria-label={t.details.region}>
      <div class="pane-content">
        {service !== undefined && <p class="hint truncate">{t.details.service({ name: service })}</p>}
        {body()}
      </div>
    </div>
  )

  function body() {
    if (item.kind === 'record' && details !== null && details.replacements.length > 0) {
      const { replaced } = wholeJobOf(item.record)
      if (replaced !== null)
        return <ReplacedOriginals record={item.record} details={details} counts={replaced} />
    }
    const group = item.kind === 'record' ? groupOfRecords(details?.parts ?? []) : item
    const parts = partsOf(group ?? item)
    return (
      <>
        {item.kind === 'record' && outcomeOfRecord(item.record) !== null ? (
          <JobOutcome record={item.record} parts={parts} details={details} />
        ) : (
          <JobState item={item} details={details} />
        )}
        {details !== null && <HookNotes details={details} />}
        {group?.kind === 'group' ? (
          <Sections group={group} />
        ) : (
          <OnlyPart part={parts[0]} details={details} />
        )}
      </>
    )
  }
}
