import { render } from 'preact'
import { AppContext, createApp } from './state/app.ts'
import { followEvents } from './state/events.ts'
import { followKeyboard } from './state/keyboard.ts'
import { followSearch } from './state/search.ts'
import { MediatrayWindow } from './window.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no place for the app')

const app = await createApp(window.mediatray, Date.now)
followSearch(app)
followEvents(app)
followKeyboard(app)
render(
  <AppContext value={app}>
    <MediatrayWindow />
  </AppContext>,
  root,
)
