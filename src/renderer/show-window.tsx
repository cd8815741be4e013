import './style/tokens.css'
import './style/base.css'
import './style/fields.css'
import './style/callout.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import type { Bridge } from '../shared/ipc/contract.ts'
import { AppContext, createApp } from './store/app.ts'
import { followEvents } from './app-events.ts'
import { copyPlainText } from './copy-plain-text.ts'
import { loadTexts } from './store/load-texts.ts'
import { followDrops } from './store/drops.ts'
import { keepFocus } from './keep-focus.ts'
import { followKeyboard } from './keyboard.ts'
import { followSearch } from './store/search.ts'
import { afterFirstPaint } from './store/later.tsx'
import { MediatrayWindow } from './window.tsx'

/** Shows the window in an element. Resolves when it is rendered for the first time. */
export async function showWindow(bridge: Bridge, now: () => number, root: Element): Promise<void> {
  const app = await createApp(bridge, now, loadTexts)
  followSearch(app)
  followEvents(app)
  followKeyboard(app)
  followDrops(app)
  copyPlainText()
  // Don't load this later, because a key press may remove the focused element before then.
  keepFocus(root)
  // This loads the texts of later views first, because the texts of the settings are added to them.
  afterFirstPaint(() => effect(() => void app.settingsWords()))
  render(
    <AppContext value={app}>
      <MediatrayWindow />
    </AppContext>,
    root,
  )
}
