import './style/tokens.css'
import './style/base.css'
import './style/fields.css'
import './style/callout.css'
import { render } from 'preact'
import { AppContext, createApp } from './store/app.ts'
import { followEvents } from './app-events.ts'
import { followDrops } from './drops.ts'
import { followKeyboard } from './keyboard.ts'
import { followSearch } from './store/search.ts'
import { afterFirstPaint } from './ui/later.tsx'
import { MediatrayWindow } from './window.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

// Don't await at the top level: lazily loaded scripts import from this one and would wait for it.
void createApp(window.mediatray, Date.now).then((app) => {
  followSearch(app)
  followEvents(app)
  followKeyboard(app)
  followDrops(app)
  afterFirstPaint(() => void app.settingsWords())
  render(
    <AppContext value={app}>
      <MediatrayWindow />
    </AppContext>,
    root,
  )
})
