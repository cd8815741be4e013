import { render } from 'preact'
import { AppContext, createApp } from './store/app.ts'
import { followEvents } from './app-events.ts'
import { followKeyboard } from './keyboard.ts'
import { followSearch } from './store/search.ts'
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
