import type { ComponentChildren } from 'preact'
import type { WorkTitle } from '../../shared/model/work.ts'
import { shortId, shortPath } from '../../shared/i18n/names.ts'
import { SIGNS } from '../store/work-item.ts'
import type { WorkState } from '../store/work-item.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'

type SummaryProps = {
  readonly state: WorkState
  readonly text: string
  readonly children?: ComponentChildren
}

/** The sign, what happened in a few words, and below it what to know about it. */
export function Summary({ state, text, children }: SummaryProps) {
  const sign = SIGNS[state]
  return (
    <div class="summary">
      {sign && <Icon name={sign.icon} class={`sign ${sign.tone}`} />}
      <p class="says">{text}</p>
      {children}
    </div>
  )
}

/** "Web 2048, saved to ~/Pictures/Web", the folder to be opened. */
export function TargetLine({ work, saved }: { readonly work: WorkTitle; readonly saved: boolean }) {
  const app = useApp()
  const t = useTranslation()
  const { output } = work
  const preset = work.preset ?? t.phrases.basicDefaults
  if (output === null) return <p class="sub">{preset}</p>
  if (output.kind === 'drive') {
    return (
      <p class="sub">
        {t.details.toDrive({ preset })} <span class="mono">{shortId(output.folderId)}</span>
      </p>
    )
  }
  return (
    <p class="sub">
      {saved ? t.details.savedTo({ preset }) : t.details.to({ preset })}{' '}
      <LinkButton
        label={shortPath(output.path, app.facts.homeFolder)}
        title={output.path}
        onPress={() => void app.attempt(app.bridge.files.reveal(output.path))}
      />
    </p>
  )
}
