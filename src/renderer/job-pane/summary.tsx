import type { ComponentChildren } from 'preact'
import type { WorkTitle } from '../../shared/model/work.ts'
import { shortId, shortPath } from '../../shared/i18n/names.ts'
import { titleOf, type PartItem, type WorkState } from '../../shared/model/work-item.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { STATUS_ICONS, type Sign } from '../store/work-item.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'

type SummaryProps = {
  readonly state: WorkState
  /** The icon, if it isn't the state's. */
  readonly sign?: Sign
  readonly text: string
  readonly children?: ComponentChildren
}

/** A status icon, a short sentence and further lines below. */
export function Summary({ state, sign = STATUS_ICONS[state] ?? undefined, text, children }: SummaryProps) {
  return (
    <div class="summary">
      {sign && <Icon name={sign.icon} class={`status-icon ${sign.tone}`} />}
      <p class="summary-title">{text}</p>
      {children}
    </div>
  )
}

type SectionProps = {
  readonly title: string
  /** A number after the title. */
  readonly count?: string
  /** Shown at the end of the heading. */
  readonly end?: ComponentChildren
  readonly compact?: boolean
  readonly children: ComponentChildren
}

/** A section of the details with its heading. */
export function Section({ title, count, end, compact = false, children }: SectionProps) {
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

type TargetLineProps = {
  readonly work: WorkTitle
  /** Empty until loaded. */
  readonly parts: readonly PartItem[]
  readonly saved: boolean
}

/** "Web 2048, saved to ~/Pictures/Web", with the folder as a link; "2 presets, …", "Web 2048, 3 folders" */
export function TargetLine({ work, parts, saved }: TargetLineProps) {
  const app = useApp()
  const t = useTranslation()
  const { output } = work
  const { presets, folders } = (parts.length > 1 && work.group) || { presets: 1, folders: 1 }
  const preset = presets > 1 ? t.count.presets({ count: presets }) : (work.preset ?? t.phrases.basicDefaults)
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
    return <p class="summary-line">{t.group.inFolders({ preset, count: folders })}</p>
  const folder = folders > 1 ? commonFolder(parts) : (output?.path ?? null)
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

/** Returns the folder that contains all output folders; null if there is none. */
function commonFolder(parts: readonly PartItem[]): string | null {
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
