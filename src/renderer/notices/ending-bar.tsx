import { useEffect, useState } from 'preact/hooks'
import { useApp, useTranslation } from '../store/app.ts'
import { endingLeft, endingSentence } from '../store/dates.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Counts down to what the person chose for the time when everything is done. It is said aloud once, by the announcer. */
export function EndingBar() {
  const app = useApp()
  const t = useTranslation()
  const { ending } = app.state
  const [second, setSecond] = useState(0)
  useEffect(() => {
    const left = endingLeft(app)
    if (left === 0) return undefined
    // At the next whole second, so that none is skipped.
    const timer = setTimeout(() => setSecond(second + 1), left % 1000 || 1000)
    return () => clearTimeout(timer)
  }, [second, ending.value])
  if (ending.value === null) return null
  return (
    <section class="notice calm" data-region="notice" aria-label={t.notices.region}>
      <Icon name="check" />
      <p>
        <b role="timer">{endingSentence(app)}</b> <span>{t.ending.why}</span>
      </p>
      <div class="act">
        <Button
          label={ending.value.action === 'sleep' ? t.ending.stayAwake : t.ending.stayOpen}
          onPress={() => void app.attempt(app.bridge.app.stayOpen())}
        />
      </div>
    </section>
  )
}
