import { render } from 'preact'
import { AppContext, createApp } from './store/app.ts'
import { followEvents } from './app-events.ts'
import { followKeyboard } from './keyboard.ts'
import { followSearch } from './store/search.ts'
import { MediatrayWindow } from './window.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no place for the app')

// Nothing is awaited at the top: the scripts that are read meanwhile take parts of this one, and would wait for its end.
void createApp(window.mediatray, Date.now).then((app) => {
  followSearch(app)
  followEvents(app)
  followKeyboard(app)
  render(
    <AppContext value={app}>
      <MediatrayWindow />
    </AppContext>,
    root,
  )
})
