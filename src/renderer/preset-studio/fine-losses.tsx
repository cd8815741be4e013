import { fineLossesOf } from '../../shared/loss/fine-losses.ts'
import { useApp, useViewTranslation } from '../store/app.ts'
import { setFine } from '../store/fine-losses.ts'
import { IconButton } from '../ui/button.tsx'
import { useStudio } from './studio-context.ts'

/** The losses that jobs with this preset don't list, because the user has marked them as fine. */
export function FineLosses() {
  const app = useApp()
  const { savedAs, task, t } = useStudio()
  const { lossKind } = useViewTranslation()
  const preset = savedAs.value ?? task.value
  const codes = preset === null ? [] : fineLossesOf(app.state.settings.value, preset)
  if (codes.length === 0) return null
  return (
    <>
      <span class="label aligned-top">{t.studio.notListed}</span>
      <ul class="fine-losses" aria-label={t.studio.notListed}>
        {codes.map((code) => (
          <li key={code}>
            <span class="truncate">{lossKind[code]}</span>
            <IconButton
              icon="close"
              label={t.studio.listAgain({ what: lossKind[code] })}
              onPress={() => setFine(app, preset, code, false)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
