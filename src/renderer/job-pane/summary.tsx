import type { ComponentChildren } from 'preact'
import type { WorkTitle } from '../../shared/model/work.ts'
import { shortId, shortPath } from '../../shared/i18n/names.ts'
import type { WorkState } from '../../shared/model/work-item.ts'
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

/** "Web 2048, saved to ~/Pictures/Web", with the folder as a link. */
export function TargetLine({ work, saved }: { readonly work: WorkTitle; readonly saved: boolean }) {
  const app = useApp()
  const t = useTranslation()
  const { output } = work
  const preset = work.preset ?? t.phrases.basicDefaults
  if (output?.kind === 'folder' && isInVault(output.path))
    return <p class="summary-line">{t.replacedJob.replaces({ preset })}</p>
  if (output === null) return <p class="summary-line">{preset}</p>
  if (output.kind === 'drive') {
    return (
      <p class="summary-line">
        {t.details.toDrive({ preset })} <span class="mono">{shortId(output.folderId)}</span>
      </p>
    )
  }
  return (
    <p class="summary-line">
      {saved ? t.details.savedTo({ preset }) : t.details.to({ preset })}{' '}
      <LinkButton
        label={shortPath(output.path, app.facts.homeFolder)}
        title={output.path}
        onPress={() => void app.attempt(app.bridge.files.reveal(output.path))}
      />
    </p>
  )
}
