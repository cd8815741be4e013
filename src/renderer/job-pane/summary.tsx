import type { Signal } from '@preact/signals'
import { presetTitle } from '../../shared/i18n/sentences.ts'
import type { ComponentChildren } from 'preact'
import type { Job } from '../../shared/model/job.ts'
import { titleOf, type JobState } from '../../shared/model/job-state.ts'
import { shortId, shortPath } from '../../shared/i18n/names.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { STATUS_ICONS, type Sign } from '../store/job-signs.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useViewTranslation, useView } from '../store/app.ts'

/** A status icon, a short sentence and further lines below. */
export function Summary(props: {
  readonly state: JobState
  /** Replaces the state's icon. */
  readonly sign?: Sign
  readonly text: string
  readonly children?: ComponentChildren
}) {
  const { state, sign = STATUS_ICONS[state] ?? undefined, text, children } = props
  return (
    <div class="summary">
      {sign && <Icon name={sign.icon} class={`status-icon ${sign.tone}`} />}
      <p class="summary-title">{text}</p>
      {children}
    </div>
  )
}

export function Section(props: {
  readonly title: string
  readonly count?: string
  readonly end?: ComponentChildren
  readonly compact?: boolean
  readonly children: ComponentChildren
}) {
  const { title, count, end, compact = false, children } = props
  return (
    <section class={`section ${compact ? 'compact' : ''}`}>
      <header>
        <h2>
          {title} {count !== undefined && <span class="numeric">{count}</span>}
        </h2>
        {end}
      </header>
      {children}
    </section>
  )
}

/** A link that shows or hides the content after it. */
export function ShowLink({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  const t = useViewTranslation()
  return (
    <LinkButton
      label={isOpen.value ? t.newJob.hide : t.newJob.show}
      expanded={isOpen.value}
      onPress={() => (isOpen.value = !isOpen.value)}
    />
  )
}

/** "Web 2048, saved to ~/Pictures/Web", with the folder as a link; "2 presets, …", "Web 2048, 3 folders" */
export function TargetLine({ job, saved }: { readonly job: Job; readonly saved: boolean }) {
  const { app, t } = useView()
  const title = titleOf(job)
  const { output, place } = title
  const { presets, folders } = place
  const preset = presets > 1 ? t.count.presets({ count: presets }) : presetTitle(title.preset, t)
  if (output?.kind === 'folder' && isInVault(output.path))
    return <p class="summary-line">{t.replacedJob.replaces({ preset })}</p>
  if (output?.kind === 'drive') {
    return (
      <p class="summary-line">
        {t.details.toDrive({ preset })} <span class="mono">{shortId(output.folderId)}</span>
      </p>
    )
  }
  if (presets === 1 && folders > 1)
    return <p class="summary-line">{t.parts.inFolders({ preset, count: folders })}</p>
  const folder = folders > 1 ? commonFolder(job) : (output?.path ?? null)
  if (folder === null) return <p class="summary-line">{preset}</p>
  return (
    <p class="summary-line">
      {saved ? t.details.savedTo({ preset }) : t.details.to({ preset })}{' '}
      <LinkButton
        label={shortPath(folder, app.facts.homeFolder)}
        title={folder}
        onPress={() => void app.attempt(app.bridge.files.reveal(folder))}
      />
    </p>
  )
}

/** Returns the innermost folder that contains all output folders; null if there is none. */
function commonFolder({ parts }: Job): string | null {
  const paths = parts.flatMap(({ output }) =>
    output?.kind === 'folder' ? [output.path.split(/(?=[/\\])/)] : [],
  )
  const [first, ...others] = paths
  if (first === undefined) return null
  const differs = first.findIndex((name, index) => others.some((path) => path[index] !== name))
  const common = first.slice(0, differs === -1 ? first.length : differs).join('')
  return common === '' ? null : common
}
